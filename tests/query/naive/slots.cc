#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tests/query/naive/functions.h"

namespace statmill::naive {

Quad exact(const Number& number) {
  if (!number.is_decimal()) return number.value();
  Quad power = 1;
  for (int i = 0; i < number.scale; ++i) power *= 10;
  return static_cast<Quad>(number.mantissa) / power;
}

namespace {

Timestamp slot_begin(Timestamp time, const Setting& setting) {
  const int64_t step = setting.slot.count();
  const int64_t ms = time.time_since_epoch().count();
  return Timestamp(Duration(ms / step * step));  // times are after 1970
}

// Returns the slots in which the series' host was present; nullopt if nothing is known of it.
std::optional<std::set<Timestamp>> presence_of(const SampledSeries& series,
                                               const std::vector<SampledSeries>& all,
                                               const Setting& setting) {
  std::optional<std::set<Timestamp>> slots;
  const std::string host = value_or_empty(series.labels, "host");
  for (const SampledSeries& other : all) {
    if (host.empty() || other.samples.empty() || value_or_empty(other.labels, "host") != host) continue;
    if (value_or_empty(other.labels, "__name__") != "host.up") continue;
    if (!slots) slots.emplace();
    for (const TimedNumber& sample : other.samples) slots->insert(slot_begin(sample.time, setting));
  }
  return slots;
}

}  // namespace

std::vector<SampledSlot> slots_of(const SampledSeries& series, const std::vector<SampledSeries>& all,
                                  const Setting& setting) {
  std::map<Timestamp, std::vector<Quad>> by_begin;
  for (const TimedNumber& sample : series.samples)
    by_begin[slot_begin(sample.time, setting)].push_back(exact(sample.value));
  if (series.kind == SeriesKind::kEvent && !by_begin.empty()) {
    const auto presence = presence_of(series, all, setting);
    const Timestamp last = slot_begin(setting.now, setting);
    const bool is_there_now = presence && presence->lower_bound(last - setting.slot) != presence->end();
    for (Timestamp t = by_begin.begin()->first; t <= last; t += setting.slot) {
      if (!presence || (t == last ? is_there_now : presence->contains(t))) by_begin[t];
    }
  }
  std::vector<SampledSlot> slots;
  Quad total = 0;
  for (auto& [begin, samples] : by_begin) {
    SampledSlot slot{begin, std::move(samples)};
    for (const Quad value : slot.samples) slot.sum += value;
    total += slot.sum;
    slot.total = total;
    slots.push_back(std::move(slot));
  }
  return slots;
}

}  // namespace statmill::naive
