#include "server/query/ops/relabel.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

std::string replaced(std::string replacement, std::string regex, std::string value) {
  const plan::LabelReplace node{plan::kNoNode, "to", std::move(replacement), "from", std::move(regex)};
  SeriesLabels labels = SeriesLabels::of({{"from", std::move(value)}, {"to", "before"}});
  LabelReplacement::of(node)->apply(labels);
  return std::string(labels.get("to"));
}

TEST(LabelReplacement, ExpandsGroups) {
  EXPECT_EQ(replaced("$1", "(.*):(.*)", "host:80"), "host");
  EXPECT_EQ(replaced("${2}x$1", "(.*):(.*)", "host:80"), "80xhost");
  EXPECT_EQ(replaced("$port", "(?P<name>.*):(?P<port>.*)", "host:80"), "80");
  EXPECT_EQ(replaced("$0", ".*", "a\nb"), "a\nb");
  EXPECT_EQ(replaced("$$1", "(.*)", "a"), "$1");
}

TEST(LabelReplacement, UnknownGroupsAreEmptyAndAnEmptyValueRemovesTheLabel) {
  EXPECT_EQ(replaced("$1x", "(.*)", "a"), "");
  EXPECT_EQ(replaced("a$7b", "(.*)", "a"), "a");
  EXPECT_EQ(replaced("a${7}b", "(.*)", "a"), "ab");
  EXPECT_EQ(replaced("a$-", "(.*)", "a"), "a$-");
}

TEST(LabelReplacement, TheWholeValueMustMatch) {
  EXPECT_EQ(replaced("x", "a", "ab"), "before");
  EXPECT_EQ(replaced("x", "a|ab", "ab"), "x");
}

TEST(LabelReplacement, BadRegexIsAnError) {
  const plan::LabelReplace node{plan::kNoNode, "to", "", "from", "("};
  EXPECT_EQ(LabelReplacement::of(node).error().message, "invalid regular expression in label_replace(): (");
}

// Otherwise one match of one label could take seconds.
TEST(LabelReplacement, LargeExpressionsAreRefused) {
  const std::string large = "(.*a.{900}b.{900}c.{900}d.{900}e.{900})";
  const plan::LabelReplace node{plan::kNoNode, "to", "", "from", large};
  EXPECT_EQ(LabelReplacement::of(node).error().message,
            "regular expression of label_replace(): it needs more than 64 KiB: " + large);
}

TEST(JoinLabels, JoinsWithASeparator) {
  SeriesLabels labels = SeriesLabels::of({{"a", "1"}, {"c", "3"}});
  join_labels(labels, {plan::kNoNode, "d", "-", {"a", "b", "c"}});
  EXPECT_EQ(labels.get("d"), "1--3");
  join_labels(labels, {plan::kNoNode, "d", "", {"b"}});
  EXPECT_EQ(labels, SeriesLabels::of({{"a", "1"}, {"c", "3"}}));
}

TEST(NaturalOrder, ComparesNumbersByValue) {
  EXPECT_TRUE(is_naturally_before("a2", "a10"));
  EXPECT_FALSE(is_naturally_before("a10", "a2"));
  EXPECT_TRUE(is_naturally_before("a", "b"));
  EXPECT_TRUE(is_naturally_before("a", "a1"));
  EXPECT_FALSE(is_naturally_before("a", "a"));
}

}  // namespace
}  // namespace statmill
