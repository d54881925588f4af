#include "server/query/engine.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <span>

#include "proto/canonical_name.h"
#include "server/query/attempts.h"
#include "server/query/bin_reader.h"
#include "server/query/columns_memory.h"
#include "server/query/family_lookup.h"
#include "server/query/table_series.h"
#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {
namespace {

// Looks for the name as it is, then for its canonical spelling, under which it is stored.
std::optional<std::string> stored_name(const Table& table, const std::string& name) {
  if (table.summary(name)) return name;
  auto spelled = spelled_name(name);
  if (!spelled || !table.summary(*spelled)) return std::nullopt;
  return *std::move(spelled);
}

// Adds the names of the series that satisfy all matchers.
Status add_matching(const Table& table, const std::vector<LabelMatcher>& matchers, QueryControl& control,
                    std::set<std::string>& names) {
  if (matchers.empty()) return Status::ok();
  auto found = TableSeries(table).select(matchers, control);
  if (!found) return found.error();
  for (SeriesRef& series : *found) names.insert(std::move(series.name));
  return Status::ok();
}

// The found names may belong to other series now, so the query must start again.
Error names_changed() { return {ErrorCode::kBusy, "series kept being deleted or renamed"}; }

Status check_histograms(const SlotColumns& points, QueryControl& control) {
  size_t bytes = 0;
  for (const SlotHistogram& h : points.histograms) bytes += sizeof(h) + h.histogram.memory_bytes();
  if (bytes <= control.limits().histogram_bytes_max) return Status::ok();
  return control.refuse(QueryLimit::kHistogramBytes, bytes);
}

// Computes the percentiles of each point; NaN where the point has no samples.
void compute_percentiles(std::span<const Percentile> percentiles, SeriesAnswer& series) {
  for (const Percentile& percentile : percentiles) {
    std::vector<double>& values = series.percentiles.emplace_back();
    if (series.kind != Kind::kDistribution) continue;
    values.assign(series.points.size(), std::numeric_limits<double>::quiet_NaN());
    for (const SlotHistogram& h : series.points.histograms) {
      const auto point = static_cast<size_t>(h.slot);
      const Bucket bucket = series.points.bucket_at(point);
      if (!bucket.is_empty())
        values[point] = h.histogram.percentile(percentile.q, bucket.min(), bucket.max());
    }
  }
}

std::optional<SeriesAbout> about_of(const SeriesFacts& facts, const Retention& retention, Timestamp now) {
  if (facts.first_slot < 0) return std::nullopt;
  const Tiers& tiers = retention.tiers(facts.retention);
  const int64_t step_s = tiers.finest().step_s;
  return SeriesAbout{facts.first_slot * step_s, facts.last_slot * step_s,
                     unix_seconds(now) - tiers.coarsest().retention_s};
}

std::optional<SeriesAbout> merged_about(const std::optional<SeriesAbout>& one,
                                        const std::optional<SeriesAbout>& other) {
  if (!one || !other) return one ? one : other;
  return SeriesAbout{std::min(one->first_s, other->first_s), std::max(one->last_s, other->last_s),
                     std::min(one->kept_from_s, other->kept_from_s)};
}

// The memory of its points, which the answer holds until its client has read them.
size_t memory_bytes_of(const SeriesAnswer& series) {
  size_t bytes = column_bytes(series.points);
  for (const std::vector<double>& values : series.percentiles) bytes += values.size() * sizeof(double);
  return bytes;
}

// Adds a series to the answer, or merges it into the only one.
Status add_series(QueryAnswer& answer, SeriesAnswer series, const QueryRequest& request,
                  QueryControl& control) {
  for (const SlotHistogram& h : series.points.histograms)
    answer.joined_histograms += h.histogram.joined_power() > 0 ? uint64_t{1} : uint64_t{0};
  if (request.merges) {
    answer.merged.push_back(std::move(series.name));
    if (answer.series.empty()) {
      answer.series.push_back(std::move(series));
    } else {
      SeriesAnswer& merged = answer.series.front();
      merged.points.add(series.points, Combine::kMerge);
      if (merged.unit != series.unit) merged.unit.clear();
      merged.joined_power = std::max(merged.joined_power, series.joined_power);
      merged.about = merged_about(merged.about, series.about);
    }
    return check_histograms(answer.series.front().points, control);
  }
  if (Status s = check_histograms(series.points, control); !s) return s;
  compute_percentiles(request.percentiles, series);
  // Those of many series need more memory than an answer may.
  if (!request.keeps_histograms) series.points.histograms.clear();
  if (Status s = control.take_memory(memory_bytes_of(series)); !s) return s;
  answer.series.push_back(std::move(series));
  return Status::ok();
}

// Reads some series of one view, and adds them to an answer.
class ViewAnswer {
 public:
  ViewAnswer(const Table& table, Store& store, const BinPlan& plan, const QueryRequest& request,
             Timestamp now, SeriesView& view, QueryControl& control, HostPresence& presence)
      : request_(request),
        control_(control),
        view_(view),
        retention_(table.retention()),
        now_(now),
        families_(table.families()),
        reader_(table.retention(), store.expiry(), view, now, request.parts, control, &presence),
        bins_(table.tiers(), plan, reader_, now) {
    if (!request.step_s) reader_.want_dense_detail();
  }

  bool lacks_detail() const { return reader_.lacks_detail(); }

  Status add_to(QueryAnswer& answer, std::span<const std::string> names) {
    std::vector<size_t> wanted;
    for (size_t i = 0; i < view_.size(); ++i) {
      if (!request_.merges || view_.facts(i).kind == Kind::kDistribution) wanted.push_back(i);
    }
    for (size_t begin = 0; begin < wanted.size(); begin += kBlockSeries) {
      const auto block = std::span(wanted).subspan(begin, std::min(kBlockSeries, wanted.size() - begin));
      if (Status s = control_.check(); !s) return s;
      auto bins = bins_.read(block);
      if (!bins) return bins.error();
      for (size_t k = 0; k < block.size(); ++k) {
        const size_t i = block[k];
        // Compactions drop data that are deleted or have a shorter retention now, even if a snapshot has
        // them.
        if (!view_.is_valid(i)) return names_changed();
        if (Status s = control_.check(); !s) return s;
        SeriesBins& read = (*bins)[k];
        const Kind kind = view_.facts(i).kind;
        SeriesAnswer series{names[i], kind, std::move(read.points), read.open};
        series.unit = families_.of(names[i], kind).unit;
        series.joined_power = view_.facts(i).joined_power;
        if (request_.wants_about) series.about = about_of(view_.facts(i), retention_, now_);
        if (Status s = add_series(answer, std::move(series), request_, control_); !s) return s;
      }
    }
    answer.damaged_frames += reader_.damaged_frames();
    control_.add_cost({.series = wanted.size(),
                       .chunks = reader_.chunks(),
                       .cached = reader_.cached(),
                       .bytes = reader_.bytes()});
    return Status::ok();
  }

 private:
  const QueryRequest& request_;
  QueryControl& control_;
  SeriesView& view_;
  const Retention& retention_;
  const Timestamp now_;
  FamilyLookup families_;
  ColumnReader reader_;
  BinReader bins_;
};

}  // namespace

struct QueryEngine::Resolved {
  std::vector<std::string> names;    // ascending, each once
  std::vector<SeriesId> ids;         // theirs
  RetentionClasses retention;        // their classes
  std::vector<std::string> missing;  // if the request lists them
};

Result<QueryEngine::Resolved> QueryEngine::resolve(const QueryRequest& request, QueryControl& control) const {
  Resolved out;
  std::set<std::string> names;
  if (Status s = add_matching(table_, request.matchers, control, names); !s) return s.error();
  for (const std::string& text : request.series) {
    // Names from Graphite and statsd may contain the special bytes of globs, so a glob may also be a name.
    const auto name = stored_name(table_, text);
    if (name) names.insert(*name);
    if (!Glob::is_pattern(text)) {
      if (name) continue;
      if (!request.lists_missing) return Error{ErrorCode::kNotFound, "no series is called \"" + text + "\""};
      out.missing.push_back(text);
      continue;
    }
    const auto glob = Glob::parse(with_blanks_escaped(text));
    if (!glob && name) continue;
    if (!glob) return glob.error();
    const auto add = [&](std::string_view found) {
      names.emplace(found);
      return names.size() <= limits_.series_max;
    };
    if (!table_.names()->search(*glob, add, [&] { return control.should_stop(); })) break;
  }
  if (Status s = control.check(); !s) return s.error();
  if (names.size() > limits_.series_max) return control.refuse(QueryLimit::kSeries, names.size());
  for (const std::string& name : names) {
    const auto summary = table_.summary(name);
    if (!summary) continue;
    out.names.push_back(name);
    out.ids.push_back(summary->id);
    out.retention.set(summary->retention);
  }
  return out;
}

Result<QueryAnswer> QueryEngine::run(const QueryRequest& request, Timestamp now,
                                     QueryControl& control) const {
  return run_attempts(table_.live_retention(), control, [&] { return attempt(request, now, control); });
}

Result<QueryAnswer> QueryEngine::attempt(const QueryRequest& request, Timestamp now,
                                         QueryControl& control) const {
  const uint64_t version = table_.names_version();
  const auto resolved = resolve(request, control);
  if (table_.names_version() != version) return names_changed();
  if (!resolved) return resolved.error();
  // One plan for all series: its tiers have the range for each of them.
  const Tiers kept = table_.retention().shortest(resolved->retention);
  auto answer = read(request, *resolved, kept, now, control);
  if (answer && !*answer) answer = read(request, *resolved, kept.without_detail(), now, control);
  if (!answer) return answer.error();
  return **std::move(answer);
}

// Returns nullopt if the plan reads the detail tier, and that lacks samples which the finest tier has.
Result<std::optional<QueryAnswer>> QueryEngine::read(const QueryRequest& request, const Resolved& resolved,
                                                     const Tiers& kept, Timestamp now,
                                                     QueryControl& control) const {
  const auto plan = plan_bins(request, kept, static_cast<int64_t>(limits_.points_max), now);
  if (!plan) return plan.error();
  const size_t count = resolved.names.size();
  const size_t points = plan->bins.count * std::max<size_t>(count, 1);
  if (points > limits_.points_max) return control.refuse(QueryLimit::kPoints, points);
  // Expired slots and those before a series' first sample cost nothing, so this is the most that it reads.
  const auto slots =
      static_cast<uint64_t>((plan->bins.until_s - plan->bins.from_s) / kept[plan->tier].step_s);
  if (Status s = control.add_slots(slots * count); !s) return s.error();
  const Tiers& tiers = table_.tiers();
  const int64_t totals_s = totals_tier(*plan, tiers).step_s;
  QueryAnswer answer{plan->bins, tiers[plan->tier].step_s, totals_s, {}};
  answer.until_ms = rates_until_ms(now, totals_s * 1000);
  const TableSeries selector(table_);
  HostPresence presence({selector, pieces_, table_.live_retention(), store_.expiry()}, control, now);
  for (size_t begin = 0; begin < count; begin += kViewSeries) {
    const size_t some = std::min(kViewSeries, count - begin);
    std::vector<SeriesRef> refs;
    for (size_t i = begin; i < begin + some; ++i) refs.push_back({resolved.names[i], resolved.ids[i]});
    auto view = pieces_.view(refs, request.parts.histograms);
    if (!view) return view.error();
    ViewAnswer some_series(table_, store_, *plan, request, now, **view, control, presence);
    Status added = some_series.add_to(answer, std::span(resolved.names).subspan(begin, some));
    if (!added) return added.error();
    if (some_series.lacks_detail()) {
      if (!request.merges)
        for (const SeriesAnswer& series : answer.series) control.give_memory(memory_bytes_of(series));
      return std::optional<QueryAnswer>();
    }
  }
  answer.missing = resolved.missing;
  if (!request.merges) return std::optional(std::move(answer));
  if (answer.series.empty()) {
    if (!request.lists_missing || count > 0)
      return Error{ErrorCode::kNotFound, "none of these series is a distribution"};
    answer.series.push_back({"", Kind::kDistribution, SlotColumns(0, plan->bins.count, request.parts)});
  }
  compute_percentiles(request.percentiles, answer.series.front());
  return std::optional(std::move(answer));
}

Result<StatTable> QueryEngine::table(const StatTableRequest& request, Timestamp now,
                                     QueryControl& control) const {
  return run_attempts(table_.live_retention(), control, [&] {
    return read_stat_table({table_, store_, cache_}, request, now, control);
  });
}

Result<ChangesAnswer> QueryEngine::changes(const ChangesRequest& request, Timestamp now,
                                           QueryControl& control) const {
  return run_attempts(table_.live_retention(), control, [&] {
    return read_changes({table_, store_, cache_}, request, now, control);
  });
}

}  // namespace statmill
