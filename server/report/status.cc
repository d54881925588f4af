#include "server/report/status.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "server/json.h"
#include "server/report/writing_report.h"

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
    std::optional<double> dropped;  // of ports for datagrams
  };
  std::map<std::string, Account> accounts;
  for (const Reading& r : readings) {
    const std::string_view path = r.path();
    const bool is_dropped = path == "statmill.udp_datagrams_dropped";
    if (!path.starts_with("statmill.samples_") && !is_dropped) continue;
    Account& account = accounts[std::string(r.tag("listener"))];
    if (is_dropped) account.dropped = r.value();
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
    if (account.dropped) one.number("dropped", *account.dropped);
    JsonObject refused(one.key("refused"));
    for (const auto& [reason, count] : account.refused) refused.number(reason, count);
  }
}

// What a tier has, and for how long it grows.
struct TierReport {
  int64_t step_s = 0;
  int64_t retention_s = 0;
  uint64_t bytes = 0;
  std::optional<int64_t> oldest_s;
  Growth growth = {};
};

// Returns the start of a tier's oldest slot: that of the oldest sample or, where that has expired, of the
// oldest chunk.
std::optional<int64_t> oldest_of(const StatusSources& s, TierNo t, std::optional<ChunkNo> chunk,
                                 int64_t now_s) {
  const Tier& tier = s.table.tiers()[t];
  if (s.table.oldest_slot() == Series::kNoSlot) return std::nullopt;
  const int64_t step_s = s.table.tiers().finest().step_s;
  const int64_t sample_s = s.table.oldest_slot() * step_s / tier.step_s * tier.step_s;
  if (chunk) return std::max(sample_s, int64_t{*chunk} * tier.chunk_span_s());
  // The newest samples are in memory, of the finest tier.
  const int64_t kept_s = now_s - tier.retention_s;
  if (t != 0 || s.table.newest_slot() * step_s < kept_s) return std::nullopt;
  return std::max(sample_s, kept_s / tier.step_s * tier.step_s);
}

std::vector<TierReport> tiers_of(const StatusSources& s, const StoreStats& stats,
                                 const std::optional<DiskForecast::Observed>& observed) {
  const int64_t now_s = unix_seconds(s.clock.wall());
  const Tiers kept = s.table.retention().longest();
  const auto oldest = s.store.oldest_chunks();
  std::vector<TierReport> out;
  for (size_t i = 0; i < stats.tiers.size(); ++i) {
    const auto& [t, bytes] = stats.tiers[i];
    const Tier& tier = s.table.tiers()[t];
    if (kept[t].retention_s == 0) continue;  // no series has this detail
    TierReport one{tier.step_s, tier.retention_s > 0 ? tier.retention_s : kept[t].retention_s, bytes, {}};
    one.oldest_s = oldest_of(s, t, i < oldest.size() ? oldest[i].chunk : std::nullopt, now_s);
    const int64_t grows_s = kept[t].retention_s - (now_s - one.oldest_s.value_or(now_s));
    one.growth.days = static_cast<double>(std::max<int64_t>(grows_s, 0)) / 86'400;
    if (observed && i < observed->tiers.size()) one.growth.bytes_per_day = observed->tiers[i].bytes_per_day;
    out.push_back(one);
  }
  return out;
}

void write_tiers(std::string& out, const std::vector<TierReport>& tiers) {
  JsonArray list(out);
  for (const TierReport& tier : tiers) {
    JsonObject one(list.element());
    one.number("step", static_cast<double>(tier.step_s));
    one.number("retention_s", static_cast<double>(tier.retention_s));
    one.count("bytes", tier.bytes);
    one.key("oldest_s").append(tier.oldest_s ? std::to_string(*tier.oldest_s) : "null");
  }
}

void write_forecast(std::string& out, const std::vector<TierReport>& tiers, const StoreStats& stats,
                    const std::optional<DiskForecast::Observed>& observed) {
  if (!observed || !stats.disk_free_bytes) {
    out.append("null");
    return;
  }
  double per_day = 0;
  std::vector<Growth> parts;
  for (const TierReport& tier : tiers) {
    per_day += tier.growth.bytes_per_day;
    parts.push_back(tier.growth);
  }
  const auto days = days_until_grown(std::move(parts), static_cast<double>(*stats.disk_free_bytes));
  JsonObject forecast(out);
  forecast.number("observed_s", static_cast<double>(observed->over.count() / 1000));
  forecast.number("bytes_per_day", std::round(per_day));
  forecast.key("full_in_days").append(days ? "" : "null");
  if (days) append_number(out, std::round(*days * 10) / 10);
}

void write_listeners(std::string& out, std::span<const ListenerAddress> listeners) {
  JsonObject addresses(out);
  for (const ListenerAddress& listener : listeners) addresses.text(listener.name, listener.address);
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
  const StoreStats store = s.store.stats();
  const std::optional<DiskForecast::Observed> observed = s.forecast.observed();
  const std::vector<TierReport> tiers = tiers_of(s, store, observed);
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
    if (!s.recording.empty()) status.text("recording", s.recording);
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
    write_tiers(status.key("tiers"), tiers);
    write_forecast(status.key("disk_forecast"), tiers, store, observed);
    write_store(status.key("store"), store, readings);
    write_disk_writes(status.key("disk_writes"), s.writes);
    status.number("store_memory_bytes", static_cast<double>(store.memory_bytes));
    status.number("damaged_frames", static_cast<double>(store.damaged_frames));
    status.number("store_reopenings", static_cast<double>(store.reopenings));
    status.number("open_tick", value_of(readings, "statmill.open_tick"));
    status.number("durable_tick", value_of(readings, "statmill.durable_tick"));
    write_listeners(status.key("listeners"), s.listeners);
    write_samples(status.key("samples"), readings);
    status.number("connection_count", static_cast<double>(s.connections.limit().count()));
    write_connections(status.key("connections"), s.connections);
  }
  return out;
}

}  // namespace statmill
