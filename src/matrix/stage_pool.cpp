#include "matrix/stage_pool.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace metamorph::matrix {
namespace {

class Pool {
public:
    Pool(StageQueue& queue, const StageBody& body) : m_queue(queue), m_body(body) {}

    void work() {
        std::unique_lock lock(m_mutex);
        while (!m_error && !m_queue.is_done()) {
            const std::optional<StageQueue::Started> started = m_queue.next();
            if (!started) {
                m_changed.wait(lock);
                continue;
            }
            lock.unlock();
            const Result<bool> goes_on = m_body(*started);
            lock.lock();
            m_queue.ended(*started, goes_on.value_or(false));
            if (!goes_on && !m_error) {
                m_error = goes_on.error();
            }
            m_changed.notify_all();
        }
        m_changed.notify_all();
    }

    const std::optional<Error>& error() const { return m_error; }

private:
    StageQueue& m_queue;
    const StageBody& m_body;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::optional<Error> m_error;
};

}  // namespace

Status run_stages(StageQueue& queue, int threads, const StageBody& body) {
    Pool pool(queue, body);
    std::vector<std::thread> workers;
    for (int i = 0; i < std::max(threads, 1); ++i) {
        workers.emplace_back([&] { pool.work(); });
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    if (pool.error()) {
        return tl::unexpected<Error>(*pool.error());
    }
    return {};
}

}  // namespace metamorph::matrix
