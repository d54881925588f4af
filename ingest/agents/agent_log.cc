#include "ingest/agents/agent_log.h"

namespace statmill {

void AgentLog::connected(const Visitor& agent, std::string_view peer) {
  const int64_t held_back = connected_.admit(clock_.steady());
  if (held_back < 0) return;
  log_.info("agent connected", {{"host", agent.host},
                                {"id", agent.id},
                                {"version", agent.version},
                                {"peer", peer},
                                {"held_back", held_back}});
}

void AgentLog::left(const Visitor& agent, std::string_view peer, std::string_view why, Duration stayed) {
  const int64_t held_back = left_.admit(clock_.steady());
  if (held_back < 0) return;
  log_.info("agent left", {{"host", agent.host},
                           {"id", agent.id},
                           {"peer", peer},
                           {"reason", why},
                           {"connected_s", std::chrono::duration_cast<std::chrono::seconds>(stayed).count()},
                           {"held_back", held_back}});
}

void AgentLog::refused(const Visitor& agent, std::string_view peer, const RefuseFrame& refusal) {
  const int64_t held_back = refused_.admit(clock_.steady());
  if (held_back < 0) return;
  log_.warn("agent refused", {{"host", agent.host},
                              {"id", agent.id},
                              {"version", agent.version},
                              {"peer", peer},
                              {"reason", refuse_reason_text(refusal.reason)},
                              {"text", refusal.text},
                              {"held_back", held_back}});
}

}  // namespace statmill
