#include "server/http/request_log.h"

#include <chrono>
#include <string>

namespace statmill {

void RequestLog::note(const HttpRequest& request, unsigned status, SteadyTime begin) {
  const SteadyTime now = clock_.steady();
  const bool is_limited = status >= 400 && request.role < Role::kAdmin;
  const int64_t held_back = is_limited ? vain_.admit(now) : 0;
  if (held_back < 0) return;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - begin);
  log_.info("request", {{"what", std::string(request.method) + " " +
                                     std::string(request.target.substr(0, kTargetBytesMax))},
                        {"by", requester(request)},
                        {"status", status},
                        {"ms", ms.count()},
                        {"held_back", held_back}});
}

}  // namespace statmill
