#include "server/documents/agent_events.h"

#include <algorithm>
#include <utility>

#include "proto/agent/frames.h"

namespace statmill {
namespace {

// Returns the glob that matches `host=NAME` and all names of series with that tag.
std::string where_of(const std::string& host) {
  if (host.empty() || host.find_first_of("*?[]{},") != std::string::npos) return {};
  std::string where = "{host=" + host + ",*;host=" + host + "}{,;*}";
  return where.size() > kEventWhereBytesMax ? std::string() : where;
}

Event event_of(const std::string& host, Timestamp time, std::string_view what, const char* tag) {
  Event event{.time = time};
  event.title = shortened_text(host.empty() ? "an agent" : host, kEventTitleBytesMax / 2) + std::string(what);
  event.tags = {"agent", tag};
  event.where = where_of(host);
  return event;
}

}  // namespace

void AgentEvents::tick(TickTime now) {
  if (now.steady < next_check_) return;
  next_check_ = now.steady + kInterval;
  ++checks_;
  Found found;
  for (const AgentRegistry::AgentState& agent : agents_.states()) {
    const auto [at, is_new] = known_.try_emplace(agent.id);
    Known& known = at->second;
    if (is_new) {
      known.is_connected = agent.is_connected;
      known.is_reported = !agent.is_connected;
      known.gaps = checks_ == 1 ? agent.gaps : 0;
      known.version = agent.version;
    }
    known.check = checks_;
    check(agent, known, now, found);
  }
  std::erase_if(known_, [this](const auto& known) { return known.second.check != checks_; });
  add(std::move(found.away), "agents are away");
  add(std::move(found.back), "agents are back");
  add(std::move(found.gaps), "agents lost lines");
  add(std::move(found.versions), "agents have another version");
}

void AgentEvents::check(const AgentRegistry::AgentState& agent, Known& known, TickTime now,
                        Found& found) const {
  if (agent.is_connected) {
    if (!known.is_connected && known.is_reported && known.gone != SteadyTime())
      found.back.push_back(event_of(agent.host, now.wall, " is back", "back"));
    known.is_connected = true;
    known.is_reported = false;
  } else if (known.is_connected) {
    known.is_connected = false;
    known.gone = now.steady;
    known.gone_wall = now.wall;
  } else if (!known.is_reported && now.steady - known.gone > kAway) {
    known.is_reported = true;
    found.away.push_back(event_of(agent.host, known.gone_wall, " is away", "away"));
  }
  if (agent.gaps > known.gaps && agent.last_gap) {
    const AgentGap& gap = *agent.last_gap;
    const std::string what = " lost " + std::to_string(gap.lines) + " lines";
    Event event = event_of(agent.host, std::min(gap.from, gap.to), what, "gap");
    if (gap.from == Timestamp()) event.time = gap.to;  // nothing came before
    event.until = std::max(gap.from, gap.to);
    event.text = gap_reason_text(gap.reason);
    found.gaps.push_back(std::move(event));
  }
  known.gaps = agent.gaps;
  if (!agent.version.empty() && agent.version != known.version) {
    if (!known.version.empty()) {
      Event event = event_of(agent.host, now.wall, " has another version", "version");
      event.text = "from " + known.version + " to " + agent.version;
      found.versions.push_back(std::move(event));
    }
    known.version = agent.version;
  }
}

void AgentEvents::add(std::vector<Event> events, const std::string& what) {
  if (events.size() <= kSingle) {
    for (Event& event : events) events_.add_own(std::move(event));
    return;
  }
  Event common{.time = events.front().time};
  common.title = std::to_string(events.size()) + " " + what;
  common.tags = events.front().tags;
  for (size_t i = 0; i < events.size(); ++i) {
    common.time = std::min(common.time, events[i].time);
    if (events[i].until) common.until = std::max(common.until.value_or(*events[i].until), *events[i].until);
    if (i < kNamed) common.text += (i == 0 ? "" : "; ") + events[i].title;
  }
  if (events.size() > kNamed) common.text += "; and " + std::to_string(events.size() - kNamed) + " more";
  events_.add_own(std::move(common));
}

}  // namespace statmill
