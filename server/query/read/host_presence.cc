#include "server/query/read/host_presence.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "proto/host_presence.h"
#include "server/names/label_matcher.h"
#include "server/names/name_labels.h"
#include "server/query/read/column_reader.h"

namespace statmill {
namespace {

// An agent's seconds are as long as the clock's only on the whole: now and then one of the clock's seconds
// has none of its samples, and the one before or after has two.
void fill_single_seconds(std::vector<uint32_t>& slots) {
  for (size_t i = 1; i + 1 < slots.size(); ++i) {
    if (slots[i] == 0 && slots[i - 1] > 0 && slots[i + 1] > 0) slots[i] = 1;
  }
}

}  // namespace

Status HostPresence::load(std::span<const std::string_view> hosts, SlotSpan span) {
  if (span != span_ || (hosts_.size() + hosts.size()) * span.size() > kSlotsMax) hosts_.clear();
  span_ = span;
  const auto is_new = [this](std::string_view host) { return !hosts_.contains(host); };
  if (!all_ && std::ranges::count_if(hosts, is_new) > static_cast<ptrdiff_t>(kSearchedAlone)) {
    if (Status s = find_all(); !s) return s;
  }
  std::vector<SeriesRef> series;
  std::vector<Host*> of_series;
  for (const std::string_view name : hosts) {
    if (!is_new(name)) continue;
    auto found = find(name);
    if (!found) return found.error();
    Host& host = hosts_[std::string(name)];
    if (!found->empty()) host.slots.resize(span.size());
    of_series.insert(of_series.end(), found->size(), &host);
    std::ranges::move(*found, std::back_inserter(series));
  }
  for (size_t begin = 0; begin < series.size(); begin += kBlockSeries) {
    const size_t some = std::min(kBlockSeries, series.size() - begin);
    const std::span<Host* const> of = std::span(of_series).subspan(begin, some);
    if (Status s = read(std::span(series).subspan(begin, some), of, span); !s) return s;
  }
  return Status::ok();
}

Result<std::vector<SeriesRef>> HostPresence::find(std::string_view host) {
  if (all_) {
    const auto at = all_->find(host);
    return at == all_->end() ? std::vector<SeriesRef>() : at->second;
  }
  const std::array matchers = {
      LabelMatcher{LabelMatcher::Op::kEqual, "__name__", std::string(kPresencePath)},
      LabelMatcher{LabelMatcher::Op::kEqual, std::string(kHostTag), std::string(host)}};
  return sources_.selector.select(matchers, control_);
}

Status HostPresence::find_all() {
  const std::array matchers = {
      LabelMatcher{LabelMatcher::Op::kEqual, "__name__", std::string(kPresencePath)}};
  auto found = sources_.selector.select(matchers, control_);
  if (!found) return found.error();
  all_.emplace();
  for (SeriesRef& series : *found) {
    std::string host = tag_of_name(series.name, kHostTag);
    if (!host.empty()) (*all_)[std::move(host)].push_back(std::move(series));
  }
  return Status::ok();
}

// The tags of an agent may change, so a host may have several series.
Status HostPresence::read(std::span<const SeriesRef> series, std::span<Host* const> hosts, SlotSpan span) {
  auto view = sources_.pieces.view(series, false);
  if (!view) return view.error();
  ColumnReader reader(sources_.retention.get(), sources_.expiry, **view, now_, Parts{}, control_);
  std::vector<size_t> all(series.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const auto slots = reader.read(all, span);
  if (!slots) return slots.error();
  const Tiers& tiers = sources_.retention.get().tiers();
  const auto slots_max =
      static_cast<uint32_t>(std::max<int64_t>(1, tiers[span.tier].step_s / tiers.finest().step_s));
  const Slot now_slot = unix_seconds(now_) / tiers.finest().step_s;
  for (size_t k = 0; k < series.size(); ++k) {
    if (!(*view)->is_valid(k)) return Error{ErrorCode::kBusy, "series kept being deleted or renamed"};
    const SlotColumns& columns = (*slots)[k].columns;
    Host& host = *hosts[k];
    for (size_t i = columns.present.next(0); i < columns.size(); i = columns.present.next(i + 1)) {
      const auto more = static_cast<uint32_t>(std::min<uint64_t>(columns.count_at(i), slots_max));
      host.slots[i] = std::min(host.slots[i] + more, slots_max);
    }
    host.is_there_now = host.is_there_now || (*view)->facts(k).last_slot >= now_slot - 1;
  }
  if (tiers.is_detail(span.tier)) {
    for (Host* const host : hosts) fill_single_seconds(host->slots);
  }
  control_.add_cost({.chunks = reader.chunks(), .cached = reader.cached(), .bytes = reader.bytes()});
  return Status::ok();
}

const HostPresence::Host& HostPresence::of(std::string_view host) const {
  const auto at = hosts_.find(host);
  SM_CHECK(at != hosts_.end());
  return at->second;
}

}  // namespace statmill
