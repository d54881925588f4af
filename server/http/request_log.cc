#include "server/http/request_log.h"

#include <chrono>
#include <string>

namespace statmill {
namespace {

std::string what(const HttpRequest& request) {
  return std::string(request.method) + " " +
         std::string(request.target.substr(0, RequestLog::kTargetBytesMax));
}

int64_t milliseconds(SteadyTime::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

}  // namespace

void RequestLog::note(const HttpRequest& request, unsigned status, SteadyTime begin) {
  const SteadyTime now = clock_.steady();
  const bool is_limited = status >= 400 && request.role < Role::kAdmin;
  const int64_t held_back = is_limited ? vain_.admit(now) : 0;
  if (held_back < 0) return;
  log_.info("request", {{"what", what(request)},
                        {"by", requester(request)},
                        {"status", status},
                        {"ms", milliseconds(now - begin)},
                        {"held_back", held_back}});
}

void RequestLog::access(const HttpRequest& request, unsigned status, SteadyTime begin) {
  if (!has_access_log_) return;
  const SteadyTime now = clock_.steady();
  const int64_t held_back = access_.admit(now);
  if (held_back < 0) return;
  log_.info("access", {{"what", request.method.empty() ? "-" : what(request)},
                       {"by", requester(request)},
                       {"status", status},
                       {"ms", milliseconds(now - begin)},
                       {"held_back", held_back}});
}

}  // namespace statmill
