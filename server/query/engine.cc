#include "server/query/engine.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "proto/normal_name.h"
#include "server/query/plan.h"
#include "server/query/series_reader.h"
#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {
namespace {

// Looks for the name as it is, then for its normal form, under which the listeners store it.
std::optional<SeriesCopy> copy_by_name(const Table& table, const std::string& name) {
  auto copy = table.copy(name);
  return copy || is_normal_name(name) ? std::move(copy) : table.copy(normal_name(name));
}

struct Resolved {
  std::vector<std::string> names;  // ascending, each once
  RetentionClasses retention;      // their classes
};

Result<Resolved> resolve(const Table& table, const std::vector<std::string>& wanted, size_t series_max,
                         QueryControl& control) {
  std::set<std::string> names;
  for (const std::string& text : wanted) {
    // Names from Graphite and statsd may contain the special bytes of globs, so a glob may also be a name.
    const auto copy = copy_by_name(table, text);
    if (copy) names.insert(copy->name);
    if (!Glob::is_pattern(text)) {
      if (!copy) return Error{ErrorCode::kNotFound, "no series is called \"" + text + "\""};
      continue;
    }
    const auto glob = Glob::parse(text);
    if (!glob && copy) continue;
    if (!glob) return glob.error();
    table.search(*glob, [&](std::string_view name) {
      names.emplace(name);
      return names.size() <= series_max && !control.should_stop();
    });
  }
  if (Status s = control.check(); !s) return s.error();
  if (names.size() > series_max) return control.refuse(QueryLimit::kSeries, names.size());
  Resolved resolved{{names.begin(), names.end()}, {}};
  for (const std::string& name : resolved.names) {
    if (const auto summary = table.summary(name)) resolved.retention.set(summary->retention);
  }
  return resolved;
}

// The found names may belong to other series now, so the query must start again.
Error names_changed() { return {ErrorCode::kBusy, "series kept being deleted or renamed"}; }

// Makes `copy.unflushed` all the buckets that the snapshot does not have, and returns the histograms that it
// does not have. `in_store`: the snapshot has the buckets being flushed, and nothing is left to erase;
// otherwise they are added.
std::vector<SlotHistogram> add_flushing(SeriesCopy& copy, bool in_store) {
  std::vector<SlotHistogram> histograms = copy.unflushed_histograms.histograms();
  if (in_store) {
    copy.erased = {};
    return histograms;
  }
  combine_into(copy.unflushed, copy.flushing,
               copy.kind == Kind::kEvent ? Combine::kAddEvents : Combine::kMerge);
  std::vector<SlotHistogram> flushing = copy.flushing_histograms.histograms();
  std::erase_if(flushing, [&](const SlotHistogram& h) { return copy.erased.has(h.slot); });
  merge_into(histograms, flushing);
  return histograms;
}

// Merges `series` into the only series of the answer.
Status merge_series(QueryAnswer& answer, SeriesAnswer series, size_t histogram_bytes_max) {
  answer.merged.push_back(std::move(series.name));
  if (answer.series.empty()) {
    answer.series.push_back(std::move(series));
    return Status::ok();
  }
  SeriesAnswer& all = answer.series.front();
  size_t bytes = 0;
  for (size_t i = 0; i < all.slots.size(); ++i) {
    all.slots[i].merge(series.slots[i]);
    all.histograms[i].merge(series.histograms[i]);
    bytes += all.histograms[i].memory_bytes();
  }
  return bytes <= histogram_bytes_max ? Status::ok() : Status(histograms_too_large(histogram_bytes_max));
}

// Computes the percentiles of each slot; NaN where the slot has no samples.
void compute_percentiles(std::span<const Percentile> percentiles, SeriesAnswer& series) {
  for (const Percentile& percentile : percentiles) {
    std::vector<double>& values = series.percentiles.emplace_back();
    for (size_t i = 0; i < series.histograms.size(); ++i) {
      const SparseHistogram& histogram = series.histograms[i];
      const Bucket& bucket = series.slots[i];
      const bool has_samples = !histogram.is_empty() && !bucket.is_empty();
      values.push_back(has_samples ? histogram.percentile(percentile.q, bucket.min(), bucket.max())
                                   : std::numeric_limits<double>::quiet_NaN());
    }
  }
}

// Adds a series to the answer, or merges it into the only one.
Status add_series(QueryAnswer& answer, SeriesAnswer series, const QueryRequest& request,
                  size_t histogram_bytes_max) {
  for (const SparseHistogram& histogram : series.histograms)
    answer.joined_histograms += histogram.joined_power() > 0 ? uint64_t{1} : uint64_t{0};
  if (request.merges) return merge_series(answer, std::move(series), histogram_bytes_max);
  compute_percentiles(request.percentiles, series);
  series.histograms.clear();  // those of many series need more memory than an answer may
  answer.series.push_back(std::move(series));
  return Status::ok();
}

}  // namespace

// Copies of series and a snapshot that are consistent with each other (invariant B).
struct QueryEngine::View {
  std::vector<SeriesCopy> copies;
  std::vector<RetentionClass> classes;  // of each copy, read from the store before the snapshot
  std::unique_ptr<StoreSnapshot> snapshot;
  std::array<TickNo, kShardCount> flushed{};  // from the snapshot, for the shards of the copies

  // Reads the flushed ticks of the copies' shards from the snapshot. Returns whether no copy has unflushed
  // buckets that are also in the snapshot. If one has, a flush came between the copies and the snapshot, and
  // the copies must be made again.
  Result<bool> is_consistent();
  // Returns true if the snapshot has the buckets that were being flushed when the copy was made.
  bool has_flushing(const SeriesCopy& copy) const {
    return copy.flushing_tick != 0 && flushed[copy.shard] == copy.flushing_tick;
  }
};

Result<bool> QueryEngine::View::is_consistent() {
  std::bitset<kShardCount> known;
  for (const SeriesCopy& copy : copies) {
    if (!known[copy.shard]) {
      const auto tick = snapshot->flushed_tick(copy.shard);
      if (!tick) return tick.error();
      flushed[copy.shard] = *tick;
      known.set(copy.shard);
    }
    if (flushed[copy.shard] != copy.flushed_tick && !has_flushing(copy)) return false;
  }
  return true;
}

Result<QueryAnswer> QueryEngine::run(const QueryRequest& request, Timestamp now,
                                     QueryControl& control) const {
  constexpr int kTriesMax = 100;  // a change of names takes only an instant between two ticks
  const auto must_end = [&] { return control.is_too_heavy() || control.refused_by().has_value(); };
  Result<QueryAnswer> answer = attempt(request, now, control);
  for (int i = 1; i < kTriesMax && !answer && answer.error().code == ErrorCode::kBusy && !must_end(); ++i)
    answer = attempt(request, now, control);
  return answer;
}

Result<QueryAnswer> QueryEngine::attempt(const QueryRequest& request, Timestamp now,
                                         QueryControl& control) const {
  const uint64_t version = table_.names_version();
  const auto resolved = resolve(table_, request.series, limits_.series_max, control);
  if (!resolved) return table_.names_version() == version ? resolved.error() : names_changed();
  // One plan for all series: its tier covers the range for each of them.
  const Tiers tiers = table_.retention().shortest(resolved->retention);
  const auto plan = make_plan(request, tiers, static_cast<int64_t>(limits_.points_max), now);
  if (!plan) return plan.error();
  const size_t series = resolved->names.size();
  if (plan->points() * series > limits_.points_max) {
    return control.refuse(QueryLimit::kPoints, plan->points() * series);
  }
  // Expired slots and those before a series' first sample cost nothing, so this is the most that it reads.
  const auto slots = static_cast<uint64_t>((plan->until_s - plan->from_s) / tiers[plan->tier].step_s);
  if (Status s = control.add_slots(slots * series); !s) return s.error();
  auto view = make_view(resolved->names, version, request, control);
  if (!view) return view.error();
  return read(*view, *plan, request, now, control);
}

// `version` is the table's names_version() before `names` were found.
Result<QueryEngine::View> QueryEngine::make_view(const std::vector<std::string>& names, uint64_t version,
                                                 const QueryRequest& request,
                                                 const QueryControl& control) const {
  // A shard is flushed every few seconds, so even a second try is rare.
  constexpr int kTriesMax = 1000;
  for (int i = 0; i < kTriesMax; ++i) {
    View view;
    for (const std::string& name : names) {
      if (Status s = control.check(); !s) return s.error();
      auto copy = table_.copy(name, request.wanted);
      if (!copy || (request.merges && copy->kind != Kind::kDistribution)) continue;
      view.classes.push_back(store_.expiry().class_of(copy->id));
      view.copies.push_back(std::move(*copy));
    }
    if (table_.names_version() != version) return names_changed();
    view.snapshot = store_.snapshot();
    const auto consistent = view.is_consistent();
    if (!consistent) return consistent.error();
    if (*consistent) return view;
  }
  return Error{ErrorCode::kBusy, "flushes kept overtaking the query"};
}

Result<QueryAnswer> QueryEngine::read(View& view, const QueryPlan& plan, const QueryRequest& request,
                                      Timestamp now, QueryControl& control) const {
  const auto position = view.snapshot->rollup_position();
  if (!position) return position.error();
  SeriesReader reader(table_.retention(), store_.expiry(), plan, *view.snapshot, *position, unix_seconds(now),
                      request.wanted, limits_.histogram_bytes_max, control);
  const Tiers& tiers = table_.tiers();
  QueryAnswer answer{
      plan.from_s, plan.until_s, plan.step_s, tiers[plan.tier].step_s, tiers.finest().step_s, {}, 0};
  for (size_t i = 0; i < view.copies.size(); ++i) {
    SeriesCopy& copy = view.copies[i];
    const std::vector<SlotHistogram> histograms = add_flushing(copy, view.has_flushing(copy));
    auto series = reader.read(copy, histograms);
    if (!series) return std::move(series).error().with("series " + copy.name);
    // Compactions drop data that are deleted or have a shorter retention now, even if a snapshot has them.
    if (store_.expiry().class_of(copy.id) != view.classes[i]) return names_changed();
    Status added = add_series(answer, std::move(*series), request, limits_.histogram_bytes_max);
    if (!added) return added.error();
  }
  answer.damaged_frames = reader.damaged_frames();
  if (!request.merges) return answer;
  if (answer.series.empty()) return Error{ErrorCode::kNotFound, "none of these series is a distribution"};
  compute_percentiles(request.percentiles, answer.series.front());
  return answer;
}

SeriesPage QueryEngine::list(const Glob& glob, size_t limit) const {
  constexpr int kTriesMax = 100;  // if names change meanwhile, the page mixes old and new ones: try again
  const int64_t step_s = table_.tiers().finest().step_s;
  SeriesPage out;
  for (int i = 0; i < kTriesMax; ++i) {
    const uint64_t version = table_.names_version();
    std::vector<std::string_view> names;
    table_.search(glob, [&](std::string_view name) {
      names.push_back(name);
      return true;
    });
    out = {{}, names.size() > limit};
    const auto end = names.begin() + static_cast<ptrdiff_t>(std::min(limit, names.size()));
    std::partial_sort(names.begin(), end, names.end());
    for (auto name = names.begin(); name != end; ++name) {
      const auto summary = table_.summary(*name);
      if (summary) out.series.push_back({std::string(*name), summary->kind, summary->last_slot * step_s});
    }
    if (table_.names_version() == version) break;
  }
  return out;
}

}  // namespace statmill
