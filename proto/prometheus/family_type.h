// FamilyType: the type of a family of series, as Prometheus' formats say it.
#pragma once

#include <cstdint>

namespace statmill {

// The numbers are those of both versions of remote_write.
enum class FamilyType : uint8_t {
  kUnknown = 0,  // also "untyped"
  kCounter = 1,
  kGauge = 2,
  kHistogram = 3,
  kGaugeHistogram = 4,
  kSummary = 5,
  kInfo = 6,
  kStateSet = 7,
};

}  // namespace statmill
