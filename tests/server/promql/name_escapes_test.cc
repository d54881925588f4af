// Names that Prometheus escapes, and texts that only look like them.
#include "server/promql/name_escapes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace statmill::promql {
namespace {

struct NameCase {
  std::string_view name;
  std::string_view want;
};

TEST(NameEscapes, EscapesAreUndone) {
  for (const auto& [name, want] : std::vector<NameCase>{{"U__cpu_2e_idle", "cpu.idle"},
                                                        {"U__cpu_2E_idle", "cpu.idle"},
                                                        {"U__a__b", "a_b"},
                                                        {"U___2e_", "."},
                                                        {"U___2e__2e_a", "..a"},
                                                        {"U__caf_e9_", "caf\xc3\xa9"},
                                                        {"U___1f600_", "\xf0\x9f\x98\x80"},
                                                        {"U___10ffff_", "\xf4\x8f\xbf\xbf"},
                                                        {"U__plain", "plain"}}) {
    EXPECT_EQ(unescaped_name(name), want) << name;
  }
}

TEST(NameEscapes, OtherNamesStay) {
  for (const std::string_view name :
       {"", "cpu", "cpu_2e_idle", "u__a_2e_", "U_a", "__n000__", "U__a_", "U__a_2e", "U__a_2g_", "U__a_-2_",
        "U__a_d800_", "U__a_110000_", "U__a_00002e0_"}) {
    EXPECT_EQ(unescaped_name(name), name);
  }
}

}  // namespace
}  // namespace statmill::promql
