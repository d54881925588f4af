#include "proto/istatd/exemplar_line.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proto/istatd/parser.h"
#include "tests/proto/line_laws.h"

namespace statmill {
namespace {

// Returns "NAME TIME VALUE label=value ..." or the reason of the refusal; that of an exemplar alone has a
// dot.
std::string parsed(std::string_view line) {
  Batch batch;
  parse_canonical_line(line, AddedTags(), batch);
  EXPECT_TRUE(account_holds(batch));
  EXPECT_TRUE(batch.samples.empty());
  for (const RefusedLine& refused : batch.refused_lines) return std::string(refusal_label(refused.reason));
  EXPECT_EQ(batch.received, 0U) << "an exemplar is not a sample";
  for (size_t i = 0; i < kExemplarRefusalCount; ++i) {
    if (batch.exemplars_refused[i] > 0)
      return "." + std::string(exemplar_refusal_label(static_cast<ExemplarRefusal>(i)));
  }
  if (batch.exemplars.size() != 1) return "nothing";
  const Exemplar& exemplar = batch.exemplars.front();
  std::string out = std::string(exemplar.series) + " " + std::to_string(exemplar.time_ms) + " " +
                    std::to_string(exemplar.value);
  const auto labels = decode_exemplar_labels(exemplar.labels);
  for (const LabelView& label : *labels) out.append(" ").append(label.name).append("=").append(label.value);
  return out;
}

TEST(ExemplarLineTest, HasNameTimeValueAndLabels) {
  EXPECT_EQ(parsed("$x shop.latency_ms 1700000000123 12.5 trace_id=4bf9 span_id=00f0"),
            "shop.latency_ms 1700000000123 12.500000 span_id=00f0 trace_id=4bf9");
  EXPECT_EQ(parsed("$x  Web/Hits;b=2;a=1\t1 -3\r"), "Web/Hits;a=1;b=2 1 -3.000000") << "a canonical name";
  EXPECT_EQ(parsed("$x a 1 2 user=a%20b%3D c%3Dd=e="), "a 1 2.000000 c=d=e= user=a b=");
  EXPECT_EQ(parsed("$x a 1 2 empty="), "a 1 2.000000");
}

TEST(ExemplarLineTest, RefusesWhatIsNotOne) {
  const std::pair<std::string, const char*> cases[] = {
      {"$x", "field_count"},
      {"$x a 1", "field_count"},
      {"$xa 1 2", "reserved"},
      {"$x a;b 1 2", "bad_tag"},
      {"$x a 1.5 2", "bad_time"},
      {"$x a 1 x", "bad_value"},
      {"$x a 1 nan", "not_finite"},
      {"$x a 1 2 b", "bad_tag"},
      {"$x a 1 2 b=" + std::string(128, 'c'), ".labels"},
      {"$x a 1 2 b=1 b=2", ".bad_form"},
      {"$x a 1 2 =c", ".bad_form"},
      {"$x a 1 2 b=%FF", ".bad_form"},
  };
  for (const auto& [line, reason] : cases) EXPECT_EQ(parsed(line), reason) << line;
  std::string many = "$x a 1 2";
  for (size_t i = 0; i <= kExemplarCharactersMax; ++i) many += " b=c";
  EXPECT_EQ(parsed(many), "tag_limit");
}

TEST(ExemplarLineTest, ASendersTagsAreAdded) {
  Batch batch;
  const auto tags = AddedTags::read("host=web1");
  ASSERT_TRUE(tags);
  parse_canonical_line("$x a 1 2 b=c", *tags, batch);
  ASSERT_EQ(batch.exemplars.size(), 1U);
  EXPECT_EQ(batch.exemplars.front().series, "a;host=web1");
}

RC_GTEST_PROP(ExemplarLineTest, ReadsBackWhatIsWritten, ()) {
  const auto text = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
  const auto some = *rc::gen::container<std::map<std::string, std::string>>(text, text);
  std::vector<LabelView> labels;
  for (const auto& [name, value] : some) {
    if (labels.size() < 3 && name.size() + value.size() < 40) labels.push_back({name, value});
  }
  Batch batch;
  batch.add_exemplar({"a;b=c",
                      *rc::gen::arbitrary<int64_t>(),
                      true,
                      static_cast<double>(*rc::gen::arbitrary<int>()) / 8,
                      {}},
                     labels);
  RC_ASSERT(batch.exemplars.size() == 1U);
  std::string line;
  append_exemplar_line(line, batch.exemplars.front());
  Batch again;
  parse_canonical_lines(line, AddedTags(), again);
  RC_ASSERT(again.exemplars.size() == 1U);
  RC_ASSERT(again.exemplars.front().time_ms == batch.exemplars.front().time_ms);
  RC_ASSERT(again.exemplars.front().value == batch.exemplars.front().value);
  RC_ASSERT(again.exemplars.front().labels == batch.exemplars.front().labels);
}

}  // namespace
}  // namespace statmill
