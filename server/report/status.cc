#include "server/report/status.h"

#include <algorithm>
#include <map>

#include "server/json.h"

namespace statmill {
namespace {

double value_of(const std::vector<Reading>& readings, std::string_view name) {
  const auto found =
      std::find_if(readings.begin(), readings.end(), [&](const Reading& r) { return r.name == name; });
  return found == readings.end() ? 0 : found->value();
}

// listener -> received, accepted, refused by reason.
void write_samples(std::string& out, const std::vector<Reading>& readings) {
  struct Account {
    double received = 0;
    double accepted = 0;
    std::map<std::string, double> refused;
  };
  std::map<std::string, Account> accounts;
  for (const Reading& r : readings) {
    const std::string_view path = r.path();
    if (!path.starts_with("statmill.samples_")) continue;
    Account& account = accounts[std::string(r.tag("listener"))];
    if (path == "statmill.samples_received") account.received = r.value();
    if (path == "statmill.samples_accepted") account.accepted = r.value();
    if (path == "statmill.samples_refused" && r.count > 0)
      account.refused[std::string(r.tag("reason"))] = r.value();
  }
  JsonObject samples(out);
  for (const auto& [listener, account] : accounts) {
    JsonObject one(samples.key(listener));
    one.number("received", account.received);
    one.number("accepted", account.accepted);
    JsonObject refused(one.key("refused"));
    for (const auto& [reason, count] : account.refused) refused.number(reason, count);
  }
}

void write_connections(std::string& out, const ConnectionRegistry& connections) {
  JsonArray list(out);
  for (const Connection& c : connections.list(kStatusConnectionsMax)) {
    JsonObject one(list.element());
    one.text("peer", c.peer);
    one.number("since", static_cast<double>(unix_seconds(c.since)));
    JsonObject metadata(one.key("metadata"));
    for (const auto& [key, text] : c.metadata) metadata.text(key, text);
  }
}

}  // namespace

std::string status_json(const StatusSources& s) {
  const StoreStats& store = s.store;
  const std::vector<Reading> readings = s.registry.read();
  const Health::Parts problems = s.health.problems();
  std::string out;
  {
    JsonObject status(out);
    status.text("version", STATMILL_VERSION);
    status.number("now", static_cast<double>(s.clock.wall().time_since_epoch().count()) / 1000);
    status.text("build", s.build);
    status.key("writable").append(s.reader.may_write ? "true" : "false");
    status.key("admin").append(s.reader.may_administer ? "true" : "false");
    status.key("demo").append(s.is_demo ? "true" : "false");
    status.number("uptime_s",
                  std::chrono::floor<std::chrono::duration<double>>(s.clock.steady() - s.started).count());
    status.key("ready").append(problems.empty() ? "true" : "false");
    {
      JsonObject list(status.key("problems"));
      for (const auto& [part, problem] : problems) list.text(part, problem);
    }
    {
      JsonObject list(status.key("warnings"));
      for (const auto& [part, warning] : s.health.warnings()) list.text(part, warning);
    }
    status.number("series", static_cast<double>(s.table.series_count()));
    status.text("retention", s.table.tiers().text());
    status.number("pending_bytes", static_cast<double>(s.table.ram_bytes()));
    status.number("disk_bytes", static_cast<double>(store.bytes_on_disk));
    if (store.disk_free_bytes) status.number("disk_free_bytes", static_cast<double>(*store.disk_free_bytes));
    status.number("store_memory_bytes", static_cast<double>(store.memory_bytes));
    status.number("damaged_frames", static_cast<double>(store.damaged_frames));
    status.number("store_reopenings", static_cast<double>(store.reopenings));
    status.number("open_tick", value_of(readings, "statmill.open_tick"));
    status.number("durable_tick", value_of(readings, "statmill.durable_tick"));
    write_samples(status.key("samples"), readings);
    status.number("connection_count", static_cast<double>(s.connections.limit().count()));
    write_connections(status.key("connections"), s.connections);
  }
  return out;
}

}  // namespace statmill
