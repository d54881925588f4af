#include "server/query/stored_series.h"

#include <algorithm>
#include <map>
#include <utility>

#include "server/query/bin_reader.h"
#include "server/query/leaf_values.h"

namespace statmill {
namespace {

// Slots of a block of series that are in memory at the same time.
constexpr size_t kBlockSlots = size_t{1} << 17;

void add_once(std::vector<std::string>& texts, const std::string& text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

}  // namespace

// Reads the series of one view. Those of one kind and one class of retention have one plan.
class StoredSeries::ViewReader {
 public:
  ViewReader(StoredSeries& of, const LeafRequest& request, const Retention& retention, QueryNotes& notes,
             HostPresence& presence, SeriesView& view)
      : of_(of), request_(request), retention_(retention), notes_(notes), presence_(presence), view_(view) {}

  Status read(std::span<const SeriesRef> refs, const std::function<Status(SeriesValues)>& take) {
    for (size_t begin = 0; begin < view_.size();) {
      const SeriesFacts& first = view_.facts(begin);
      const Plan& plan = plan_of(first.kind, first.retention);
      const size_t slots = std::max<size_t>(plan.leaf.span.size(), 1);
      const size_t most = std::clamp<size_t>(kBlockSlots / slots, 1, kBlockSeries);
      std::vector<size_t> block;
      while (begin < view_.size() && block.size() < most && view_.facts(begin).kind == first.kind &&
             view_.facts(begin).retention == first.retention) {
        block.push_back(begin++);
      }
      if (Status s = read_block(plan, block, refs, take); !s) return s;
    }
    return Status::ok();
  }

 private:
  struct Plan {
    Kind kind = Kind::kGauge;
    const Tiers* tiers = nullptr;
    LeafPlan leaf;
  };

  const Plan& plan_of(Kind kind, RetentionClass retention) {
    const auto [at, is_new] = plans_.try_emplace({kind, retention});
    if (!is_new) return at->second;
    const Tiers& tiers = retention_.tiers(retention);
    at->second = {kind, &tiers, plan_leaf(request_, kind, tiers, of_.now_)};
    notes_.tier_s = std::max(notes_.tier_s, tiers[at->second.leaf.span.tier].step_s);
    for (const std::string& info : at->second.leaf.infos) add_once(notes_.infos, info);
    return at->second;
  }

  Status read_block(const Plan& plan, std::span<const size_t> block, std::span<const SeriesRef> refs,
                    const std::function<Status(SeriesValues)>& take) {
    auto lacks_detail = read_planned(plan, block, refs, take);
    if (!lacks_detail) return lacks_detail.error();
    if (!*lacks_detail) return Status::ok();
    const Tiers tiers = plan.tiers->without_detail();
    const Plan coarser{plan.kind, &tiers, plan_leaf(request_, plan.kind, tiers, of_.now_)};
    notes_.tier_s = std::max(notes_.tier_s, tiers[coarser.leaf.span.tier].step_s);
    const auto read = read_planned(coarser, block, refs, take);
    return read ? Status::ok() : Status(read.error());
  }

  // Returns true, and gives nothing to `take`, if the plan needs detail that some of the series lack.
  Result<bool> read_planned(const Plan& plan, std::span<const size_t> block, std::span<const SeriesRef> refs,
                            const std::function<Status(SeriesValues)>& take) {
    if (Status s = of_.control_.check(); !s) return s.error();
    if (Status s = of_.control_.add_slots(block.size() * plan.leaf.span.size()); !s) return s.error();
    ColumnReader reader(retention_, of_.sources_.expiry, view_, of_.now_, plan.leaf.parts, of_.control_,
                        &presence_);
    reader.want_dense_detail();
    auto totals = totals_before(plan, reader, block);
    if (!totals) return totals.error();
    auto slots = reader.read(block, plan.leaf.span);
    if (!slots) return slots.error();
    of_.control_.add_cost({.series = block.size(),
                           .chunks = reader.chunks(),
                           .cached = reader.cached(),
                           .bytes = reader.bytes()});
    if (reader.lacks_detail()) return true;
    if (reader.damaged_frames() > 0)
      add_once(notes_.warnings, "stored frames are damaged; their samples are missing from this answer");
    const LeafValues values(request_, plan.leaf, *plan.tiers, of_.now_);
    for (size_t k = 0; k < block.size(); ++k) {
      if (!view_.is_valid(block[k])) return Error{ErrorCode::kBusy, "series kept being deleted or renamed"};
      const auto end_ms = end_of(view_.facts(block[k]), refs[block[k]].name);
      auto computed = values.of({plan.kind, std::move((*slots)[k]), (*totals)[k], end_ms}, of_.control_);
      if (!computed) return computed.error();
      const bool has_numbers = computed->numbers.present.next(0) < computed->numbers.size();
      if (!has_numbers && !computed->histograms) continue;
      computed->labels = SeriesLabels::of_name(refs[block[k]].name);
      if (Status s = take(*std::move(computed)); !s) return s.error();
    }
    return false;
  }

  // Returns when the series ended, for a function to which it matters; nullopt if it has a newer slot.
  std::optional<int64_t> end_of(const SeriesFacts& facts, std::string_view name) const {
    if (!reads_newest(request_.function)) return std::nullopt;
    const auto end_ms = of_.sources_.pieces.end_ms(name);
    if (!end_ms || facts.last_slot * retention_.tiers().finest().step_s * 1000 > *end_ms) return std::nullopt;
    return end_ms;
  }

  // The rates before the span, for series of running totals: all that the coarsest tier has.
  Result<std::vector<Bucket>> totals_before(const Plan& plan, ColumnReader& reader,
                                            std::span<const size_t> block) {
    std::vector<Bucket> out(block.size());
    if (plan.leaf.form != LeafForm::kRunningTotals) return out;
    const Tiers& tiers = *plan.tiers;
    const auto coarsest = static_cast<TierNo>(tiers.count() - 1);
    const int64_t until_s = plan.leaf.span.begin * tiers[plan.leaf.span.tier].step_s;
    int64_t from_s = until_s;
    for (const size_t i : block) {
      const Slot first = view_.facts(i).first_slot;
      if (first >= 0) from_s = std::min(from_s, first * tiers.finest().step_s);
    }
    from_s = from_s / tiers.coarsest().step_s * tiers.coarsest().step_s;
    if (from_s >= until_s) return out;
    const BinPlan before{{from_s, until_s - from_s, 1, from_s, until_s}, coarsest, plan.leaf.span.tier};
    auto bins = BinReader(tiers, before, reader, of_.now_).read(block);
    if (!bins) return bins.error();
    for (size_t k = 0; k < block.size(); ++k) {
      out[k] = (*bins)[k].points.bucket_at(0);
      if ((*bins)[k].open) out[k].merge((*bins)[k].open->rate);  // the span begins ahead of the clock
    }
    return out;
  }

  StoredSeries& of_;
  const LeafRequest& request_;
  const Retention& retention_;
  QueryNotes& notes_;
  HostPresence& presence_;
  SeriesView& view_;
  std::map<std::pair<Kind, RetentionClass>, Plan> plans_;
};

Status StoredSeries::read(const LeafRequest& request, QueryNotes& notes,
                          const std::function<Status(SeriesValues)>& take) {
  const auto refs = sources_.selector.select(request.matchers, control_);
  if (!refs) return refs.error();
  const Retention& retention = sources_.retention.get();
  HostPresence presence(sources_, control_, now_);
  const bool histograms = leaf_parts(request.function, Kind::kDistribution).histograms;
  for (size_t begin = 0; begin < refs->size(); begin += kViewSeries) {
    const auto some = std::span(*refs).subspan(begin, std::min(kViewSeries, refs->size() - begin));
    auto view = sources_.pieces.view(some, histograms);
    if (!view) return view.error();
    ViewReader reader(*this, request, retention, notes, presence, **view);
    if (Status s = reader.read(some, take); !s) return s;
  }
  return Status::ok();
}

}  // namespace statmill
