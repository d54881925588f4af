// See self_series.h.
#include "server/self_series.h"

#include <utility>

namespace statmill {

void SelfSeries::feed(Timestamp now, SteadyTime steady) {
  if (steady < next_) return;
  next_ = steady + kInterval;
  Batch batch;
  for (const Reading& reading : registry_.read()) {
    if (reading.type == Reading::Type::kHistogram) continue;  // no line says one yet
    Sample sample;
    double value = reading.value();
    if (reading.type == Reading::Type::kCounter) {
      uint64_t& before = counted_[reading.name];
      const uint64_t added = reading.count - std::exchange(before, reading.count);
      if (added == 0) continue;  // a silent slot of an event series says as much
      value = static_cast<double>(added);
      sample.kind = Kind::kEvent;
    }
    const auto whole = static_cast<int64_t>(value);
    const bool is_whole = static_cast<double>(whole) == value && whole <= Number::kMantissaMax;
    sample.value = is_whole ? Number::decimal(whole, 0) : Number::of(value);
    sample.name = batch.keep(std::string(reading.name));
    batch.samples.push_back(sample);
    ++batch.received;
  }
  intake_.take(batch, account_, now);
}

}  // namespace statmill
