#include "ingest/scrape/scraped_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

using testing::ElementsAre;

constexpr Timestamp kAt = Timestamp(Duration(1'700'000'005'000));

class Collected final : public ScrapeVisitor {
 public:
  Batch& batch() override { return batch_; }
  void add(const ScrapedValue& value) override {
    std::string text(value.name);
    text.append(" ").append(std::to_string(value.value.value())).append(" @");
    values.push_back(text + std::to_string(value.time_ms - kAt.time_since_epoch().count()));
    types.push_back(value.type);
    has_le.push_back(value.has_le);
  }
  void add_family(const ExpositionFamily& family, std::string_view name) override {
    families.push_back(std::string(name) + " " + std::string(family.help));
  }

  std::vector<std::string> values;
  std::vector<FamilyType> types;
  std::vector<bool> has_le;
  std::vector<std::string> families;

 private:
  Batch batch_;
};

ScrapeTarget target(const std::string& labels = R"({"dc": "eu"})") {
  return parse_targets(R"([{"targets": ["h:1"], "labels": )" + labels + "}]", {}, "j")->at(0);
}

TEST(ReadScraped, SeriesHaveTheLabelsOfTheirTarget) {
  Collected out;
  const auto count = read_scraped(target(), "# TYPE a counter\na_total{x=\"y z\"} 3\nb 1.5 1700000000000\n",
                                  ExpositionFormat::kText, kAt, out);
  EXPECT_EQ(count, 2U);
  EXPECT_THAT(out.values, ElementsAre("a_total;dc=eu;instance=h:1;job=j;x=y%20z 3.000000 @0",
                                      "b;dc=eu;instance=h:1;job=j 1.500000 @-5000"));
  EXPECT_THAT(out.families, ElementsAre("a_total "));
}

TEST(ReadScraped, ALabelOfTheTargetWins) {
  Collected out;
  read_scraped(target(), "a{job=\"own\",exported_job=\"e\",instance=\"\"} 1\n", ExpositionFormat::kText, kAt,
               out);
  EXPECT_THAT(out.values,
              ElementsAre("a;dc=eu;exported_exported_job=own;exported_job=e;instance=h:1;job=j 1.000000 @0"));
}

TEST(ReadScraped, TypesAndBucketsAreSeen) {
  Collected out;
  read_scraped(target("{}"),
               "# TYPE h histogram\nh_bucket{le=\"1\"} 1 # {trace=\"t\"} 0.5\nh_sum 1\nh_count 1\n"
               "# TYPE g gauge\ng 1\n# EOF\n",
               ExpositionFormat::kOpenMetrics, kAt, out);
  EXPECT_THAT(out.types, ElementsAre(FamilyType::kHistogram, FamilyType::kHistogram, FamilyType::kHistogram,
                                     FamilyType::kGauge));
  EXPECT_THAT(out.has_le, ElementsAre(true, false, false, false));
}

TEST(ReadScraped, ExemplarsHaveTheNameOfTheirSeries) {
  Collected out;
  read_scraped(
      target("{}"),
      "h_bucket{le=\"1\"} 1 # {trace=\"t\"} 0.5 1700000000.5\nn 1 1700000001 # {} 2\nnan NaN # {} 1\n"
      "bad 1 # {\n# EOF\n",
      ExpositionFormat::kOpenMetrics, kAt, out);
  const auto& exemplars = out.batch().exemplars;
  ASSERT_EQ(exemplars.size(), 2U);
  EXPECT_EQ(exemplars[0].series, "h_bucket;instance=h:1;job=j;le=1");
  EXPECT_EQ(exemplars[0].time_ms, 1'700'000'000'500);
  EXPECT_TRUE(exemplars[0].has_own_time);
  EXPECT_EQ(exemplars[0].value, 0.5);
  EXPECT_EQ(decode_exemplar_labels(exemplars[0].labels), (std::vector<LabelView>{{"trace", "t"}}));
  EXPECT_EQ(exemplars[1].time_ms, 1'700'000'001'000) << "the time of its sample";
  EXPECT_FALSE(exemplars[1].has_own_time);
  EXPECT_EQ(out.batch().exemplars_refused[static_cast<size_t>(ExemplarRefusal::kBadForm)], 1U);
}

TEST(ReadScraped, AFamilyComesOnceWithAllThatIsSaidOfIt) {
  Collected out;
  read_scraped(
      target(R"({"__drop__": "dropped"})"),
      "# HELP h Help.\n# TYPE h histogram\n# UNIT h s\nh_sum 1\nh_count 1\n# TYPE dropped gauge\ndropped 1\n"
      "plain 1\n# HELP none None.\nother 1\n# TYPE c counter\nc_total 1\n# EOF\n",
      ExpositionFormat::kOpenMetrics, kAt, out);
  EXPECT_THAT(out.families, ElementsAre("h Help.", "c_total "));
}

TEST(ReadScraped, WhatIsWrongIsCountedAndTheRestGoesOn) {
  Collected out;
  const auto count =
      read_scraped(target("{}"), "a NaN\nb +Inf\n{ x\nc 1\n", ExpositionFormat::kText, kAt, out);
  EXPECT_EQ(count, 4U);
  EXPECT_THAT(out.values, ElementsAre("c;instance=h:1;job=j 1.000000 @0"));
  EXPECT_EQ(out.batch().received, 3U);
  EXPECT_EQ(out.batch().refused[static_cast<size_t>(Refusal::kNotFinite)], 2U);
}

TEST(ReadScraped, KeepAndDropChooseMetrics) {
  Collected out;
  const auto count = read_scraped(target(R"({"__keep__": "{a*,b}", "__drop__": "ab"})"),
                                  "aa 1\nab 1\nb 1\nc 1\n", ExpositionFormat::kText, kAt, out);
  EXPECT_EQ(count, 4U);
  EXPECT_THAT(out.values,
              ElementsAre("aa;instance=h:1;job=j 1.000000 @0", "b;instance=h:1;job=j 1.000000 @0"));
  EXPECT_EQ(out.batch().received, 0U);
}

TEST(IsWhole, TheEndIsThere) {
  EXPECT_TRUE(is_whole("", ExpositionFormat::kText));
  EXPECT_TRUE(is_whole("a 1\n", ExpositionFormat::kText));
  EXPECT_FALSE(is_whole("a 1\na 12", ExpositionFormat::kText));
  EXPECT_TRUE(is_whole("a 1\n# EOF\n", ExpositionFormat::kOpenMetrics));
  EXPECT_TRUE(is_whole("# EOF", ExpositionFormat::kOpenMetrics));
  EXPECT_FALSE(is_whole("a 1\n", ExpositionFormat::kOpenMetrics));
  EXPECT_FALSE(is_whole("a 1# EOF\n", ExpositionFormat::kOpenMetrics));
}

TEST(AddReport, HasTheLabelsOfTheTarget) {
  Collected out;
  add_report(target(), "up", Number::decimal(1, 0), kAt, out);
  EXPECT_THAT(out.values, ElementsAre("up;dc=eu;instance=h:1;job=j 1.000000 @0"));
}

}  // namespace
}  // namespace statmill
