#include "server/report/hosts_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/host_presence.h"
#include "server/json.h"
#include "server/names/label_matcher.h"
#include "server/names/name_labels.h"

namespace statmill {
namespace {

// The gauge with the state of each collector: 0 works, 1 lacks a part, 2 does not work.
constexpr std::string_view kCollectorPath = "host.agent.collector_status";
constexpr std::string_view kCollectorTag = "collector";

struct Host {
  uint64_t series = 0;                    // with the host's tag
  std::optional<Slot> last_slot;          // of the newest presence counter
  NameLabels tags = {};                   // its tags, without the host
  std::optional<AgentInfo> agent = {};    // the one that is connected, or was seen last
  std::vector<std::string> collectors{};  // names of the series with their states
};

using Hosts = std::map<std::string, Host, std::less<>>;

std::string take_label(NameLabels& labels, std::string_view label) {
  const auto at = std::ranges::find(labels, label, &NameLabels::value_type::first);
  if (at == labels.end()) return {};
  std::string value = std::move(at->second);
  labels.erase(at);
  return value;
}

// Calls `visit` with each name of a path, until it returns false.
void for_each_of_path(const Table& table, std::string_view path, const NameIndex::Visit& visit) {
  const std::array matchers = {LabelMatcher{LabelMatcher::Op::kEqual, "__name__", std::string(path)}};
  static_cast<void>(table.names()->select(matchers, visit));  // these matchers are valid
}

// The tags of an agent may change, so a host may have several presence counters.
void add_present(const Table& table, Hosts& hosts) {
  for_each_of_path(table, kPresencePath, [&](std::string_view name) {
    NameLabels labels = labels_of_name(name);
    const std::string host_name = take_label(labels, kHostTag);
    const auto summary = table.summary(name);
    if (host_name.empty() || !summary) return true;
    Host& host = hosts[host_name];
    if (host.last_slot && *host.last_slot >= summary->last_slot) return true;
    host.last_slot = summary->last_slot;
    static_cast<void>(take_label(labels, "__name__"));
    host.tags = std::move(labels);
    return hosts.size() <= kHostsShown;
  });
}

void add_agents(const AgentRegistry& agents, Hosts& hosts) {
  for (AgentInfo& info : agents.list(kHostsShown)) {
    if (info.host().empty()) continue;
    std::optional<AgentInfo>& known = hosts[info.host()].agent;
    const auto rank = [](const AgentInfo& agent) {
      return std::pair(agent.connection.has_value(), agent.row.seen);
    };
    if (!known || rank(*known) < rank(info)) known = std::move(info);
  }
}

const AgentStatus* status_of(const Host& host) {
  const bool has_status = host.agent && host.agent->connection && host.agent->connection->status;
  return has_status ? &*host.agent->connection->status : nullptr;
}

// The value of the newest slot that RAM has of a gauge.
std::optional<double> newest_in_ram(const Table& table, std::string_view name) {
  const auto pieces = table.pieces(name, false);
  if (!pieces) return std::nullopt;
  const std::vector<SlotBucket> buckets = pieces->lists(table.tiers(), true).buckets;
  if (buckets.empty()) return std::nullopt;
  return buckets.back().bucket.max();
}

std::string state_text(double state, std::string_view reason) {
  std::string text = state == 0 ? "ok" : state == 1 ? "degraded" : "unavailable";
  if (!reason.empty()) text.append(": ").append(reason);
  return text;
}

// What the agent said last counts more than the series, which is as old as its last sample.
std::string collector_state(const Table& table, const Host& host, std::string_view collector,
                            const std::string& series) {
  if (const AgentStatus* const status = status_of(host)) {
    const auto trouble = std::ranges::find(status->troubles, collector, &CollectorTrouble::name);
    if (trouble != status->troubles.end()) return state_text(trouble->state, trouble->reason);
    if (status->collectors_not_ok == status->troubles.size()) return "ok";
  }
  const auto state = newest_in_ram(table, series);
  return state ? state_text(*state, {}) : "unknown";
}

void write_collectors(std::string& out, const Table& table, const Host& host) {
  std::map<std::string, const std::string*> series;
  for (const std::string& name : host.collectors) {
    NameLabels labels = labels_of_name(name);
    series[take_label(labels, kCollectorTag)] = &name;
  }
  JsonObject states(out);
  for (const auto& [collector, name] : series)
    states.text(collector, collector_state(table, host, collector, *name));
}

void write_agent(std::string& out, const std::optional<AgentInfo>& agent, Timestamp now) {
  if (!agent) {
    out.append("null");
    return;
  }
  const auto& connection = agent->connection;
  const bool has_status = connection && connection->status;
  JsonObject one(out);
  one.key("connected").append(connection ? "true" : "false");
  one.text("version", agent->agent_version());
  const HostBoot& boot = agent->boot();
  one.text("kernel", boot.kernel);
  one.key("booted_s").append(boot.time == Timestamp() ? "null" : std::to_string(unix_seconds(boot.time)));
  one.number("seen_s", static_cast<double>(unix_seconds(agent->row.seen)));
  one.number("behind_s", static_cast<double>((now - agent->durable.last().time).count()) / 1000);
  one.key("skew_ms").append(connection ? std::to_string(connection->clock_ahead.count()) : "null");
  one.key("spool_bytes").append(has_status ? std::to_string(connection->status->spool_bytes) : "null");
  one.count("gaps", agent->row.gaps);
  one.count("lines_lost", agent->row.lines_lost);
}

struct HostWriter {
  const Table& table;
  const Timestamp now;

  void write(std::string& out, const std::string& name, const Host& host) const {
    const int64_t step_s = table.tiers().finest().step_s;
    JsonObject one(out);
    one.text("host", name);
    one.count("series", host.series);
    one.key("last_s").append(host.last_slot ? std::to_string(*host.last_slot * step_s) : "null");
    // As queries see it (server/query/read/host_presence.h): in the slot under way, or in the one before.
    const bool is_up = host.last_slot && *host.last_slot >= unix_seconds(now) / step_s - 1;
    one.key("up").append(is_up ? "true" : "false");
    {
      JsonObject tags(one.key("tags"));
      for (const auto& [tag, value] : host.tags) tags.text(tag, value);
    }
    write_agent(one.key("agent"), host.agent, now);
    write_collectors(one.key("collectors"), table, host);
  }
};

}  // namespace

std::string hosts_json(const Table& table, const AgentRegistry& agents, Timestamp now) {
  Hosts hosts;
  add_present(table, hosts);
  add_agents(agents, hosts);
  if (const auto counts = table.names()->series_by_value(kHostTag)) {
    for (auto& [name, host] : hosts) {
      if (const auto at = counts->find(name); at != counts->end()) host.series = at->second;
    }
  }
  size_t seen = 0;
  for_each_of_path(table, kCollectorPath, [&](std::string_view name) {
    NameLabels labels = labels_of_name(name);
    const auto at = hosts.find(take_label(labels, kHostTag));
    if (at != hosts.end()) at->second.collectors.emplace_back(name);
    return ++seen < kCollectorSeriesMax;
  });
  std::string out;
  {
    JsonObject report(out);
    report.number("now", static_cast<double>(now.time_since_epoch().count()) / 1000);
    {
      JsonArray list(report.key("hosts"));
      size_t shown = 0;
      const HostWriter writer{table, now};
      for (const auto& [name, host] : hosts) {
        if (shown++ < kHostsShown) writer.write(list.element(), name, host);
      }
    }
    report.key("truncated").append(hosts.size() > kHostsShown ? "true" : "false");
  }
  out.push_back('\n');
  return out;
}

}  // namespace statmill
