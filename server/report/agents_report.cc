#include "server/report/agents_report.h"

#include <algorithm>

#include "server/json.h"

namespace statmill {
namespace {

void write_time(JsonObject& object, std::string_view name, Timestamp time) {
  object.number(name, static_cast<double>(unix_seconds(time)));
}

std::string booted_text(const HostBoot& boot) {
  return boot.time == Timestamp() ? "null" : std::to_string(unix_seconds(boot.time));
}

void write_gaps(std::string& out, const AgentRow& row) {
  JsonArray gaps(out);
  for (const AgentGap& gap : row.last_gaps) {
    JsonObject one(gaps.element());
    one.count("first", gap.first);
    one.count("last", gap.last);
    one.count("lines", gap.lines);
    one.text("reason", gap_reason_text(gap.reason));
    write_time(one, "from", gap.from);
    write_time(one, "to", gap.to);
  }
}

void write_refused(std::string& out, const RefusalCounts& refused) {
  JsonObject reasons(out);
  for (size_t i = 0; i < refused.size(); ++i) {
    if (refused[i] > 0) reasons.count(refusal_label(static_cast<Refusal>(i)), refused[i]);
  }
}

void write_troubles(std::string& out, const AgentStatus& status) {
  JsonArray troubles(out);
  for (const CollectorTrouble& trouble : status.troubles) {
    JsonObject one(troubles.element());
    one.text("name", trouble.name);
    one.text("state", trouble.state == 1 ? "degraded" : "unavailable");
    one.text("reason", trouble.reason);
  }
}

void write_connection(JsonObject& one, const std::optional<AgentConnectionInfo>& connection) {
  const AgentStatus* const status = connection && connection->status ? &*connection->status : nullptr;
  const auto count = [&](std::string_view name, auto value) {
    one.key(name).append(status != nullptr ? std::to_string(value(*status)) : "null");
  };
  one.key("clock_difference_ms")
      .append(connection ? std::to_string(connection->clock_ahead.count()) : "null");
  write_refused(one.key("refused"), connection ? connection->refused : RefusalCounts{});
  count("spool_bytes", [](const AgentStatus& s) { return s.spool_bytes; });
  count("lines_dropped", [](const AgentStatus& s) { return s.lines_dropped; });
  count("collectors", [](const AgentStatus& s) { return s.collectors; });
  count("collectors_not_ok", [](const AgentStatus& s) { return s.collectors_not_ok; });
  write_troubles(one.key("troubles"), status != nullptr ? *status : AgentStatus{});
}

void write_agent(std::string& out, const AgentInfo& agent, Timestamp now) {
  const AgentRow& row = agent.row;
  JsonObject one(out);
  one.text("host", agent.host());
  one.text("id", short_id(row.id));
  one.key("connected").append(agent.connection ? "true" : "false");
  one.text("peer", agent.peer());
  one.text("version", agent.agent_version());
  one.text("kernel", agent.boot().kernel);
  one.key("booted").append(booted_text(agent.boot()));
  one.key("ephemeral").append(row.is_ephemeral ? "true" : "false");
  one.count("epoch", row.position.epoch);
  one.count("accepted", row.position.seq);
  one.count("durable", agent.durable.position.seq);
  one.number("lag_s", static_cast<double>(unix_seconds(now) - unix_seconds(agent.durable.last().time)));
  one.count("lines", row.position.lines);
  one.count("backlog_lines", row.ahead ? row.ahead->lines_before - row.position.lines : 0);
  write_time(one, "seen", row.seen);
  one.count("gaps", row.gaps);
  one.count("lines_lost", row.lines_lost);
  one.count("lines_refused", row.lines_refused);
  write_connection(one, agent.connection);
  write_gaps(one.key("last_gaps"), row);
}

void write_host_conflicts(std::string& out, const std::vector<HostConflict>& conflicts) {
  JsonArray list(out);
  for (const HostConflict& conflict : conflicts) {
    JsonObject one(list.element());
    one.text("host", conflict.host);
    JsonArray agents(one.key("agents"));
    for (size_t i = 0; i < std::min(conflict.parties.size(), kPartiesShown); ++i) {
      JsonObject party(agents.element());
      party.text("id", short_id(conflict.parties[i].id));
      party.text("peer", conflict.parties[i].peer);
    }
  }
}

void write_outdated(std::string& out, const std::vector<OutdatedAgent>& outdated) {
  JsonArray list(out);
  for (const OutdatedAgent& agent : outdated) {
    JsonObject one(list.element());
    one.text("host", agent.host);
    one.text("address", agent.address);
    one.count("protocol", agent.protocol);
    one.text("version", agent.agent_version);
    one.count("refused", agent.refused);
    write_time(one, "seen", agent.seen);
  }
}

}  // namespace

std::string agents_json(const AgentRegistry& agents, Timestamp now, const Reports::AgentFilter& filter) {
  const auto accepts = [&filter](const AgentInfo& agent) {
    if (filter.host && !filter.host->matches(agent.host())) return false;
    return !filter.since || agent.connection || agent.row.seen >= *filter.since;
  };
  std::vector<AgentInfo> shown = agents.list(kAgentsShown + 1, accepts);
  const bool is_truncated = shown.size() > kAgentsShown;
  if (is_truncated) shown.pop_back();
  std::string out;
  {
    JsonObject report(out);
    report.count("known", agents.count());
    report.count("connected", agents.connected());
    write_host_conflicts(report.key("host_conflicts"), agents.host_conflicts(now, kHostConflictsShown));
    write_outdated(report.key("outdated"), agents.outdated(now));
    {
      JsonArray list(report.key("agents"));
      for (const AgentInfo& agent : shown) write_agent(list.element(), agent, now);
    }
    report.key("truncated").append(is_truncated ? "true" : "false");
  }
  out.push_back('\n');
  return out;
}

}  // namespace statmill
