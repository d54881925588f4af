#include "proto/exemplar.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "proto/batch.h"

namespace statmill {
namespace {

using namespace std::string_literals;

std::string refusal(const std::vector<LabelView>& labels) {
  const EncodedLabels encoded = encode_exemplar_labels(labels);
  EXPECT_EQ(encoded.text.empty(), encoded.refusal.has_value() || labels.empty());
  return std::string(encoded.refusal ? exemplar_refusal_label(*encoded.refusal) : "");
}

TEST(ExemplarLabels, HaveGoldenBytes) {
  const std::vector<LabelView> labels = {{"trace_id", "4bf9"}, {"b", ""}, {"a", "\xc3\xa4"}};
  const EncodedLabels encoded = encode_exemplar_labels(labels);
  EXPECT_EQ(encoded.text,
            "\x01"
            "a\x02\xc3\xa4\x08trace_id\x04"
            "4bf9"s);
  const auto decoded = decode_exemplar_labels(encoded.text);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, (std::vector<LabelView>{{"a", "\xc3\xa4"}, {"trace_id", "4bf9"}}));
  EXPECT_EQ(decode_exemplar_labels(""), std::vector<LabelView>()) << "no labels are labels";
}

TEST(ExemplarLabels, AreRefusedAboveTheirLimit) {
  EXPECT_EQ(refusal({{"a", std::string(127, 'x')}}), "");
  EXPECT_EQ(refusal({{"a", std::string(128, 'x')}}), "labels");
  EXPECT_EQ(refusal({{"a", std::string(100'000, 'x')}}), "labels");
  std::string wide;
  for (int i = 0; i < 127; ++i) wide += "\xc3\xa4";
  EXPECT_EQ(refusal({{"a", wide}}), "") << "characters are counted, not bytes";
  EXPECT_EQ(refusal({{"aa", wide}}), "labels");
  EXPECT_EQ(refusal(std::vector<LabelView>(1000, {"a", "b"})), "labels");
  EXPECT_EQ(refusal({{"a", "\xff"}}), "bad_form");
  EXPECT_EQ(refusal({{"a", "1"}, {"a", "2"}}), "bad_form");
  EXPECT_EQ(refusal({{"", "1"}}), "bad_form");
}

TEST(ExemplarLabels, NeitherACutNorAChangedTextIsRead) {
  const std::string text =
      encode_exemplar_labels(std::vector<LabelView>{{"a", "1"}, {"trace_id", "4bf9"}}).text;
  for (size_t size = 1; size < text.size(); ++size) {
    if (size == 4) continue;  // the first label alone
    EXPECT_FALSE(decode_exemplar_labels(text.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_exemplar_labels(text + text)) << "not ascending";
  EXPECT_TRUE(decode_exemplar_labels("\x01\x61\x01\x62"s));
  EXPECT_FALSE(decode_exemplar_labels("\x81\x00\x61\x01\x62"s)) << "a length in two bytes";
  EXPECT_FALSE(decode_exemplar_labels("\x01\x61\x00"s)) << "a label without a value";
  EXPECT_FALSE(decode_exemplar_labels(std::string(kExemplarLabelBytesMax + 1, '\1')));
}

RC_GTEST_PROP(ExemplarLabels, RoundTripInAnyOrder, ()) {
  const auto text = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
  const auto some = *rc::gen::container<std::map<std::string, std::string>>(text, text);
  std::map<std::string, std::string> labels;
  for (const auto& [name, value] : some) {
    if (labels.size() < 4) labels.emplace(name.substr(0, 16), value.substr(0, 16));
  }
  std::vector<LabelView> views;
  for (const auto& [name, value] : labels) views.push_back({name, value});
  const EncodedLabels encoded = encode_exemplar_labels(views);
  RC_ASSERT(!encoded.refusal);
  RC_ASSERT(encoded.text.size() <= kExemplarLabelBytesMax);
  RC_ASSERT(decode_exemplar_labels(encoded.text) == views);
  std::vector<LabelView> other(views.rbegin(), views.rend());
  RC_ASSERT(encode_exemplar_labels(other).text == encoded.text);
}

TEST(ExemplarsOfABatch, AreFiniteAndGoWithIt) {
  Batch batch;
  const std::vector<LabelView> labels = {{"a", "1"}};
  batch.add_exemplar({"s", 1, true, std::numeric_limits<double>::infinity(), {}}, labels);
  EXPECT_TRUE(batch.has_exemplars());
  EXPECT_EQ(batch.exemplars_refused[static_cast<size_t>(ExemplarRefusal::kValue)], 1U);
  batch.add_exemplar({"s", 1, true, 2, {}}, labels);
  ASSERT_EQ(batch.exemplars.size(), 1U);
  EXPECT_EQ(decode_exemplar_labels(batch.exemplars[0].labels), labels);
  batch.clear();
  EXPECT_FALSE(batch.has_exemplars());
}

}  // namespace
}  // namespace statmill
