// See latest_values.h.
#include "agent/latest_values.h"

#include <cmath>

namespace statmill {
namespace {

constexpr std::string_view kPrefix = "statmill.host.";

}  // namespace

void LatestValues::gauge(std::string_view name, double value) {
  if (std::isfinite(value)) values_[std::string(kPrefix).append(name)] = {Reading::Type::kGauge, value, 0};
  next_.gauge(name, value);
}

void LatestValues::total(std::string_view name, uint64_t total) {
  values_[std::string(kPrefix).append(name)] = {Reading::Type::kCounter, 0, total};
  next_.total(name, total);
}

std::vector<Reading> LatestValues::readings() const {
  std::vector<Reading> out;
  out.reserve(values_.size());
  for (const auto& [name, value] : values_) {
    Reading reading;
    reading.name = name;
    reading.help = "As the agent last collected it.";
    reading.type = value.type;
    reading.level = value.level;
    reading.count = value.count;
    out.push_back(std::move(reading));
  }
  return out;
}

}  // namespace statmill
