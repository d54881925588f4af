#include "server/report/writing_report.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "server/json.h"

namespace statmill {
namespace {

constexpr double kDaysPerYear = 365.25;

bool is_stalled(const std::vector<Reading>& readings, std::string_view how) {
  return std::ranges::any_of(readings, [&](const Reading& reading) {
    return reading.path() == "statmill.store_stalled" && reading.tag("how") == how && reading.value() > 0;
  });
}

void write_optional(std::string& out, std::optional<double> value) {
  if (value) {
    append_number(out, *value);
  } else {
    out.append("null");
  }
}

}  // namespace

void write_store(std::string& out, const StoreStats& stats, const std::vector<Reading>& readings) {
  JsonObject store(out);
  store.count("live_bytes", stats.database.live);
  store.count("file_bytes", stats.database.files);
  store.count("obsolete_bytes", stats.database.obsolete);
  store.count("log_bytes", stats.database.log);
  store.count("compaction_debt_bytes", stats.database.compaction_debt);
  {
    JsonObject written(store.key("written_bytes"));
    written.count("log", stats.written.log);
    written.count("flush", stats.written.flush);
    written.count("compaction", stats.written.compaction);
  }
  store.text("stall", is_stalled(readings, "stopped")  ? "stopped"
                      : is_stalled(readings, "slowed") ? "slowed"
                                                       : "none");
  store.count("slowdowns", stats.stalls.slowdowns);
  store.count("stops", stats.stalls.stops);
  store.number("stalled_s", std::chrono::duration<double>(stats.stalls.time).count());
  store.count("cache_hits", stats.cache.hits);
  store.count("cache_misses", stats.cache.misses);
  const auto hits = static_cast<double>(stats.cache.hits);
  const double lookups = hits + static_cast<double>(stats.cache.misses);
  write_optional(store.key("cache_hit_ratio"),
                 lookups > 0 ? std::optional(std::round(hits / lookups * 1e4) / 1e4) : std::nullopt);
}

void write_disk_writes(std::string& out, const WriteRate& rate) {
  const std::optional<WriteRate::Observed> observed = rate.observed();
  if (!observed) {
    out.append("null");
    return;
  }
  JsonObject writes(out);
  writes.number("observed_s", static_cast<double>(observed->over.count() / 1000));
  writes.count("samples", observed->samples);
  std::string& per_sample = writes.key("bytes_per_sample");
  if (observed->samples == 0) {
    per_sample.append("null");
  } else {
    const auto rounded = [&](uint64_t bytes) { return std::round(*observed->per_sample(bytes) * 100) / 100; };
    JsonObject parts(per_sample);
    parts.number("log", rounded(observed->files.log));
    parts.number("flush", rounded(observed->files.flush));
    parts.number("compaction", rounded(observed->files.compaction));
    parts.number("all", rounded(observed->files.total()));
  }
  const auto& per_day = observed->disk_bytes_per_day;
  write_optional(writes.key("bytes_per_day"), per_day ? std::optional(std::round(*per_day)) : std::nullopt);
  writes.key("rated_tb").append(rate.rated_tb() > 0 ? std::to_string(rate.rated_tb()) : "null");
  const auto& life = observed->life_days;
  write_optional(writes.key("rated_years"),
                 life ? std::optional(std::round(*life / kDaysPerYear * 10) / 10) : std::nullopt);
}

}  // namespace statmill
