// RequestLog: a line in the log for each request that administers the server or changes a document: what was
// asked, by whom, and the status of the answer. Samples are traffic, which is counted. On request, also an
// access log, with a line for every request.
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "server/http/http_message.h"

namespace statmill {

// Thread-safe. Clients without the role admin cannot fill the log: what they change waits for a tick, and
// what they ask in vain has at most 10 lines per second, and the access log 1000; `held_back` counts the
// others.
class RequestLog {
 public:
  static constexpr size_t kTargetBytesMax = 512;  // longer targets are cut

  // Both must outlive it.
  RequestLog(Log& log, const Clock& clock, bool has_access_log = false)
      : log_(log), clock_(clock), has_access_log_(has_access_log) {}

  // Writes the line of a request that was answered with `status`. May wait until the log is read.
  void note(const HttpRequest& request, unsigned status, SteadyTime begin);
  // Writes the line of any request to the access log. The request may be empty, if its header was refused.
  // May wait until the log is read: the event loop waits then, too.
  void access(const HttpRequest& request, unsigned status, SteadyTime begin);

 private:
  Log& log_;
  const Clock& clock_;
  const bool has_access_log_;
  LogLimiter access_{std::chrono::seconds(1), 1000};
  LogLimiter vain_{std::chrono::milliseconds(100)};
};

}  // namespace statmill
