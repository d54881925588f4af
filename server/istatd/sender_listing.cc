#include "server/istatd/sender_listing.h"

#include <algorithm>
#include <optional>

#include "base/time_text.h"
#include "server/json.h"

namespace statmill::istatd {
namespace {

// What istatd's server adds to what a sender says.
void append_own(JsonObject& one, std::string_view peer, bool is_online, Timestamp connected) {
  one.text("_peer", peer);
  one.key("_online") += is_online ? "true" : "false";
  one.text("_connected", iso_time(unix_seconds(connected)));
}

bool is_own(std::string_view key) { return key.starts_with('_'); }

void append_connection(std::string& out, const Connection& connection) {
  JsonObject one(out);
  for (const auto& [key, text] : connection.metadata) {
    if (!is_own(key)) one.text(key, text);
  }
  append_own(one, connection.peer, true, connection.since);
}

void append_agent(std::string& out, const AgentInfo& agent, Timestamp now) {
  JsonObject one(out);
  one.text("hostname", agent.host());
  one.text("version", agent.agent_version());
  append_own(one, agent.peer(), agent.connection.has_value(),
             agent.connection ? agent.connection->since : agent.row.seen);
  one.count("_idle",
            static_cast<uint64_t>(std::max<int64_t>(unix_seconds(now) - unix_seconds(agent.row.seen), 0)));
}

}  // namespace

std::string senders_json(const ConnectionRegistry& connections, const AgentRegistry& agents, Timestamp now) {
  const auto open = connections.list(kSendersListedMax);
  const auto known = agents.list(kSendersListedMax);
  std::string out;
  {
    JsonObject object(out);
    object.count("count", open.size() + known.size());
    JsonArray list(object.key("agents"));
    for (const Connection& connection : open) append_connection(list.element(), connection);
    for (const AgentInfo& agent : known) append_agent(list.element(), agent, now);
  }
  return out + "\n";
}

}  // namespace statmill::istatd
