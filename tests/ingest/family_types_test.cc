#include "ingest/family_types.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

TEST(FamilyTypes, ASeriesIsACounterByTypeOrByName) {
  FamilyTypes types;
  types.note("requests", FamilyType::kHistogram);
  types.note("rpc", FamilyType::kSummary);
  types.note("jobs", FamilyType::kCounter);
  types.note("odd_total", FamilyType::kGauge);
  types.note("heat", FamilyType::kUnknown);
  struct Case {
    std::string name;
    SeriesClues clues;
    bool is_counter = false;
  };
  const std::vector<Case> table = {
      {"x_total", {}, true},
      {"x_bucket", {FamilyType::kUnknown, true}, true},
      {"x_bucket", {}, false},
      {"x_sum", {}, false},
      {"x_count", {}, false},
      {"x", {}, false},
      {"_total", {}, false},
      {"requests_bucket", {FamilyType::kUnknown, true}, true},
      {"requests_sum", {}, true},
      {"requests_count", {}, true},
      {"requests_created", {}, false},
      {"rpc", {}, false},
      {"rpc_sum", {}, true},
      {"jobs", {}, true},
      {"jobs_total", {}, true},
      {"jobs_created", {}, false},
      {"odd_total", {}, false},
      {"heat_total", {}, true},
      {"y", {FamilyType::kCounter, false}, true},
      {"y_created", {FamilyType::kCounter, false}, false},
      {"y_total", {FamilyType::kGauge, false}, false},
      {"y_count", {FamilyType::kHistogram, false}, true},
      {"y_bucket", {FamilyType::kGaugeHistogram, true}, false},
      {"y", {FamilyType::kSummary, false}, false},
  };
  for (const Case& c : table) {
    EXPECT_EQ(types.is_counter(c.name, c.clues), c.is_counter)
        << c.name << " " << static_cast<int>(c.clues.type);
  }
}

TEST(FamilyTypes, RemembersABoundedNumber) {
  FamilyTypes types;
  for (size_t i = 0; i < FamilyTypes::kFamiliesMax; ++i)
    types.note("f" + std::to_string(i), FamilyType::kGauge);
  types.note("more", FamilyType::kCounter);
  EXPECT_FALSE(types.is_counter("more", {}));
  types.note("f0", FamilyType::kCounter);
  EXPECT_TRUE(types.is_counter("f0", {})) << "a known one may change";
}

}  // namespace
}  // namespace statmill
