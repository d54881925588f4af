#include "agent/scrape/scraped_lines.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace statmill {
namespace {

constexpr int64_t kNow = 1'700'000'000;

class ScrapedLinesTest : public testing::Test {
 protected:
  // The target answers this at the second. Returns the lines about its own series.
  std::vector<std::string> scrape(int64_t second, const std::string& text,
                                  ExpositionFormat format = ExpositionFormat::kText) {
    sent_.clear();
    const ScrapedBody body{text, format};
    lines_->scraped({target_, from_unix_seconds(kNow + second), Duration(5), &body});
    std::vector<std::string> out;
    for (const LineBatch& batch : sent_) {
      for (const std::string_view line : split(batch.text, '\n')) {
        if (!line.empty() && line.find("scrape_") == std::string_view::npos && !line.starts_with("$g up;"))
          out.emplace_back(line);
      }
    }
    return out;
  }
  // Starts again with what the spool has: all batches up to now.
  void restart() {
    lines_.emplace(10, registry_.emplace_back(), [this](LineBatch batch) { take(std::move(batch)); });
    std::vector<LastValue> values;
    for (const auto& [name, value] : spool_) values.push_back(value);
    lines_->restore(values);
  }
  void take(LineBatch batch) {
    for (const LastValue& value : batch.values) spool_.insert_or_assign(value.name.low, value);
    sent_.push_back(std::move(batch));
  }

  std::list<Registry> registry_{1};
  std::vector<LineBatch> sent_;
  std::map<uint64_t, LastValue> spool_;
  std::optional<ScrapedLines> lines_{std::in_place, 10, registry_.front(),
                                     [this](LineBatch batch) { take(std::move(batch)); }};
  const ScrapeTarget target_ = parse_targets(R"([{"targets": ["web:80"]}])", ScrapeOptions{}, "a")->at(0);
};

using Lines = std::vector<std::string>;

std::string time_of(int64_t second) { return std::to_string(kNow + second); }

TEST_F(ScrapedLinesTest, GaugesAreAsTheyAre) {
  EXPECT_EQ(scrape(0, "heat 1.5\n"), Lines{"$g heat;instance=web:80;job=a " + time_of(0) + " 1.5"});
  EXPECT_TRUE(sent_.at(0).values.empty());
  EXPECT_EQ(sent_.at(0).lines, 4U) << "with up and its like";
  EXPECT_EQ(sent_.at(0).tags, "");
}

TEST_F(ScrapedLinesTest, AnExemplarFollowsItsSampleAndIsSentOnce) {
  const auto scraped = [&](int64_t second, const std::string& first, const std::string& last) {
    const std::string text =
        "# TYPE n counter\nn_total 5 # " + first + "\nn_total{x=\"y\"} 5 # " + last + "\n# EOF\n";
    return scrape(second, text, ExpositionFormat::kOpenMetrics);
  };
  const std::string n = "n_total;instance=web:80;job=a";
  const auto sample = [&](int64_t second, const char* tag) {
    return "$c " + n + tag + " " + time_of(second) + " 0";
  };
  const std::string own = "{id=\"b 1\",span=\"\"} 0.25 1699999990.5";
  const std::string none = "{id=\"c\"} 3";
  EXPECT_EQ(scraped(0, own, none),
            (Lines{sample(0, ""), "$x " + n + " 1699999990500 0.25 id=b%201", sample(0, ";x=y"),
                   "$x " + n + ";x=y " + time_of(0) + "000 3 id=c"}));
  EXPECT_EQ(scraped(10, own, none), (Lines{sample(10, ""), sample(10, ";x=y")})) << "targets repeat them";
  EXPECT_EQ(scraped(20, "{id=\"b 1\"} 0.25 1699999999", "{id=\"c\"} 4"),
            (Lines{sample(20, ""), "$x " + n + " 1699999999000 0.25 id=b%201", sample(20, ";x=y"),
                   "$x " + n + ";x=y " + time_of(20) + "000 4 id=c"}));
  EXPECT_EQ(registry_.back().counter("statmill.scraped_exemplars", "").value(), 4U);
}

TEST_F(ScrapedLinesTest, ExemplarsThatCannotBeReadAreCounted) {
  const std::string text = "# TYPE n counter\nn_total 5 # {a} 1\nn_total{x=\"y\"} 5 # {a=\"" +
                           std::string(128, 'b') + "\"} 1\nn_total{x=\"z\"} 5 # {a=\"b\"} nan\n# EOF\n";
  EXPECT_EQ(scrape(0, text, ExpositionFormat::kOpenMetrics).size(), 3U) << "their samples count";
  EXPECT_EQ(registry_.back().counter("statmill.scraped_exemplars_refused", "").value(), 3U);
  EXPECT_EQ(registry_.back().counter("statmill.scraped_exemplars", "").value(), 0U);
}

TEST_F(ScrapedLinesTest, ExemplarsFitBatches) {
  std::string text = "# TYPE n counter\n";
  constexpr int kExemplars = 200;
  for (int i = 0; i < kExemplars; ++i) {
    text += "n_total{x=\"" + std::to_string(i) + std::string(1000, 'y') + "\"} 5 # {a=\"";
    for (int c = 0; c < 127; ++c) text += "\xf0\x9f\x98\x80";
    text += "\"} 1\n";
  }
  scrape(0, text + "# EOF\n", ExpositionFormat::kOpenMetrics);
  EXPECT_GT(sent_.size(), 1U);
  for (const LineBatch& batch : sent_) EXPECT_LE(batch.text.size(), ScrapedLines::kTextBytesMax + 8192);
  EXPECT_EQ(registry_.back().counter("statmill.scraped_exemplars", "").value(), uint64_t{kExemplars});
}

TEST_F(ScrapedLinesTest, CountersAreWhatTheyWentUpBy) {
  const auto counts = [&](int64_t second, const std::string& value) {
    const Lines lines = scrape(second, "# TYPE n counter\nn{x=\"y\"} " + value + "\n");
    EXPECT_EQ(lines.size(), 1U);
    const std::string begin = "$c n;instance=web:80;job=a;x=y ";
    EXPECT_TRUE(lines.at(0).starts_with(begin)) << lines.at(0);
    return lines.at(0).substr(begin.size());
  };
  EXPECT_EQ(counts(0, "5"), time_of(0) + " 0");
  EXPECT_EQ(sent_.at(0).values.size(), 1U);
  EXPECT_EQ(counts(10, "7.25"), time_of(10) + " 2.25");
  EXPECT_EQ(counts(20, "7.25"), time_of(20) + " 0");
  EXPECT_TRUE(sent_.at(0).values.empty()) << "it has not changed";
  EXPECT_EQ(counts(30, "1"), time_of(30) + " 1") << "it began again";
  restart();
  EXPECT_EQ(counts(40, "4"), time_of(40) + " 3");
}

TEST_F(ScrapedLinesTest, ASampleWithATimeOfItsOwnIsSentOnce) {
  const std::string text = "heat 2 " + std::to_string(kNow * 1000) + "\n";
  EXPECT_EQ(scrape(10, text).size(), 1U);
  EXPECT_EQ(scrape(20, text).size(), 0U);
  restart();
  EXPECT_EQ(scrape(30, text).size(), 0U);
}

// Both forget what is silent for a day, and neither of these is.
TEST_F(ScrapedLinesTest, WhatStaysAsItIsIsNotForgotten) {
  const std::string text = "n_total 5\nheat 2 " + std::to_string(kNow * 1000 - 172'800'000) + "\n";
  constexpr int64_t kHour_s = 3600;
  EXPECT_EQ(scrape(0, text).size(), 2U);
  for (int64_t hour = 1; hour < 50; ++hour) EXPECT_EQ(scrape(hour * kHour_s + 1, text).size(), 1U);
  for (const auto& [name, value] : spool_) EXPECT_GE(value.seen_s, kNow + 49 * kHour_s);
  restart();
  EXPECT_EQ(scrape(50 * kHour_s, text).size(), 1U);
  EXPECT_EQ(scrape(50 * kHour_s + 10, "n_total 7\n"),
            Lines{"$c n_total;instance=web:80;job=a " + time_of(50 * kHour_s + 10) + " 2"});
}

TEST_F(ScrapedLinesTest, ATimeFarAheadIsRefused) {
  EXPECT_EQ(scrape(0, "n_total 5\n").size(), 1U);
  EXPECT_EQ(scrape(10, "n_total 6 9999999999999\n").size(), 0U);
  EXPECT_EQ(scrape(20, "n_total 8\n"), Lines{"$c n_total;instance=web:80;job=a " + time_of(20) + " 3"});
}

TEST_F(ScrapedLinesTest, AClockThatIsSetBackLosesNothing) {
  const auto counts = [&](int64_t second, const std::string& value) {
    const Lines lines = scrape(second, "n_total " + value + "\n");
    return lines.empty() ? "nothing" : lines.at(0).substr(lines.at(0).rfind(' ') + 1);
  };
  EXPECT_EQ(counts(0, "5"), "0");
  EXPECT_EQ(counts(20'000, "6"), "1") << "it is wrong";
  EXPECT_EQ(counts(20, "8"), "2");
  EXPECT_EQ(counts(30, "9"), "1");
  EXPECT_EQ(counts(20'000, "10"), "1");
  restart();
  EXPECT_EQ(counts(40, "14"), "4") << "set back while the agent was stopped";
}

TEST_F(ScrapedLinesTest, FurtherCountersThanTheLimitAreRefused) {
  std::string text;
  for (int i = 0; i < 15; ++i) text += "n" + std::to_string(i) + "_total 1\n";
  EXPECT_EQ(scrape(0, text).size(), 10U);
  EXPECT_EQ(lines_->series(), 10U);
  EXPECT_EQ(scrape(10, "x_total 1\nn1_total 2\nheat 1\n").size(), 2U) << "the known one, and a gauge";
  const int64_t day_s = 86'400;
  EXPECT_EQ(scrape(day_s + 60, "x_total 1\n").size(), 1U) << "silent ones are forgotten";
}

TEST_F(ScrapedLinesTest, LongAnswersAreSeveralBatchesWithTheirOwnValues) {
  lines_.emplace(10'000, registry_.emplace_back(), [this](LineBatch batch) { take(std::move(batch)); });
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "n" + std::to_string(i) + "_total 1\n";
  EXPECT_EQ(scrape(0, text).size(), 3000U);
  EXPECT_GT(sent_.size(), 2U);
  size_t values = 0;
  for (const LineBatch& batch : sent_) {
    EXPECT_LE(batch.text.size(), ScrapedLines::kTextBytesMax + 3000);
    EXPECT_LE(batch.lines - batch.values.size(), 3U) << "without up and its like";
    values += batch.values.size();
  }
  EXPECT_EQ(values, 3000U);
}

TEST_F(ScrapedLinesTest, WhatCannotBeReadIsCounted) {
  EXPECT_EQ(scrape(0, "heat NaN\nrubbish\nn_total -1\nheat 3\n").size(), 1U);
  for (const Reading& reading : registry_.front().read()) {
    if (reading.path() == "statmill.scraped_samples_refused") {
      EXPECT_EQ(reading.value(), 3);
    }
  }
}

}  // namespace
}  // namespace statmill
