// ProgressLine: shows on a terminal how far a long command is: what is done, how fast, and the time left.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/long_job.h"
#include "tools/statmill/cli.h"
#include "tools/statmill/interruption.h"

namespace statmill {

class Client;

// What a job counts.
enum class ProgressUnit { kBytes, kSeries };

// Returns "backup  12.3 GiB of 40 GiB, 31 %, 250 MiB/s, 1m54s left", or "export  120 of 1000 series, 12 %, 60
// a second, 15s left", of a job that took `elapsed` so far. What is unknown is left out.
std::string progress_text(std::string_view what, const LongJob::Progress& progress, Duration elapsed,
                          ProgressUnit unit = ProgressUnit::kBytes);

// Shows the line, once a job runs for kDelay, until the end of its life; then it clears the line.
class ProgressLine {
 public:
  static constexpr Duration kDelay{500};     // a shorter job shows nothing
  static constexpr Duration kInterval{250};  // between two looks

  // Returns nullopt if no job runs. Called on the line's own thread.
  using Look = std::function<std::optional<LongJob::Progress>()>;

  // Does nothing if the environment shows no progress. `what` must be a string literal.
  ProgressLine(const Environment& environment, std::string_view what, Look look,
               ProgressUnit unit = ProgressUnit::kBytes);
  ~ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void run(const std::stop_token& stop) const;

  const std::function<void(std::string_view)> show_;
  const std::string_view what_;
  const Look look_;
  const ProgressUnit unit_;
  std::jthread thread_;  // last: it uses all of the above
};

// Runs `body(job)` of this process, and shows meanwhile how far the job is. A stop that is requested cancels
// it. Returns the body's result.
template <class Body>
auto with_progress(const Environment& environment, std::string_view what, const std::stop_token& stop,
                   const Body& body) {
  LongJob job([&stop] { return stop.stop_requested(); });
  const ProgressLine line(environment, what, [&job] { return std::optional(job.progress()); });
  return body(job);
}
// The same, stopped by signals.
template <class Body>
auto with_progress(const Environment& environment, std::string_view what, const Body& body) {
  const Interruption interruption;
  return with_progress(environment, what, interruption.token(), body);
}

// How far the job of the server is (GET /admin/v1/job).
ProgressLine::Look job_of_server(const Client& client);

}  // namespace statmill
