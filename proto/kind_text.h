// kind_text() names a kind for people and in answers.
#pragma once

#include <string_view>

#include "proto/sample.h"

namespace statmill {

// Returns "gauge", "event", "distribution" or "counter".
constexpr std::string_view kind_text(Kind kind) {
  switch (kind) {
    case Kind::kGauge:
      return "gauge";
    case Kind::kEvent:
      return "event";
    case Kind::kDistribution:
      return "distribution";
    case Kind::kCounter:
      break;
  }
  return "counter";
}

}  // namespace statmill
