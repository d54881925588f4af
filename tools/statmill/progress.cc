#include "tools/statmill/progress.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "tools/statmill/answer.h"
#include "tools/statmill/chart/units.h"
#include "tools/statmill/client.h"

namespace statmill {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";
const Unit kByteUnit{Unit::Kind::kBytes};
const Unit kByteRateUnit{Unit::Kind::kBytes, 1, true};

// Returns "45s", "1m54s" or "2h05m".
std::string rough_duration(int64_t seconds) {
  const auto two_digits = [](int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m" + two_digits(seconds % 60) + "s";
  return std::to_string(seconds / 3600) + "h" + two_digits(seconds / 60 % 60) + "m";
}

// Returns false if a stop is requested meanwhile.
bool wait(const std::stop_token& stop, Duration pause) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, pause, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

std::string progress_text(std::string_view what, const LongJob::Progress& progress, Duration elapsed,
                          ProgressUnit unit) {
  std::string out(what);
  const auto done = static_cast<double>(progress.done);
  const auto total = static_cast<double>(std::max(progress.total, progress.done));
  const double elapsed_s = static_cast<double>(elapsed.count()) / 1000;
  if (progress.total == 0 || progress.done == 0)
    return out + ", " + rough_duration(static_cast<int64_t>(elapsed_s)) + " so far";
  if (unit == ProgressUnit::kBytes) {
    out += "  " + unit_text(done, kByteUnit) + " of " + unit_text(total, kByteUnit);
  } else {
    out += "  " + std::to_string(progress.done) + " of " +
           std::to_string(std::max(progress.total, progress.done)) + " series";
  }
  out += ", " + std::to_string(static_cast<int>(100 * done / total)) + " %";
  if (elapsed_s <= 0) return out;
  const double per_s = done / elapsed_s;
  out += ", " + (unit == ProgressUnit::kBytes ? unit_text(per_s, kByteRateUnit)
                                              : std::to_string(static_cast<int64_t>(per_s)) + " a second");
  return out + ", " + rough_duration(static_cast<int64_t>((total - done) / per_s + 0.5)) + " left";
}

ProgressLine::ProgressLine(const Environment& environment, std::string_view what, Look look,
                           ProgressUnit unit)
    : show_(environment.show_progress), what_(what), look_(std::move(look)), unit_(unit) {
  if (show_) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void ProgressLine::run(const std::stop_token& stop) const {
  const SystemClock clock;
  const SteadyTime begin = clock.steady();
  bool is_shown = false;
  for (bool goes_on = wait(stop, kDelay); goes_on; goes_on = wait(stop, kInterval)) {
    const auto progress = look_();
    if (!progress || stop.stop_requested()) continue;
    const auto elapsed = std::chrono::floor<Duration>(clock.steady() - begin);
    show_(std::string(kClearLine) + progress_text(what_, *progress, elapsed, unit_));
    is_shown = true;
  }
  if (is_shown) show_(kClearLine);
}

ProgressLine::Look job_of_server(const Client& client) {
  return [&client]() -> std::optional<LongJob::Progress> {
    const Result<HttpAnswer> answer = client.get("/admin/v1/job");
    if (!answer || answer->status != 200) return std::nullopt;
    const auto done = parse_count(answer->body, "done_bytes");
    const auto total = parse_count(answer->body, "total_bytes");
    if (!done || !total) return std::nullopt;
    return LongJob::Progress{*done, *total};
  };
}

}  // namespace statmill
