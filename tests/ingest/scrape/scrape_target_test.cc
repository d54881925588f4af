#include "ingest/scrape/scrape_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::vector<ScrapeTarget> targets(std::string_view text, const ScrapeOptions& options = {}) {
  const auto out = parse_targets(text, options, "file");
  EXPECT_TRUE(out) << (out ? "" : out.error().message);
  return out ? *out : std::vector<ScrapeTarget>();
}

std::string fault(std::string_view text) {
  const auto out = parse_targets(text, {}, "file");
  return out ? "" : out.error().message;
}

TEST(ParseTargets, AGroupHasItsLabels) {
  const auto read =
      targets(R"([{"targets": ["web1:9100", "[::1]:9101"], "labels": {"job": "node", "dc": "eu"}},
                                {"targets": ["10.0.0.1:80"]}, {"targets": []}])");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].url(), "http://web1:9100/metrics");
  EXPECT_THAT(read[0].labels,
              ElementsAre(Pair("dc", "eu"), Pair("instance", "web1:9100"), Pair("job", "node")));
  EXPECT_EQ(read[1].url(), "http://[::1]:9101/metrics");
  EXPECT_EQ(read[1].host, "::1");
  EXPECT_EQ(read[1].label("instance"), "[::1]:9101");
  EXPECT_EQ(read[2].label("job"), "file");
  EXPECT_EQ(read[2].label("dc"), "");
}

TEST(ParseTargets, LabelsWithUnderscoresSayHowToScrape) {
  const auto read =
      targets(R"([{"targets": ["web1"], "labels": {"__scheme__": "https", "__metrics_path__": "probe it/%20",
      "__param_module": "a&b=c", "__param_x": "", "__scrape_interval__": "30s", "__scrape_timeout__": "1m",
      "__meta_consul_node": "n", "instance": "other", "__keep__": "{up,node_*}", "__drop__": "node_scrape*"}}])");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].url(), "https://web1:443/probe%20it/%20?module=a%26b%3Dc&x=");
  EXPECT_EQ(read[0].interval, std::chrono::seconds(30));
  EXPECT_EQ(read[0].timeout, std::chrono::seconds(30));
  EXPECT_THAT(read[0].labels, ElementsAre(Pair("instance", "other"), Pair("job", "file")));
  EXPECT_TRUE(read[0].wants("node_load1"));
  EXPECT_TRUE(read[0].wants("up"));
  EXPECT_FALSE(read[0].wants("node_scrape_x"));
  EXPECT_FALSE(read[0].wants("go_gc"));
}

TEST(ParseTargets, ATargetCountsOnce) {
  EXPECT_EQ(
      targets(R"([{"targets": ["a:1", "a:1", "b:1"]}, {"targets": ["b:1"], "labels": {"job": "file"}}])")
          .size(),
      2U);
  EXPECT_EQ(targets(R"([{"targets": ["a:1"]}, {"targets": ["a:1"], "labels": {"dc": "x"}}])").size(), 2U);
}

TEST(ParseTargets, AFaultSaysWhere) {
  EXPECT_THAT(fault("[{"), HasSubstr("is not JSON"));
  EXPECT_EQ(fault("{}"), "is no list of groups");
  EXPECT_EQ(fault("[1]"), "group 1: is no object with \"targets\"");
  EXPECT_EQ(fault("[{}]"), "group 1: \"targets\" is no list of texts");
  EXPECT_EQ(fault(R"([{"targets": []}, {"targets": [1]}])"), "group 2: \"targets\" is no list of texts");
  EXPECT_EQ(fault(R"([{"targets": [], "labels": []}])"), "group 1: \"labels\" is no object");
  EXPECT_EQ(fault(R"([{"targets": [], "labels": {"a": 1}}])"), "group 1: label a is no text");
  EXPECT_EQ(fault(R"([{"targets": [], "labels": {"__scheme__": "ftp"}}])"),
            "group 1: label __scheme__: is neither http nor https");
  EXPECT_THAT(fault(R"([{"targets": [], "labels": {"__scrape_interval__": "1ms"}}])"),
              HasSubstr("not from 100ms to 1h"));
  EXPECT_THAT(fault(R"([{"targets": [], "labels": {"__keep__": "{a"}}])"), HasSubstr("label __keep__"));
  EXPECT_EQ(fault(R"([{"targets": ["http://web1:9100"]}])"),
            "group 1: target \"http://web1:9100\" is not of the form HOST:PORT");
  for (const char* address :
       {"", ":80", "a b:80", "a:0", "a:70000", "a\\r\\nX:80", "a/b:80", "u@a:80", "[::1:80", "a:x"})
    EXPECT_THAT(fault(R"([{"targets": [")" + std::string(address) + R"("]}])"), HasSubstr("group 1: target"))
        << address;
  EXPECT_THAT(fault(R"([{"targets": ["a:1"], "labels": {"": "x"}}])"),
              HasSubstr("labels that no series can have"));
}

TEST(ParseTargets, ThereAreNotTooMany) {
  std::string text = R"([{"targets": [)";
  for (size_t i = 0; i <= kScrapeTargetsMax; ++i) text += "\"h" + std::to_string(i) + ":1\",";
  text.back() = ']';
  EXPECT_EQ(fault(text + "}]"), "has more than 10000 targets");
}

// Each slot of 10 s gets one sample, at least 2 s away from its edges.
TEST(UntilScrape, LiesWithinTheSlot) {
  std::set<int64_t> phases;
  for (int i = 0; i < 200; ++i) {
    const auto target = targets(R"([{"targets": ["h)" + std::to_string(i) + R"(:1"]}])").at(0);
    Timestamp now = from_unix_seconds(1'700'000'000) + Duration(i * 37);
    now += until_scrape(target, now);
    const int64_t phase = now.time_since_epoch().count() % 10'000;
    EXPECT_GE(phase, 2000);
    EXPECT_LT(phase, 8000);
    phases.insert(phase);
    EXPECT_EQ(until_scrape(target, now), Duration(10'000));
    EXPECT_EQ(until_scrape(target, now - Duration(1)), Duration(1));
  }
  EXPECT_GT(phases.size(), 150U);
}

TEST(UntilScrape, LongIntervalsUseAllTheirSlots) {
  ScrapeOptions options;
  options.interval = std::chrono::minutes(1);
  std::set<int64_t> slots;
  for (int i = 0; i < 200; ++i) {
    const auto target = targets(R"([{"targets": ["h)" + std::to_string(i) + R"(:1"]}])", options).at(0);
    const Timestamp at = Timestamp{} + until_scrape(target, Timestamp{});
    slots.insert(at.time_since_epoch().count() / 10'000);
    EXPECT_GE(at.time_since_epoch().count() % 10'000, 2000);
    EXPECT_LT(at.time_since_epoch().count() % 10'000, 8000);
  }
  EXPECT_THAT(slots, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(UntilScrape, ShortIntervalsAreKeptTo) {
  ScrapeOptions options;
  options.interval = std::chrono::seconds(1);
  for (int i = 0; i < 50; ++i) {
    const auto target = targets(R"([{"targets": ["h)" + std::to_string(i) + R"(:1"]}])", options).at(0);
    const Timestamp at = Timestamp{} + until_scrape(target, Timestamp{});
    EXPECT_GE(at.time_since_epoch().count(), 200);
    EXPECT_LT(at.time_since_epoch().count(), 800);
    EXPECT_EQ(until_scrape(target, at), std::chrono::seconds(1));
  }
}

}  // namespace
}  // namespace statmill
