#include "server/prometheus/scrape_intake.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/server/prometheus/remote_server.h"
#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

class ScrapeIntakeTest : public testing::Test {
 protected:
  // The target answers this, or nothing, at the second.
  void scrape(int64_t second, const char* text) {
    const ScrapedBody body{text != nullptr ? text : "", ExpositionFormat::kText};
    intake_.scraped(
        {target_, from_unix_seconds(remote::kNow + second), Duration(5), text != nullptr ? &body : nullptr});
  }
  std::optional<int64_t> end_of(const std::string& metric) {
    return server_.table().ends().of(metric + ";instance=web:80;job=a");
  }

  RemoteServer server_;
  FamilyTypes types_;
  ManualClock clock_{remote::kNow};
  ScrapeIntake intake_{server_.values(), types_, server_.lines(), clock_};
  const ScrapeTarget target_ = parse_targets(R"([{"targets": ["web:80"]}])", ScrapeOptions{}, "a")->at(0);
};

TEST_F(ScrapeIntakeTest, WhatAnAnswerLacksEnds) {
  scrape(0, "a 1\nb 2\nb{x=\"y\"} 3\n");
  scrape(15, "a 1\nc 4\n");
  EXPECT_EQ(end_of("a"), std::nullopt);
  EXPECT_EQ(end_of("b"), remote::ms(15));
  EXPECT_EQ(server_.table().ends().size(), 2U);
  scrape(30, "b 2\n");
  EXPECT_EQ(end_of("a"), remote::ms(30));
  EXPECT_EQ(end_of("b"), std::nullopt) << "it is there again";
  EXPECT_EQ(end_of("c"), remote::ms(30));
}

TEST_F(ScrapeIntakeTest, AFailedScrapeEndsAllButWhatIsAboutIt) {
  scrape(0, "a 1\nb 2\n");
  scrape(15, nullptr);
  EXPECT_EQ(end_of("a"), remote::ms(15));
  EXPECT_EQ(end_of("b"), remote::ms(15));
  EXPECT_EQ(end_of("up"), std::nullopt);
  scrape(30, nullptr);
  EXPECT_EQ(end_of("a"), remote::ms(15)) << "it has ended once";
  scrape(45, "a 1\n");
  EXPECT_EQ(end_of("a"), std::nullopt);
}

TEST_F(ScrapeIntakeTest, ATargetThatIsRemovedEndsWithAllItHas) {
  scrape(0, "a 1\n");
  clock_.advance(std::chrono::seconds(7));
  intake_.removed(target_);
  EXPECT_EQ(end_of("a"), remote::ms(7));
  EXPECT_EQ(end_of("up"), remote::ms(7));
  EXPECT_EQ(end_of("scrape_samples_scraped"), remote::ms(7));
}

TEST_F(ScrapeIntakeTest, ASampleWithATimeOfItsOwnEndsNothing) {
  const std::string time = std::to_string(remote::ms(0));
  scrape(0, ("a 1 " + time + "\n").c_str());
  scrape(15, "b 1\n");
  EXPECT_EQ(end_of("a"), std::nullopt);
}

}  // namespace
}  // namespace statmill
