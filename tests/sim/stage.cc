#include "tests/sim/stage.h"

namespace statmill::sim {
namespace {

constexpr size_t kTrailMax = 60;

}  // namespace

bool Schedule::play(SteadyTime until) {
  const auto next = events_.begin();
  if (next == events_.end() || next->first > until) {
    now_ = std::max(now_, until);
    return false;
  }
  now_ = std::max(now_, next->first);
  const std::function<void()> what = std::move(next->second);
  events_.erase(next);
  what();
  return true;
}

void Schedule::skip(Duration time) {
  std::multimap<SteadyTime, std::function<void()>> later;
  for (auto& [at, what] : events_) later.emplace(at + time, std::move(what));
  events_ = std::move(later);
  now_ += time;
}

void Stage::note(const std::string& what) {
  const auto ms = std::chrono::duration_cast<Duration>(schedule.now().time_since_epoch()).count();
  trail.push_back(std::to_string(ms) + " ms: " + what);
  if (trail.size() > kTrailMax) trail.pop_front();
}

void Stage::report_violation(const std::string& what) {
  note("VIOLATION: " + what);
  if (!violation) violation = what;
}

}  // namespace statmill::sim
