#include "server/agents/agent_alarms.h"

#include <algorithm>

#include "base/text.h"

namespace statmill {
namespace {

// "one; two; three; and 4 more"
std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  const size_t named = std::min(texts.size(), AgentAlarms::kNamed);
  for (size_t i = 0; i < named; ++i) out += (i == 0 ? "" : "; ") + texts[i];
  if (texts.size() > named) out += "; and " + std::to_string(texts.size() - named) + " more";
  return out;
}

std::string text_of(const ConflictSide& side) { return side.host + " (" + side.peer + ")"; }

std::string text_of(const AgentRegistry::ClockDifference& difference) {
  Duration by = std::chrono::abs(difference.ahead);
  if (by >= std::chrono::minutes(1)) by = std::chrono::round<std::chrono::seconds>(by);
  return difference.host + " is " + format_duration(by) + " " +
         (difference.ahead > Duration(0) ? "ahead" : "behind");
}

std::string text_of(const AgentConflict& conflict) {
  const std::string id = short_id(conflict.id);
  if (conflict.kind == AgentConflict::Kind::kClones) {
    return text_of(conflict.known) + " and " + text_of(conflict.other) + " replaced each other as agent " +
           id + " " + std::to_string(conflict.count) + " times: are they clones?";
  }
  return text_of(conflict.other) + " was refused as agent " + id + ", which belongs to " +
         text_of(conflict.known) + ": wrong secret, " + std::to_string(conflict.count) + " times";
}

std::string text_of(const HostConflict& conflict) {
  std::string text = std::to_string(conflict.parties.size()) + " agents send as host " + conflict.host + ": ";
  const size_t named = std::min(conflict.parties.size(), AgentAlarms::kNamed);
  for (size_t i = 0; i < named; ++i) {
    if (i > 0) text += ", ";
    text += short_id(conflict.parties[i].id) + " (" + conflict.parties[i].peer + ")";
  }
  return text + "; give each its own --agent.host";
}

std::string text_of(const OutdatedAgent& agent) {
  return (agent.host.empty() ? "an agent" : agent.host) + " (" + agent.address + ") speaks protocol " +
         std::to_string(agent.protocol) + ", this server " + std::to_string(kAgentProtocol) +
         ": upgrade the older one";
}

}  // namespace

void AgentAlarms::tick(TickTime now) {
  if (now.steady < next_check_) return;
  next_check_ = now.steady + kInterval;
  check_clocks(now.steady);
  check_conflicts(now.steady);
  check_hosts(now);
  check_outdated(now);
}

void AgentAlarms::check_clocks(SteadyTime now) {
  std::vector<std::string> all;
  std::vector<std::string> warned;
  for (const AgentRegistry::ClockDifference& difference : agents_.clock_differences(kClockLogged)) {
    all.push_back(text_of(difference));
    if (std::chrono::abs(difference.ahead) > kClockWarned) warned.push_back(all.back());
  }
  if (!all.empty() && clock_log_.admit(now) >= 0)
    log_.warn("agent clocks differ from the server's", {{"agents", all.size()}, {"worst", joined(all)}});
  health_.warn("agent_clocks", warned.empty() ? "" : "compared with the server's clock, " + joined(warned));
}

void AgentAlarms::check_conflicts(SteadyTime now) {
  std::vector<std::string> clones;
  std::vector<std::string> owners;
  for (const AgentConflict& conflict : agents_.conflicts(now))
    (conflict.kind == AgentConflict::Kind::kClones ? clones : owners).push_back(text_of(conflict));
  warn("agent_clones", joined(clones), clone_log_, now);
  warn("agent_owner", joined(owners), owner_log_, now);
}

void AgentAlarms::check_hosts(TickTime now) {
  std::vector<std::string> texts;
  for (const HostConflict& conflict : agents_.host_conflicts(now.wall, kHostsListed))
    texts.push_back(text_of(conflict));
  warn("agent_hosts", joined(texts), host_log_, now.steady);
}

void AgentAlarms::check_outdated(TickTime now) {
  std::vector<std::string> texts;
  for (const OutdatedAgent& agent : agents_.outdated(now.wall)) texts.push_back(text_of(agent));
  warn("agent_versions", joined(texts), outdated_log_, now.steady);
}

void AgentAlarms::warn(std::string_view part, const std::string& text, LogLimiter& limiter, SteadyTime now) {
  health_.warn(part, text);  // first, for those who look there when they see the log
  if (!text.empty() && limiter.admit(now) >= 0) log_.warn(part, {{"detail", text}});
}

}  // namespace statmill
