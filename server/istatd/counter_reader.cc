#include "server/istatd/counter_reader.h"

#include <algorithm>
#include <map>

#include "proto/normal_name.h"
#include "server/names/name_index.h"
#include "server/query/tier_choice.h"

namespace statmill::istatd {
namespace {

constexpr int64_t kTrailingSlot_s = 300;
constexpr int64_t kWeek_s = 7 * 86'400;
constexpr int kWeeksMax = 44;  // 0.9^44 < 0.01

// A glob that exactly this name matches.
std::string glob_of_name(const std::string& name) {
  std::string glob = glob_of_prefix(name);
  glob.pop_back();  // the star
  return glob;
}

const Tiers& tiers_of(const CounterSources& sources, const std::string& name) {
  const Retention& retention = sources.retention.get();
  return retention.tiers(retention.class_of(name));
}

// The rows of a series in a range, at the range's interval.
Result<std::vector<CounterRow>> read_rows(const CounterSources& sources, const std::string& name,
                                          const CounterRange& range, QueryControl& control) {
  QueryRequest request;
  request.series = {glob_of_name(name)};
  request.from_s = range.start_s;
  request.until_s = range.end_s;
  if (range.end_s - range.start_s == range.interval_s) {
    request.max_points = 1;
  } else {
    request.step_s = range.interval_s;
  }
  const Timestamp now = sources.clock.wall();
  const auto answer = sources.queries.run(request, now, control);
  if (!answer) return answer.error();
  // Before that nobody knows whether an event was silent.
  const int64_t kept_s = unix_seconds(now) - tiers_of(sources, name).coarsest().retention_s;
  std::vector<CounterRow> rows;
  WorkMeter meter(control);
  for (const SeriesAnswer& series : answer->series) {
    const bool is_event = series.kind == Kind::kEvent;
    const auto slots =
        static_cast<uint64_t>(std::max<int64_t>(answer->bins.step_s / answer->event_slot_s, 1));
    for (size_t i = 0; i < answer->bins.count; ++i) {
      if (Status s = meter.add(1); !s) return s.error();
      const int64_t time_s = answer->bins.begin_s(i);
      Bucket bucket = series.points.bucket_at(i);
      if (series.open && series.open->point == i) bucket.merge(series.open->rate);
      if (is_event && bucket.count() < slots && kept_s <= time_s && time_s <= unix_seconds(now))
        bucket.merge_zeros(slots - bucket.count());
      if (!bucket.is_empty()) rows.push_back(row_of(time_s, bucket));
    }
  }
  return rows;
}

int64_t slot_at(const Tiers& tiers, int64_t time_s, int64_t now_s) {
  return tiers[finest_covering(tiers, time_s, now_s)].step_s;
}

}  // namespace

std::optional<std::string> counter_name(const SeriesCatalog& catalog, std::string_view text) {
  if (text.starts_with('*')) text.remove_prefix(1);
  for (std::string name : {std::string(text), normal_name(text)}) {
    if (!name.empty() && catalog.kind(name)) return name;
  }
  return std::nullopt;
}

Result<CounterAnswer> read_counter(const CounterSources& sources, const std::string& name, AskedRange asked,
                                   QueryControl& control) {
  const int64_t now_s = unix_seconds(sources.clock.wall());
  asked = with_defaults(asked, now_s);
  CounterAnswer answer{counter_range(asked, slot_at(tiers_of(sources, name), asked.start_s, now_s)), {}};
  if (asked.start_s > now_s) return answer;
  auto rows = read_rows(sources, name, answer.range, control);
  if (!rows) return rows.error();
  answer.rows = *std::move(rows);
  return answer;
}

Result<CounterAnswer> read_trailing(const CounterSources& sources, const std::string& name, AskedRange asked,
                                    QueryControl& control) {
  const int64_t now_s = unix_seconds(sources.clock.wall());
  asked = with_defaults(asked, now_s);
  const Tiers& tiers = tiers_of(sources, name);
  const int64_t slot_s = std::max(kTrailingSlot_s, tiers.finest().step_s);
  CounterAnswer answer{counter_range(asked, slot_s), {}};
  if (asked.start_s > now_s) return answer;
  // A row in its list, which grows by doubling, and a list of the map.
  constexpr size_t kRowBytes = 2 * sizeof(CounterRow);
  constexpr size_t kListBytes = 80 + sizeof(std::vector<CounterRow>);
  std::map<int64_t, std::vector<CounterRow>> weeks;  // by time, the oldest first
  size_t rows_kept = 0;
  for (int week = kWeeksMax; week-- > 0;) {
    const CounterRange earlier{answer.range.start_s - week * kWeek_s, answer.range.end_s - week * kWeek_s,
                               slot_s};
    if (earlier.start_s < 0 || slot_at(tiers, earlier.start_s, now_s) > slot_s) continue;
    auto rows = read_rows(sources, name, earlier, control);
    if (!rows) return rows.error();
    for (CounterRow& row : *rows) {
      row.time_s += week * kWeek_s;
      weeks[row.time_s].push_back(row);
    }
    // The next query may start again, which gives back what is held, so this is asked for after each one.
    rows_kept += rows->size();
    const HeldMemory held(control, rows_kept * kRowBytes + weeks.size() * kListBytes);
    if (!held.status()) return held.status().error();
  }
  for (const auto& [time_s, rows] : weeks) answer.rows.push_back(trailing_mean(rows));
  if (answer.range.interval_s != slot_s) {
    const bool is_event = sources.catalog.kind(name) == Kind::kEvent;
    const auto slots = static_cast<uint64_t>(answer.range.interval_s / tiers.finest().step_s);
    answer.rows = merged_rows(answer.rows, answer.range.interval_s,
                              is_event ? std::optional<uint64_t>(slots) : std::nullopt);
    for (CounterRow& row : answer.rows) row.time_s = std::max(row.time_s, answer.range.start_s);
  }
  return answer;
}

}  // namespace statmill::istatd
