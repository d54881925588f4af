#include <algorithm>

#include "tests/query/naive/functions.h"

namespace statmill::naive {

Quad exact(const Number& number) {
  if (!number.is_decimal()) return number.value();
  Quad power = 1;
  for (int i = 0; i < number.scale; ++i) power *= 10;
  return static_cast<Quad>(number.mantissa) / power;
}

std::vector<SampledSlot> slots_of(const SampledSeries& series, const Setting& setting) {
  const auto slot_begin = [&](Timestamp time) {
    const int64_t step = setting.slot.count();
    const int64_t ms = time.time_since_epoch().count();
    return Timestamp(Duration(ms / step * step));  // times are after 1970
  };
  std::map<Timestamp, std::vector<Quad>> by_begin;
  for (const TimedNumber& sample : series.samples)
    by_begin[slot_begin(sample.time)].push_back(exact(sample.value));
  if (series.kind == SeriesKind::kEvent && !by_begin.empty()) {
    const Timestamp last = slot_begin(setting.now);
    for (Timestamp t = by_begin.begin()->first; t <= last; t += setting.slot) by_begin[t];
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
