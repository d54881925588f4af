// Retention rules added to a server that already has data: queries no longer return expired data, the server
// removes it from disk, and the rest stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr const char* kTiers = "1s:1d,1m:30d";  // chunks of 36 minutes and of 19 hours
constexpr int64_t kAge_s = 23 * 3600;

class RetentionE2e : public testing::Test {
 protected:
  // Starts the server on the same data with these rules.
  void start(std::string_view rules) {
    configuration_.write("statmilld.conf", rules);
    server_.start();
  }
  void stop() {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  // Returns a line "NAME COUNT" for each matching series, for the two minutes around old_s_.
  std::string old_samples(const std::string& glob) {
    const auto answer = boost::json::parse(server_.get("/api/v1/query?stats=count&step=1&series=" + glob +
                                                       "&from=" + std::to_string(old_s_ - 60) +
                                                       "&until=" + std::to_string(old_s_ + 60)));
    std::string out;
    for (const auto& series : answer.at("series").as_array()) {
      double count = 0;
      for (const auto& n : series.at("count").as_array()) count += n.is_null() ? 0 : n.to_number<double>();
      out += std::string(series.at("name").as_string()) + " " + std::to_string(std::lround(count)) + "\n";
    }
    return out;
  }

  const int64_t old_s_ = unix_seconds(SystemClock().wall()) - kAge_s;
  TempDirectory configuration_;
  ServerProcess server_{STATMILL_BIN,
                        {"--retention", kTiers, "--flush.interval", "100ms", "--config",
                         (configuration_.path() / "statmilld.conf").string()}};
};

TEST_F(RetentionE2e, NewRulesExpireOnlyTheDataThatTheyCover) {
  start("");
  const std::string old = " " + std::to_string(old_s_) + " 1\n";
  server_.send("debug.a" + old + "debug.b" + old + "kept.a" + old + "long.a" + old);
  EXPECT_EQ(old_samples("{debug,kept,long}.*"), "debug.a 1\ndebug.b 1\nkept.a 1\nlong.a 1\n");
  server_.wait_until_durable();
  // The flush interval is shorter than a tick, so two flushes bring all into chunks. What is in the journal
  // only is dropped by the start below, and not counted.
  constexpr const char* kFlushes = "statmill_flush_seconds_count";
  ASSERT_TRUE(server_.wait_for_metric(kFlushes, server_.metric(kFlushes) + 2));
  stop();

  start("[retention]\nrule = debug.* 1s:1h,1m:2h\nrule = long.* 1m:10y\n");
  // Nothing is kept of two series, so these go, too.
  ASSERT_TRUE(server_.wait_for_metric("statmill_series_expired_total", 2));
  EXPECT_EQ(old_samples("debug.*"), "");
  EXPECT_EQ(old_samples("{kept,long}.*"), "kept.a 1\nlong.a 1\n");
  // Two chunks of each of the two.
  ASSERT_TRUE(server_.wait_for_metric("statmill_expired_rows_total", 4));
  EXPECT_EQ(server_.metric("statmill_expired_rows_total"), 4);
  server_.send("debug.a 1\ndebug.a" + old);
  EXPECT_EQ(server_.totals("debug.a").at("debug.a").count, 1) << "a series may come again";
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"too_old\"}"), 1);
  stop();

  start("");
  EXPECT_EQ(old_samples("{debug,kept,long}.*"), "debug.a 0\nkept.a 1\nlong.a 1\n") << "removed from the disk";
  stop();
}

TEST_F(RetentionE2e, AllInvalidRulesAreReportedAndTheServerDoesNotStart) {
  configuration_.write("statmilld.conf", "[retention]\nrule = a 7s:1d\nrule = [b 1s:1h\n");
  const std::filesystem::path data = configuration_.path() / "data";
  Process process({STATMILL_BIN "/statmilld",
                   {"--retention", kTiers, "--store.path", data.string(), "--config",
                    (configuration_.path() / "statmilld.conf").string()},
                   {}});
  EXPECT_EQ(process.wait(), 2);
  EXPECT_THAT(process.standard_error(),
              HasSubstr("rule \"a 7s:1d\": tier \"7s:1d\": no tier has this step; the tiers are"));
  EXPECT_THAT(process.standard_error(), HasSubstr("rule \"[b 1s:1h\": glob: [ without ]"));
  EXPECT_FALSE(std::filesystem::exists(data));
}

}  // namespace
}  // namespace statmill
