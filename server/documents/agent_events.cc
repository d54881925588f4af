#include "server/documents/agent_events.h"

#include <algorithm>
#include <utility>

#include "proto/agent/frames.h"
#include "server/documents/event_where.h"

namespace statmill {
namespace {

Event event_of(const std::string& host, Timestamp time, std::string_view what, const char* tag) {
  Event event{.time = time};
  event.title = shortened_text(host.empty() ? "an agent" : host, kEventTitleBytesMax / 2) + std::string(what);
  event.title = shortened_text(std::move(event.title), kEventTitleBytesMax);
  event.tags = {"agent", tag};
  event.where = where_of_host(host);
  return event;
}

std::string from_to(const std::string& was, const std::string& is) { return "from " + was + " to " + is; }

std::string words_of(uint8_t sources) {
  constexpr std::pair<uint8_t, std::string_view> kWords[] = {
      {kSourceFiles, "files"}, {kSourceEbpf, "eBPF"}, {kSourceCounters, "counters of the CPUs"}};
  std::string words;
  for (const auto& [bit, word] : kWords) {
    if ((sources & bit) != 0) words.append(words.empty() ? "" : " and ").append(word);
  }
  return words.empty() ? "nothing" : words;
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
      known.boot = agent.boot;
      known.sources = agent.sources;
    }
    known.check = checks_;
    check_presence(agent, known, now, found);
    check_gaps(agent, known, found);
    check_version(agent, known, now, found);
    check_boot(agent, known, now, found);
    check_sources(agent, known, now, found);
  }
  std::erase_if(known_, [this](const auto& known) { return known.second.check != checks_; });
  add(std::move(found.away), "agents are away");
  add(std::move(found.back), "agents are back");
  add(std::move(found.gaps), "agents lost lines");
  add(std::move(found.versions), "agents have another version");
  add(std::move(found.boots), "hosts booted");
  add(std::move(found.kernels), "hosts have another kernel");
  add(std::move(found.sources), "hosts have collectors with other sources");
}

void AgentEvents::check_presence(const AgentState& agent, Known& known, TickTime now, Found& found) {
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
}

void AgentEvents::check_gaps(const AgentState& agent, Known& known, Found& found) {
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
}

void AgentEvents::check_version(const AgentState& agent, Known& known, TickTime now, Found& found) {
  if (agent.version.empty() || agent.version == known.version) return;
  if (!known.version.empty()) {
    Event event = event_of(agent.host, now.wall, " has another version", "version");
    event.text = from_to(known.version, agent.version);
    found.versions.push_back(std::move(event));
  }
  known.version = agent.version;
}

// The clock may step, and the time of the boot with it, so only the id tells.
void AgentEvents::check_boot(const AgentState& agent, Known& known, TickTime now, Found& found) {
  const HostBoot& boot = agent.boot;
  const bool is_new_boot = !boot.id.empty() && !known.boot.id.empty() && boot.id != known.boot.id;
  const bool has_time = is_new_boot && boot.time != Timestamp() && boot.time < now.wall;
  const Timestamp time = has_time ? boot.time : now.wall;
  if (is_new_boot) {
    Event event = event_of(agent.host, time, " booted", "boot");
    if (!boot.kernel.empty()) event.text = "with the kernel " + boot.kernel;
    found.boots.push_back(std::move(event));
  }
  if (!boot.kernel.empty() && !known.boot.kernel.empty() && boot.kernel != known.boot.kernel) {
    Event event = event_of(agent.host, time, " has another kernel", "kernel");
    event.text = from_to(known.boot.kernel, boot.kernel);
    found.kernels.push_back(std::move(event));
  }
  if (!boot.id.empty()) known.boot.id = boot.id;
  if (!boot.kernel.empty()) known.boot.kernel = boot.kernel;
}

// A collector that comes and goes is one event in kSourcesApart, of what differs then.
void AgentEvents::check_sources(const AgentState& agent, Known& known, TickTime now, Found& found) {
  if (!agent.sources || agent.sources == known.sources) return;
  if (!known.sources) {
    known.sources = agent.sources;
    return;
  }
  if (now.steady < known.sources_due) return;
  std::vector<std::string> changes;
  std::string last;
  for (const CollectorSource& is : *agent.sources) {
    const auto was = std::ranges::find(*known.sources, is.name, &CollectorSource::name);
    if (was == known.sources->end() || was->sources == is.sources) continue;
    last = is.name;
    changes.push_back(is.name + " " + from_to(words_of(was->sources), words_of(is.sources)));
  }
  known.sources = agent.sources;
  if (changes.empty()) return;
  known.sources_due = now.steady + kSourcesApart;
  const std::string what = changes.size() == 1
                               ? ": " + last + " has another source"
                               : ": " + std::to_string(changes.size()) + " collectors have other sources";
  Event event = event_of(agent.host, now.wall, what, "source");
  for (const std::string& change : changes) event.text += (event.text.empty() ? "" : "; ") + change;
  event.text = shortened_text(std::move(event.text), kEventTextBytesMax);
  found.sources.push_back(std::move(event));
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
