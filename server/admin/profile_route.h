// GET /admin/v1/profile: the CPU time that the process has spent so far, by stage (base/stage.h) and by
// thread. A client asks twice and subtracts.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/http/router.h"

namespace statmill {

// Measures the stages until kTime after the last request. Thread-safe.
class ProfileLease {
 public:
  static constexpr Duration kTime = std::chrono::seconds(15);

  ~ProfileLease();
  void renew(SteadyTime now);
  // Ends measuring when it is time. Call it now and then.
  void tick(SteadyTime now);

 private:
  Mutex mutex_;
  std::optional<SteadyTime> end_ GUARDED_BY(mutex_);  // nullopt: nobody measures
};

// Both must outlive the route.
Route profile_route(ProfileLease& lease, const Clock& clock);

}  // namespace statmill
