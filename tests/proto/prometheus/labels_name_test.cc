#include "proto/prometheus/labels_name.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "base/hidden_characters.h"
#include "proto/sample.h"
#include "tests/proto/tag_laws.h"

namespace statmill {
namespace {

LabelPairs metric(std::string path, LabelPairs tags) {
  tags.push_back({"__name__", std::move(path)});
  std::sort(tags.begin(), tags.end());
  return tags;
}

TEST(LabelsName, MapsLabelsAndNames) {
  struct Case {
    LabelPairs labels;
    std::string name;
    std::string why;
  };
  const std::vector<Case> table = {
      {metric("up", {}), "up", "no labels"},
      {metric("m", {{"b", "y"}, {"a", "x"}}), "m;a=x;b=y", "tags are sorted"},
      {metric("cpu.idle", {}), "cpu.idle", "a dotted path"},
      {metric("m", {{"version", "#1 SMP"}}), "m;version=#1%20SMP", "a blank"},
      {metric("m", {{"name", "eth0"}}), "m;%6Eame=eth0", "the key that means the path"},
      {metric("m", {{"names", "a"}}), "m;names=a", "only the whole key"},
      {metric("m", {{"a", "x;y\t\n"}}), "m;a=x%3By%09%0A", "a separator and control bytes"},
      {metric("m", {{"a", "~x~"}}), "m;a=%7Ex~", "only a ~ in front"},
      {metric("m", {{"a=b!^;", "x=y!^"}}), "m;a%3Db%21%5E%3B=x=y!^", "keys have more forbidden bytes"},
      {metric("m", {{"a", "100%"}}), "m;a=100%", "a % before nothing"},
      {metric("m", {{"a", "%zz%4"}}), "m;a=%zz%4", "a % before no hex digits"},
      {metric("m", {{"a", "%41%ff"}}), "m;a=%2541%25ff", "a % before hex digits"},
      {metric("m", {{"a", "\xc3\xa4"}}), "m;a=\xc3\xa4", "UTF-8"},
      {metric("m", {{"a", "\xc3\xa4\xc3\xff"}}), "m;a=\xc3\xa4%C3%FF", "not UTF-8"},
      {metric("~a b;c", {}), "%7Ea%20b%3Bc", "a path"},
  };
  for (const Case& c : table) {
    const auto name = canonical_name(c.labels);
    ASSERT_TRUE(name) << c.why;
    EXPECT_EQ(*name, c.name) << c.why;
    EXPECT_TRUE(is_canonical_name(*name)) << c.why;
    EXPECT_EQ(labels_of(c.name), c.labels) << c.why;
  }
}

TEST(LabelsName, LeavesOutEmptyValues) {
  EXPECT_EQ(*canonical_name(metric("m", {{"a", ""}, {"b", "x"}})), "m;b=x");
}

TEST(LabelsName, RefusesWhatHasNoName) {
  const std::vector<std::pair<LabelPairs, ErrorCode>> table = {
      {{{"a", "x"}}, ErrorCode::kInvalid},
      {{{"__name__", ""}, {"a", "x"}}, ErrorCode::kInvalid},
      {metric("m", {{"", "x"}}), ErrorCode::kInvalid},
      {metric("m", {{"a", "x"}, {"a", "y"}}), ErrorCode::kInvalid},
      {metric("m", {{"__name__", "n"}}), ErrorCode::kInvalid},
      {metric("m", {{"a", "\xe2\x80\x8b"}}), ErrorCode::kInvalid},
      {metric("m", {{"\xc2\x85", "x"}}), ErrorCode::kInvalid},
      {metric("m\xef\xbb\xbf", {}), ErrorCode::kInvalid},
      {metric(std::string(kNameBytesMax + 1, 'm'), {}), ErrorCode::kLimit},
  };
  for (const auto& [labels, code] : table) {
    const auto name = canonical_name(labels);
    ASSERT_FALSE(name);
    EXPECT_EQ(name.error().code, code);
  }
  LabelPairs many;
  for (size_t i = 0; i < kTagsMax; ++i) many.push_back({"k" + std::to_string(100 + i), "v"});
  EXPECT_TRUE(canonical_name(metric("m", many)));
  many.push_back({"z", "v"});
  EXPECT_FALSE(canonical_name(metric("m", many)));
}

TEST(LabelsName, ReadsAnyStoredName) {
  EXPECT_EQ(labels_of("a;b"), (LabelPairs{{"__name__", "a;b"}})) << "no tag";
  EXPECT_EQ(labels_of("a;b=1;a=2"), (LabelPairs{{"__name__", "a;b=1;a=2"}})) << "not in order";
  EXPECT_EQ(labels_of("a;b="), (LabelPairs{{"__name__", "a;b="}})) << "no value";
  EXPECT_EQ(labels_of("a;__name__=b"), (LabelPairs{{"__name__", "a"}})) << "the path counts";
  EXPECT_EQ(labels_of("a;%41=x;A=y"), (LabelPairs{{"A", "x"}, {"__name__", "a"}})) << "the first counts";
  EXPECT_EQ(labels_of("a;b=%4a%2"), (LabelPairs{{"__name__", "a"}, {"b", "J%2"}})) << "lower-case digits";
}

rc::Gen<std::string> any_text() {
  const auto piece =
      rc::gen::oneOf(rc::gen::element<std::string>("a", "b", "name", "%", "4", "F", "%41", "~", ";", "=", "!",
                                                   "^", " ", ".", "\xc3\xa4", "\xff"),
                     rc::gen::map(rc::gen::arbitrary<char>(), [](char c) { return std::string(1, c); }));
  return rc::gen::map(
      rc::gen::resize(6, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(piece))),
      [](const std::vector<std::string>& pieces) {
        std::string text;
        for (const std::string& p : pieces) text += p;
        return text;
      });
}

RC_GTEST_PROP(LabelsName, LabelsComeBackAsTheyWere, ()) {
  const auto tags = *rc::gen::resize(8, rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
                                            rc::gen::pair(any_text(), any_text())));
  LabelPairs labels{{"__name__", *any_text()}};
  std::set<std::string> names{"__name__"};
  for (const auto& [key, value] : tags) {
    if (names.insert(key).second) labels.push_back({key, value});
  }
  const auto is_hidden = [](const LabelPair& label) {
    return has_hidden_character(label.first) || has_hidden_character(label.second);
  };
  const auto name = canonical_name(labels);
  RC_ASSERT(name.has_value() == std::none_of(labels.begin(), labels.end(), is_hidden));
  if (!name) return;
  RC_ASSERT(is_canonical_name(*name));
  std::sort(labels.begin(), labels.end());
  RC_ASSERT(labels_of(*name) == labels);
}

RC_GTEST_PROP(LabelsName, LabelsOfAnyNameHaveOneName, ()) {
  const std::string text = *any_text() + ";" + *any_text() + "=" + *any_text();
  const LabelPairs labels = labels_of(text);
  const auto name = canonical_name(labels);
  if (!name) return;  // longer when escaped, or a value that is empty
  RC_ASSERT(labels_of(*name) == labels);
  RC_ASSERT(*canonical_name(labels_of(*name)) == *name);
}

}  // namespace
}  // namespace statmill
