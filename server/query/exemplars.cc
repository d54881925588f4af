#include "server/query/exemplars.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "proto/exemplar.h"

namespace statmill {
namespace {

// Returns the selector of the distribution that classic buckets are asked of; nullopt: the selector asks for
// something else.
std::optional<std::vector<LabelMatcher>> distribution_of(std::vector<LabelMatcher> matchers) {
  constexpr std::string_view kSuffix = "_bucket";
  const auto name = std::find_if(matchers.begin(), matchers.end(), [](const LabelMatcher& matcher) {
    return matcher.label == kMetricName && matcher.op == LabelMatcher::Op::kEqual;
  });
  if (name == matchers.end() || !name->value.ends_with(kSuffix)) return std::nullopt;
  name->value.resize(name->value.size() - kSuffix.size());
  std::erase_if(matchers, [](const LabelMatcher& matcher) { return matcher.label == "le"; });
  return matchers;
}

class Reading {
 public:
  Reading(const ExemplarsSources& sources, const ExemplarsRequest& request, QueryControl& control)
      : sources_(sources),
        request_(request),
        control_(control),
        // Before the series are selected: while it lives, no id of a series that it has becomes another's.
        snapshot_(sources.store.snapshot()) {
    const Tier& finest = sources.store.tiers().finest();
    begin_ = finest.slot_of(std::max<int64_t>(0, request.start_ms / 1000));
    end_ = finest.slot_of(std::clamp<int64_t>(request.end_ms / 1000, -1, kTimeMax_s)) + 1;
  }

  Result<std::vector<SeriesRef>> select() const {
    std::map<SeriesId, SeriesRef> found;
    for (const std::vector<LabelMatcher>& matchers : request_.selectors) {
      auto refs = sources_.selector.select(matchers, control_);
      if (!refs) return refs.error();
      if (refs->empty()) {
        if (const auto of = distribution_of(matchers)) refs = sources_.selector.select(*of, control_);
        if (!refs) return refs.error();
        std::erase_if(*refs, [&](const SeriesRef& ref) {
          return sources_.catalog.kind(ref.name) != Kind::kDistribution;
        });
      }
      for (SeriesRef& ref : *refs) found.try_emplace(ref.id, std::move(ref));
    }
    std::vector<SeriesRef> out;
    out.reserve(found.size());
    for (auto& [id, ref] : found) out.push_back(std::move(ref));
    return out;
  }

  // Reads the exemplars of one series. Returns false if there are more than the limit.
  Result<bool> read(const SeriesRef& ref) {
    std::vector<StoredExemplar> found;
    Status status;
    const auto visit = [&](const ExemplarRow& row) {
      if (row.time_ms < request_.start_ms || row.time_ms > request_.end_ms) return true;
      if (status = add(row, found); !status) return false;
      return ++count_ <= request_.limit;
    };
    const auto damaged = snapshot_->exemplars({ref.id, begin_, end_}, visit);
    if (!damaged) return damaged.error();
    if (!status) return status.error();
    damaged_ += *damaged;
    const bool is_complete = count_ <= request_.limit;
    if (!is_complete) found.pop_back();
    if (!found.empty()) series_.push_back({SeriesLabels::of_name(ref.name), std::move(found)});
    if (series_.size() > control_.limits().series_max)
      return control_.refuse(QueryLimit::kSeries, series_.size());
    return is_complete;
  }

  uint64_t damaged() const { return damaged_; }
  std::vector<SeriesExemplars> finish() && {
    std::ranges::sort(series_, {}, &SeriesExemplars::labels);
    return std::move(series_);
  }

 private:
  static constexpr int64_t kTimeMax_s = std::numeric_limits<int64_t>::max() / 1000;

  Status add(const ExemplarRow& row, std::vector<StoredExemplar>& found) {
    if (Status s = control_.check(); !s) return s;
    constexpr size_t kBytesOfLabel = 80;  // of two strings
    const auto labels = decode_exemplar_labels(row.labels);
    const size_t bytes = sizeof(StoredExemplar) + row.labels.size() + kBytesOfLabel * labels->size();
    if (Status s = control_.take_memory(bytes); !s) return s;
    StoredExemplar& out = found.emplace_back();
    out.value = row.value;
    out.time_ms = row.time_ms;
    for (const LabelView& label : *labels) out.labels.emplace_back(label.name, label.value);
    return Status::ok();
  }

  const ExemplarsSources& sources_;
  const ExemplarsRequest& request_;
  QueryControl& control_;
  const std::unique_ptr<StoreSnapshot> snapshot_;
  Slot begin_ = 0;
  Slot end_ = 0;
  size_t count_ = 0;
  uint64_t damaged_ = 0;
  std::vector<SeriesExemplars> series_;
};

}  // namespace

Result<std::vector<SeriesExemplars>> read_exemplars(const ExemplarsSources& sources,
                                                    const ExemplarsRequest& request, QueryControl& control,
                                                    QueryNotes& notes) {
  Reading reading(sources, request, control);
  const auto refs = reading.select();
  if (!refs) return refs.error();
  control.add_cost({.series = refs->size()});
  for (const SeriesRef& ref : *refs) {
    if (Status s = control.check(); !s) return s.error();
    const auto is_complete = reading.read(ref);
    if (!is_complete) return is_complete.error();
    if (!*is_complete) {
      notes.warnings.push_back("there are more than " + std::to_string(request.limit) +
                               " exemplars: ask for fewer series or less time");
      break;
    }
  }
  if (reading.damaged() > 0) notes.warnings.emplace_back("stored exemplars are damaged, and left out");
  return std::move(reading).finish();
}

}  // namespace statmill
