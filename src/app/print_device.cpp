// A device for readers and for programs.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/device.h"
#include "util/text.h"

namespace metamorph::app {

namespace {

constexpr std::size_t k_text_max = 400;

nlohmann::ordered_json heading(const Device& device) {
    nlohmann::ordered_json json{
        {"name", device.name}, {"description", device.description}, {"core", name_of(device.core)}};
    if (!device.is_host()) {
        json["nvm"] = name_of(device.attachment);
    }
    return json;
}

std::vector<Figure> all_figures(const Device& device) {
    std::vector<Figure> figures = device.figures;
    figures.insert(figures.end(), device.costs.figures.begin(), device.costs.figures.end());
    return figures;
}

std::string printed(const nlohmann::ordered_json& json) {
    // A description of a user's own need not be ASCII.
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string print_list(const std::vector<Device>& devices) {
    std::size_t width = 0;
    for (const Device& device : devices) {
        width = std::max(width, device.name.size());
    }
    std::string text;
    for (const Device& device : devices) {
        text += fmt::format("{:<{}}  {}\n", device.name, width, printable(device.description, k_text_max));
    }
    return text;
}

std::string list_to_json(const std::vector<Device>& devices) {
    nlohmann::ordered_json json{{"schema", "metamorph-devices-1"}, {"devices", nlohmann::ordered_json::array()}};
    for (const Device& device : devices) {
        json["devices"].push_back(heading(device));
    }
    return printed(json);
}

std::string print(const Device& device) {
    std::string text =
        fmt::format("{}: {}\n  core {}", device.name, printable(device.description, k_text_max), name_of(device.core));
    if (device.is_host()) {
        return text + "; non-volatile memory is a file\n";
    }
    text +=
        fmt::format(", non-volatile memory {}\n", device.attachment == Attachment::mapped ? "mapped" : "behind a bus");
    for (const Memory& memory : device.memories) {
        text += fmt::format("  {:<6} {:<6} {:#010x} {:>8} B\n", name_of(memory.kind), printable(memory.name),
                            memory.address, memory.bytes);
    }
    text += "  figures\n";
    for (const Figure& figure : all_figures(device)) {
        text += fmt::format("    {:<30} {:<12} {}\n", printable(figure.key), figure.value,
                            printable(figure.source, k_text_max));
    }
    text += "  toolchains";
    for (const Compiler& compiler : device.compilers) {
        text += fmt::format(" {} ({})", compiler.name, compiler.program);
    }
    return text + "\n";
}

std::string to_json(const Device& device) {
    nlohmann::ordered_json json{{"schema", "metamorph-device-1"}};
    json.update(heading(device));
    if (!device.is_host()) {
        json["memories"] = nlohmann::ordered_json::array();
        for (const Memory& memory : device.memories) {
            json["memories"].push_back({{"name", memory.name},
                                        {"kind", name_of(memory.kind)},
                                        {"address", memory.address},
                                        {"bytes", memory.bytes},
                                        {"read_wait_cycles", memory.read_wait_cycles}});
            if (memory.kind == MemoryKind::nvm) {
                json["memories"].back()["write_unit_bytes"] = memory.write_unit_bytes;
                json["memories"].back()["write_unit_ns"] = memory.write_unit_ns;
                json["memories"].back()["write_unit_nj"] = memory.write_unit_nj;
            }
        }
        json["clock_hz"] = device.clock_hz;
        json["supply_mv"] = device.supply_mv;
        json["active_ua_per_mhz"] = device.active_ua_per_mhz;
        json["sleep_ua"] = device.sleep_ua;
        json["stack_bytes"] = device.stack_bytes;
        if (device.spi) {
            json["spi"] = {{"clock_hz", device.spi->clock_hz},
                           {"active_ma", device.spi->active_ma},
                           {"address_bytes", device.spi->address_bytes},
                           {"burst_bytes", device.spi->burst_bytes},
                           {"id", device.spi->id}};
        }
        json["board"] = {{"io", device.board.io},
                         {"inputs", device.board.inputs},
                         {"spi", device.board.spi},
                         {"spi_memory", device.board.spi_memory}};
        json["toolchains"] = nlohmann::ordered_json::array();
        for (const Compiler& compiler : device.compilers) {
            json["toolchains"].push_back(
                {{"name", compiler.name}, {"compiler", compiler.program}, {"flags", compiler.flags}});
        }
        json["figures"] = nlohmann::ordered_json::array();
        for (const Figure& figure : all_figures(device)) {
            json["figures"].push_back({{"key", figure.key},
                                       {"value", figure.value},
                                       {"source", figure.source},
                                       {"assumed", figure.is_assumed}});
        }
    }
    return printed(json);
}

}  // namespace metamorph::app
