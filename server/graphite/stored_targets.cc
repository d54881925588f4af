#include "server/graphite/stored_targets.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/text.h"
#include "proto/canonical_name.h"
#include "proto/name_escapes.h"
#include "server/graphite/group_buckets.h"
#include "server/graphite/tag_expression.h"
#include "server/query/bin_reader.h"
#include "server/query/bins.h"
#include "server/query/labels.h"
#include "server/query/query.h"

namespace statmill::graphite {
namespace {

using Op = LabelMatcher::Op;
using Kind = Summary::Kind;

constexpr size_t kPartsMax = 32;  // the labels of parts that selectors know

std::string part_label(size_t part) {
  return std::string("__n0") + (part < 10 ? "0" : "") + std::to_string(part) + "__";
}

std::string quoted(char c) { return re2::RE2::QuoteMeta(re2::StringPiece(&c, 1)); }

// Appends a set of bytes, [abc], from its bracket on; returns where it ends, or npos if it does not.
size_t append_set(std::string& regex, std::string_view part, size_t begin) {
  const size_t end = part.find(']', begin + 1);
  if (end == std::string_view::npos) return end;
  std::string_view inside = part.substr(begin + 1, end - begin - 1);
  regex += '[';
  if (inside.starts_with('!')) {
    regex += '^';
    inside.remove_prefix(1);
  }
  for (const char c : inside) c == '-' ? regex.push_back(c) : void(regex.append(quoted(c)));
  regex += ']';
  return end;
}

// Returns a matcher of one part of a path: a text, or the regular expression of a glob.
Result<LabelMatcher> part_matcher(size_t number, std::string_view part) {
  std::string text;
  std::string regex;
  bool is_glob = false;
  bool is_braced = false;
  for (size_t i = 0; i < part.size(); ++i) {
    char c = part[i];
    const bool is_escaped = c == '\\' && i + 1 < part.size();
    if (is_escaped) c = part[++i];
    is_glob = is_glob || (!is_escaped && std::string_view("*?[{").find(c) != std::string_view::npos);
    text += c;
    if (is_escaped) {
      regex += quoted(c);
    } else if (c == '*') {
      regex += ".*";
    } else if (c == '?') {
      regex += '.';
    } else if (c == '[') {
      i = append_set(regex, part, i);
      if (i == std::string_view::npos)
        return Error{ErrorCode::kInvalid, "the set of " + visible_text(part) + " has no end"};
    } else if (c == '{') {
      is_braced = true;
      regex += "(?:";
    } else if (c == '}' && is_braced) {
      is_braced = false;
      regex += ')';
    } else {
      regex += c == ',' && is_braced ? "|" : quoted(c);
    }
  }
  return LabelMatcher{is_glob ? Op::kMatches : Op::kEqual, part_label(number),
                      is_glob ? "(?s:" + regex + ")" : text};
}

// The parts of a path; a dot after a backslash does not end one.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out(1);
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '.') {
      out.emplace_back();
      continue;
    }
    out.back() += path[i];
    if (path[i] == '\\' && i + 1 < path.size()) out.back() += path[++i];
  }
  for (std::string& part : out)
    if (has_escape(part)) part = unescaped(part);
  return out;
}

std::string with_tags(std::string_view path) {
  std::string plain;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && i + 1 < path.size()) ++i;
    plain += path[i];
  }
  const auto spelled = spelled_name(plain);
  return spelled ? *spelled : plain;
}

Parts parts_to_read(const Summary& read) {
  switch (read.kind) {
    case Kind::kMin:
    case Kind::kMax:
      return {.extremes = true};
    case Kind::kStddev:
      return {.extremes = true, .squares = true};
    case Kind::kPercentile:
      return {.extremes = true, .histograms = true};
    default:
      return {};
  }
}

Stat stat_of(const Summary& read) {
  switch (read.kind) {
    case Kind::kSum:
      return Stat::kSum;
    case Kind::kMin:
      return Stat::kMin;
    case Kind::kMax:
      return Stat::kMax;
    case Kind::kCount:
      return Stat::kCount;
    case Kind::kStddev:
      return Stat::kStddev;
    default:
      return Stat::kAvg;
  }
}

// The bands that begin in (from, until], and what of them is not after the slot of `until`. If one point is
// asked for, all slots that begin there.
BinPlan bands_of(const FetchRequest& request, const Tiers& tiers, BinPlan plan) {
  const int64_t step_s = plan.bins.step_s;
  const int64_t slot_s = tiers[plan.edge_tier].step_s;
  Bins& bins = plan.bins;
  if (request.points == 1) {
    const int64_t until_s = request.until_s / slot_s * slot_s + slot_s;
    bins.first_s = bins.from_s = std::min(request.from_s / slot_s * slot_s + slot_s, until_s - slot_s);
    bins.until_s = until_s;
    bins.step_s = until_s - bins.first_s;
    bins.count = 1;
    return plan;
  }
  bins.first_s = request.from_s / step_s * step_s + step_s;
  const int64_t last_s = std::max(request.until_s / step_s * step_s, bins.first_s);
  bins.count = static_cast<size_t>((last_s - bins.first_s) / step_s) + 1;
  bins.from_s = bins.first_s;
  bins.until_s = std::clamp(request.until_s / slot_s * slot_s + slot_s, bins.first_s + slot_s, bins.end_s());
  if (!tiers.is_detail(plan.edge_tier)) return plan;
  const int64_t finest_s = tiers.finest().step_s;  // the detail tier is read in whole slots of it
  bins.from_s = bins.first_s / finest_s * finest_s;
  bins.until_s = (bins.until_s + finest_s - 1) / finest_s * finest_s;
  return plan;
}

}  // namespace

// Reads the series of views. Those of one view and one class of retention have one plan.
class StoredTargets::ViewReader {
 public:
  ViewReader(StoredTargets& of, const FetchRequest& request, const Retention& retention,
             HostPresence& presence)
      : of_(of),
        request_(request),
        retention_(retention),
        presence_(presence),
        groups_(request.group_of, of.control_) {}

  Status read(SeriesView& view, std::span<const SeriesRef> refs, SeriesList& out) {
    view_ = &view;
    std::map<RetentionClass, std::vector<size_t>> classes;
    for (size_t i = 0; i < view.size(); ++i) classes[view.facts(i).retention].push_back(i);
    for (const auto& [retention, all] : classes) {
      const Tiers& tiers = retention_.tiers(retention);
      // A function that sees values one by one may count them, so its step is never one of seconds.
      auto is_read = request_.points > 1 ? read_class(tiers, all, refs, out) : Result<bool>(false);
      if (is_read && !*is_read) is_read = read_class(tiers.without_detail(), all, refs, out);
      if (!is_read) return is_read.error();
    }
    return Status::ok();
  }

 private:
  // Returns false, and adds no series, if the plan is one of the detail tier, and that lacks samples.
  Result<bool> read_class(const Tiers& tiers, std::span<const size_t> all, std::span<const SeriesRef> refs,
                          SeriesList& out) {
    const size_t points = request_.points > 0 ? std::min(request_.points, kFinePoints) : kFinePoints;
    const QueryRequest range{.series = {},
                             .from_s = request_.from_s,
                             .until_s = request_.until_s,
                             .step_s = {},
                             .max_points = static_cast<int64_t>(points)};
    const auto plan = plan_bins(range, tiers, std::numeric_limits<int64_t>::max(), of_.now_);
    if (!plan) return plan.error();
    const BinPlan bands = bands_of(request_, tiers, *plan);
    const size_t before = out.size();
    for (size_t begin = 0; begin < all.size(); begin += kBlockSeries) {
      const auto block = all.subspan(begin, std::min(kBlockSeries, all.size() - begin));
      const auto is_read = read_block(tiers, bands, block, refs, out);
      if (!is_read) return is_read.error();
      if (*is_read) continue;
      for (size_t i = before; i < out.size(); ++i) of_.control_.give_memory(out[i].memory_bytes());
      out.erase(out.begin() + static_cast<ptrdiff_t>(before), out.end());
      groups_.discard();
      return false;
    }
    if (Status s = groups_.keep(out); !s) return s.error();
    return true;
  }

  Result<bool> read_block(const Tiers& tiers, const BinPlan& plan, std::span<const size_t> block,
                          std::span<const SeriesRef> refs, SeriesList& out) {
    QueryControl& control = of_.control_;
    if (Status s = control.check(); !s) return s.error();
    const auto slots =
        static_cast<uint64_t>((plan.bins.until_s - plan.bins.from_s) / tiers[plan.tier].step_s);
    if (Status s = control.add_slots(slots * block.size()); !s) return s.error();
    const Parts parts = parts_to_read(request_.read);
    ColumnReader reader(retention_, of_.sources_.expiry, *view_, of_.now_, parts, control, &presence_);
    reader.want_dense_detail();
    auto bins = BinReader(tiers, plan, reader, of_.now_).read(block);
    if (!bins) return bins.error();
    control.add_cost({.series = block.size(),
                      .chunks = reader.chunks(),
                      .cached = reader.cached(),
                      .bytes = reader.bytes()});
    if (reader.lacks_detail()) return false;
    const int64_t totals_s = totals_tier(plan, tiers).step_s;
    QueryAnswer frame{plan.bins, tiers[plan.tier].step_s, totals_s, {}};
    frame.until_ms = rates_until_ms(of_.now_, totals_s * 1000);
    for (size_t k = 0; k < block.size(); ++k) {
      if (!view_->is_valid(block[k])) return Error{ErrorCode::kBusy, "series kept being deleted or renamed"};
      SeriesBins& read = (*bins)[k];
      const SeriesAnswer answer{refs[block[k]].name, view_->facts(block[k]).kind, std::move(read.points),
                                read.open};
      auto series = series_of(frame, answer);
      if (!series) return series.error();
      out.push_back(*std::move(series));
      if (request_.keeps_buckets) out.back().buckets = buckets_of(answer);
      if (request_.group_of) {
        if (Status s = groups_.add(out); !s) return s.error();
      }
      if (Status s = control.take_memory(out.back().memory_bytes()); !s) return s.error();
    }
    return true;
  }

  Result<Series> series_of(const QueryAnswer& frame, const SeriesAnswer& from) {
    Series out;
    out.name = from.name;
    out.path = request_.text;
    out.start_s = frame.bins.first_s;
    out.step_s = frame.bins.step_s;
    out.end_s = frame.bins.end_s();
    const SeriesLabels labels = SeriesLabels::of_name(from.name);
    for (const auto& [label, value] : labels.all()) out.tags.emplace(tag_of_label(label), value);
    out.values.assign(frame.bins.count, kNoValue);
    if (request_.read.kind == Kind::kPercentile) {
      if (from.kind != statmill::Kind::kDistribution)
        return Error{ErrorCode::kInvalid,
                     "percentiles are of distributions only, and \"" + from.name + "\" is none"};
      for (const SlotHistogram& one : from.points.histograms) {
        const auto point = static_cast<size_t>(one.slot);
        const Bucket bucket = from.points.bucket_at(point);
        if (!bucket.is_empty())
          out.values[point] = one.histogram.percentile(request_.read.quantile, bucket.min(), bucket.max());
      }
      return out;
    }
    for (size_t i = 0; i < out.values.size(); ++i) {
      const auto number = stat_at(stat_of(request_.read), frame, from, i);
      if (!number) continue;
      out.values[i] = number->value();
      if (request_.read.kind == Kind::kStddev) out.values[i] *= of_population(frame, from, i);
    }
    return out;
  }

  // The slot under way counts as its rate so far.
  static std::shared_ptr<const SlotColumns> buckets_of(const SeriesAnswer& from) {
    auto out = std::make_shared<SlotColumns>(from.points);
    if (from.open && from.open->point < out->size())
      out->add(from.open->point, from.open->rate_so_far, Combine::kMerge);
    return out;
  }

  // Graphite's deviations divide by n, those of buckets by n - 1.
  static double of_population(const QueryAnswer& frame, const SeriesAnswer& from, size_t point) {
    const auto count = stat_at(Stat::kCount, frame, from, point);
    const double n = count ? count->value() : 0;
    return n > 1 ? std::sqrt((n - 1) / n) : 0;
  }

  StoredTargets& of_;
  const FetchRequest& request_;
  const Retention& retention_;
  HostPresence& presence_;
  GroupBuckets groups_;
  SeriesView* view_ = nullptr;  // that is read
};

Result<std::vector<LabelMatcher>> matchers_of_path(std::string_view path) {
  std::vector<LabelMatcher> out;
  if (path.find(';') != std::string_view::npos) {
    const SeriesLabels labels = SeriesLabels::of_name(with_tags(path));
    for (const auto& [label, value] : labels.all()) out.push_back({Op::kEqual, label, value});
    return out;
  }
  const std::vector<std::string> parts = parts_of(path);
  if (parts.size() > kPartsMax)
    return Error{ErrorCode::kInvalid, "a path has more than " + std::to_string(kPartsMax) + " parts"};
  for (size_t i = 0; i < parts.size(); ++i) {
    auto matcher = part_matcher(i, parts[i]);
    if (!matcher) return matcher.error();
    out.push_back(*std::move(matcher));
  }
  // A part that a path does not have is empty, which a star matches, too.
  out.push_back({Op::kNotEqual, part_label(parts.size() - 1), ""});
  if (parts.size() < kPartsMax) out.push_back({Op::kEqual, part_label(parts.size()), ""});
  out.push_back({Op::kNotEqual, "__graphite__", "*;*"});
  return out;
}

Result<SeriesList> StoredTargets::fetch(const FetchRequest& asked) {
  FetchRequest request = asked;
  request.until_s = std::min(request.until_s, unix_seconds(now_));  // the future has no values
  SeriesList out;
  if (request.from_s >= request.until_s) return out;
  const auto matchers =
      request.path.empty() ? parse_tag_expressions(request.tag_expressions) : matchers_of_path(request.path);
  if (!matchers) return matchers.error();
  auto refs = sources_.selector.select(*matchers, control_);
  if (!refs) return refs.error();
  if (request.path.find(';') != std::string::npos) {
    const std::string name = with_tags(request.path);
    std::erase_if(*refs, [&](const SeriesRef& ref) { return ref.name != name; });
  }
  const Retention& retention = sources_.retention.get();
  HostPresence presence(sources_, control_, now_);
  ViewReader reader(*this, request, retention, presence);
  for (size_t begin = 0; begin < refs->size(); begin += kViewSeries) {
    const auto some = std::span(*refs).subspan(begin, std::min(kViewSeries, refs->size() - begin));
    auto view = sources_.pieces.view(some, parts_to_read(request.read).histograms);
    if (!view) return view.error();
    if (Status s = reader.read(**view, some, out); !s) return s.error();
  }
  for (const Series& series : out) control_.give_memory(series.memory_bytes());
  std::ranges::sort(out, {}, &Series::name);
  return out;
}

}  // namespace statmill::graphite
