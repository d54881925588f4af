// See self_series.h.
#include "server/self_series.h"

#include "proto/istatd_lines.h"

namespace statmill {

std::string self_series_name(const Reading& reading) {
  constexpr std::string_view kPrefix = "statmill_";
  std::string_view rest = reading.name;
  if (rest.starts_with(kPrefix)) rest.remove_prefix(kPrefix.size());
  std::string name = "statmill." + std::string(rest);
  for (const auto& [key, value] : *reading.labels) name.append(".").append(value);
  return normal_name(name);
}

void SelfSeries::feed(Timestamp now, SteadyTime steady) {
  if (steady < next_) return;
  next_ = steady + kInterval;
  Batch batch;
  for (const Reading& reading : registry_.read()) {
    std::string name = self_series_name(reading);
    Sample sample;
    double value = reading.value;
    if (reading.type == Reading::Type::kCounter) {
      double& before = counted_[name];
      value -= before;
      before = reading.value;
      if (value <= 0) continue;  // a silent slot of an event series says as much
      sample.kind = Kind::kEvent;
    }
    const auto whole = static_cast<int64_t>(value);
    const bool is_whole = static_cast<double>(whole) == value && whole <= Number::kMantissaMax;
    sample.value = is_whole ? Number::decimal(whole, 0) : Number::of(value);
    sample.name = batch.keep(std::move(name));
    batch.samples.push_back(sample);
    ++batch.received;
  }
  intake_.take(batch, account_, now);
}

}  // namespace statmill
