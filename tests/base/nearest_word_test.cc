#include "base/nearest_word.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace statmill {
namespace {

constexpr std::array<std::string_view, 5> kKnown = {"from", "format", "until", "max-points", "step"};

TEST(NearestWord, IsTheOneWithTheLeastDifference) {
  EXPECT_EQ(nearest_word("form", kKnown), "from") << "two letters are swapped";
  EXPECT_EQ(nearest_word("fromat", kKnown), "format");
  EXPECT_EQ(nearest_word("untill", kKnown), "until");
  EXPECT_EQ(nearest_word("utnil", kKnown), "until");
  EXPECT_EQ(nearest_word("maxpoint", kKnown), "max-points");
  EXPECT_EQ(nearest_word("step", kKnown), "step");
  EXPECT_EQ(nearest_word("max", kKnown), "max-points") << "its begin";
}

TEST(NearestWord, IsNoneIfAllAreFarAway) {
  for (const std::string_view word : {"", "st", "color", "frame", "points"})
    EXPECT_EQ(nearest_word(word, kKnown), "") << word;
  EXPECT_EQ(nearest_word(std::string(65, 'a'), std::array{std::string_view("a")}), "");
  const std::string longest(64, 'a');
  EXPECT_EQ(nearest_word(longest, std::array<std::string_view, 2>{std::string_view(longest).substr(1), "a"}),
            std::string_view(longest).substr(1));
}

TEST(NearestWord, MakesAQuestion) {
  EXPECT_EQ(did_you_mean("form", kKnown, "--"), "; did you mean --from?");
  EXPECT_EQ(did_you_mean("colour", kKnown), "");
}

}  // namespace
}  // namespace statmill
