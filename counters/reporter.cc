#include "statmill/reporter.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "counters/report_lines.h"
#include "counters/report_socket.h"

namespace statmill {

class Reporter::Impl {
 public:
  Impl(ReportSocket socket, const ReporterOptions& options)
      : interval_(options.interval),
        registry_(options.registry == nullptr ? Registry::process() : *options.registry),
        socket_(std::move(socket)),
        thread_([this] { run(); }) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    ending_.notify_all();
    thread_.join();
    report(Turn::kLast);
  }

  enum class Turn { kOneOfMany, kLast };
  bool report(Turn turn = Turn::kOneOfMany) {
    const std::lock_guard lock(report_mutex_);
    std::vector<Reading> readings = registry_.read(Maxima::kReset);
    if (turn == Turn::kLast) {  // no later report could send values that this one holds back
      for (Reading& reading : readings) reading.sum_missing_max = 0;
    }
    lines_.resend_families_hourly(std::chrono::steady_clock::now().time_since_epoch());
    const std::string_view text = lines_.make(readings);
    size_t sent = 0;
    while (sent < text.size()) {
      const size_t end = lines_.end_of_lines(sent, socket_.bytes_max());
      const size_t accepted = socket_.send(text.substr(sent, end - sent));
      sent += accepted;
      if (sent < end) break;
    }
    const size_t lines = lines_.sent(sent);
    const bool is_whole = sent == text.size();
    const std::lock_guard stats_lock(mutex_);
    stats_.lines += lines;
    ++(is_whole ? stats_.reports : stats_.failures);
    return is_whole;
  }

  Stats stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  void run() {
    auto next = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (true) {
      next = std::max(next + interval_, std::chrono::steady_clock::now());
      if (ending_.wait_until(lock, next, [&] { return is_ending_; })) return;
      lock.unlock();
      report();
      lock.lock();
    }
  }

  const std::chrono::milliseconds interval_;
  Registry& registry_;
  std::mutex report_mutex_;  // protects the next two; locked before mutex_
  ReportSocket socket_;
  ReportLines lines_;
  mutable std::mutex mutex_;  // protects the next two
  bool is_ending_ = false;
  Stats stats_;
  std::condition_variable ending_;
  std::thread thread_;  // last, because it uses all members above
};

std::unique_ptr<Reporter> Reporter::start(const ReporterOptions& options, std::string& error) {
  if (options.interval < std::chrono::milliseconds(10)) {
    error = "the interval is less than 10 ms";
    return nullptr;
  }
  std::optional<ReportSocket> socket = ReportSocket::at(options.address, error);
  if (!socket) return nullptr;
  return std::unique_ptr<Reporter>(new Reporter(std::make_unique<Impl>(std::move(*socket), options)));
}

Reporter::Reporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reporter::~Reporter() = default;
bool Reporter::report() { return impl_->report(); }
Reporter::Stats Reporter::stats() const { return impl_->stats(); }

}  // namespace statmill
