#include "server/admin/profile_route.h"

#include <string>
#include <thread>

#include "base/stage.h"
#include "base/thread_times.h"
#include "server/json.h"

namespace statmill {
namespace {

void write_stages(std::string& out) {
  JsonObject stages(out);
  for (size_t i = 1; i < kStageCount; ++i)  // without kOther: a client subtracts all others from the whole
    stages.count(kStageNames[i], stage_times.cpu_ns(static_cast<Stage>(i)));
}

void write_threads(std::string& out) {
  JsonArray threads(out);
  for (const ThreadTime& thread : thread_times()) {
    JsonObject one(threads.element());
    one.count("id", static_cast<uint64_t>(thread.id));
    one.text("name", thread.name);
    one.count("cpu_ns", thread.cpu_ns);
  }
}

std::string profile_json(SteadyTime now) {
  std::string out;
  {
    JsonObject profile(out);
    profile.count("time_ns", static_cast<uint64_t>(now.time_since_epoch().count()));
    profile.count("processors", std::thread::hardware_concurrency());
    profile.count("cpu_ns", process_cpu_ns());
    write_stages(profile.key("stages"));
    write_threads(profile.key("threads"));
  }
  return out + "\n";
}

}  // namespace

ProfileLease::~ProfileLease() { tick(SteadyTime::max()); }

void ProfileLease::renew(SteadyTime now) {
  MutexLock lock(mutex_);
  end_ = now + kTime;
  stage_times.turn_on();
}

void ProfileLease::tick(SteadyTime now) {
  MutexLock lock(mutex_);
  if (!end_ || now < *end_) return;
  stage_times.turn_off();
  end_.reset();
}

Route profile_route(ProfileLease& lease, const Clock& clock) {
  return {"GET",
          "/admin/v1/profile",
          {},
          0,
          [&lease, &clock](const Url&, std::string_view) {
            const SteadyTime now = clock.steady();
            lease.renew(now);
            return HttpResponse{200, profile_json(now), kJson, {}};
          },
          "what the CPU time goes to, by stage and thread; measures for 15 s"};
}

}  // namespace statmill
