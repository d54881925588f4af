#include "server/otlp/otlp_units.h"

#include <gtest/gtest.h>

#include "proto/family.h"

namespace statmill {
namespace {

TEST(OtlpUnits, AreTheWordsOfSeries) {
  const std::pair<std::string_view, std::string_view> cases[] = {{"By", "bytes"},
                                                                 {"ms", "ms"},
                                                                 {"s", "s"},
                                                                 {"%", "percent"},
                                                                 {"1", ""},
                                                                 {"", ""},
                                                                 {"{request}", "request"},
                                                                 {"By/s", "bytes/s"},
                                                                 {"1/s", ""},
                                                                 {"{fault}/s", "fault/s"},
                                                                 {"Cel", "celsius"},
                                                                 {"By{rss}", "bytes"},
                                                                 {"{}", ""},
                                                                 {"/", ""},
                                                                 {"s/", ""},
                                                                 {"KiBy", ""},
                                                                 {"a b", ""},
                                                                 {"{Packet}", ""},
                                                                 {"{", ""},
                                                                 {"\n", ""}};
  for (const auto& [ucum, want] : cases) EXPECT_EQ(unit_of_ucum(ucum), want) << ucum;
  EXPECT_EQ(unit_of_ucum(std::string(1000, 's')), "");
}

TEST(OtlpUnits, AllWordsAreUnits) {
  for (const std::string_view ucum :
       {"By", "bit", "%", "Cel", "Hz", "V", "A", "W", "J", "us", "min", "{thread}"})
    EXPECT_TRUE(is_unit(unit_of_ucum(ucum))) << ucum;
}

}  // namespace
}  // namespace statmill
