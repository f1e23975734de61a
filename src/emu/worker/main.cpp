// metamorph-emu: the emulator's worker process. Answers frames on standard input with frames on standard output until
// there are no more (docs/emulator.md). It links Unicorn, which contains code under the GPL, version 2: that is why it
// is a program of its own.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "emu/wire.h"
#include "emu/worker/plain_runner.h"
#include "emu/worker/tracer.h"

namespace metamorph::emu {
namespace {

constexpr std::uint32_t k_frame_bytes_max = 1U << 30;

bool read_all(void* to, std::size_t bytes) {
    auto* at = static_cast<char*>(to);
    while (bytes > 0) {
        const ssize_t got = ::read(STDIN_FILENO, at, bytes);
        if (got <= 0) {
            return false;
        }
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_frame(Frame type, const std::string& payload) {
    std::string frame(5, '\0');
    const auto bytes = static_cast<std::uint32_t>(payload.size());
    std::memcpy(frame.data(), &bytes, 4);
    frame[4] = static_cast<char>(type);
    frame += payload;
    for (std::size_t done = 0; done < frame.size();) {
        const ssize_t written = ::write(STDOUT_FILENO, frame.data() + done, frame.size() - done);
        if (written <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(written);
    }
    return true;
}

template <typename T>
std::string packed(const T& value) {
    Writer writer;
    writer(value);
    return writer.take();
}

class Session {
public:
    // The answer's payload; nothing: done.
    std::optional<std::string> answer(Frame type, const std::string& payload) {
        Reader reader(payload);
        switch (type) {
            case Frame::load: {
                std::string id;
                reader(id);
                if (id != METAMORPH_WIRE_ID) {
                    throw WireError("the request is of another build");
                }
                m_firmware.emplace();
                reader(*m_firmware);
                reader.end();
                m_tracer.reset();
                return std::nullopt;
            }
            case Frame::plain:
                return packed(PlainRunner(firmware()).run());
            case Frame::record: {
                std::string nvm;
                reader(nvm);
                reader.end();
                m_tracer = std::make_unique<Tracer>(firmware());
                return packed(m_tracer->record(nvm));
            }
            case Frame::boot: {
                bool wants_needed = false;
                std::vector<RawImage> images;
                reader(wants_needed);
                reader(images);
                reader.end();
                std::vector<RawBoot> boots;
                for (const RawImage& image : images) {
                    boots.push_back(tracer().boot(image, wants_needed));
                }
                return packed(boots);
            }
            case Frame::cut: {
                std::string nvm;
                CutSpec cut;
                reader(nvm);
                reader(cut);
                reader.end();
                if (!m_tracer) {
                    m_tracer = std::make_unique<Tracer>(firmware());
                }
                return packed(m_tracer->run_with_cut(nvm, cut));
            }
            default:
                throw WireError("no such request");
        }
    }

private:
    const Firmware& firmware() const {
        if (!m_firmware) {
            throw WireError("no program is loaded");
        }
        return *m_firmware;
    }
    Tracer& tracer() const {
        if (!m_tracer) {
            throw WireError("nothing is recorded");
        }
        return *m_tracer;
    }
    std::optional<Firmware> m_firmware;
    std::unique_ptr<Tracer> m_tracer;
};

int serve() {
    Session session;
    for (;;) {
        std::uint32_t bytes = 0;
        Frame type{};
        if (!read_all(&bytes, sizeof bytes) || !read_all(&type, sizeof type)) {
            return 0;  // no more requests, or nobody there to ask
        }
        if (bytes > k_frame_bytes_max) {
            return 2;
        }
        std::string payload(bytes, '\0');
        if (!read_all(payload.data(), bytes)) {
            return 2;
        }
        bool is_written = false;
        try {
            const std::optional<std::string> result = session.answer(type, payload);
            is_written = write_frame(result ? Frame::result : Frame::done, result.value_or(""));
        } catch (const std::exception& error) {
            is_written = write_frame(Frame::error, error.what());
        }
        if (!is_written) {
            return 0;
        }
    }
}

}  // namespace
}  // namespace metamorph::emu

int main(int argc, char**) {
    if (argc > 1 || ::isatty(STDIN_FILENO) != 0) {
        std::fputs(
            "metamorph-emu is a part of 'metamorph verify', which talks to it through pipes (docs/emulator.md).\n"
            "There is nothing to be typed here: try 'metamorph verify --help'.\n",
            stderr);
        return 2;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGPIPE, SIG_IGN);
    return metamorph::emu::serve();
}
