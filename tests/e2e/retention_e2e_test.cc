// Retention rules that change for a server that already has data, at a start and at a reload: queries no
// longer return expired data, the server removes it from disk, and the rest stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <csignal>

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
  // Makes the server read these rules now. Returns the line of the log that has this text.
  std::string reload(std::string_view rules, std::string_view said) {
    configuration_.write("statmilld.conf", rules);
    server_.process().signal(SIGHUP);
    const auto line = server_.process().wait_for_line(said);
    EXPECT_TRUE(line) << server_.process().standard_error();
    return line.value_or("");
  }
  void write_chunks() const {
    server_.wait_until_durable();
    // The flush interval is shorter than a tick, so two flushes bring all into chunks.
    constexpr const char* kFlushes = "statmill_flush_seconds_count";
    ASSERT_TRUE(server_.wait_for_metric(kFlushes, server_.metric(kFlushes) + 2));
  }
  // Returns what `statmill retention` prints of one tier of the class of this number.
  boost::json::object kept(std::vector<std::string> options, size_t number, int64_t step_s) {
    options.insert(options.begin(), {"retention", "--format", "json"});
    const Ended ended = server_.cli(options);
    EXPECT_EQ(ended.status, 0) << ended.said;
    said_ = ended.said;
    const auto answer = boost::json::parse(ended.out);
    for (const auto& tier : answer.at("classes").at(number).at("tiers").as_array()) {
      if (tier.at("step").to_number<int64_t>() == step_s) return tier.as_object();
    }
    ADD_FAILURE() << ended.out;
    return {};
  }
  static int64_t number(const boost::json::object& of, std::string_view field) {
    return of.at(field).to_number<int64_t>();
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
  std::string said_;  // by the last command, on standard error
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
  write_chunks();  // what is in the journal only is dropped by the start below, and not counted
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

constexpr const char* kReloaded = "certificates, tokens and lists of networks read again";

TEST_F(RetentionE2e, AReloadDropsWhatTheDryRunSaid) {
  const std::string old = " " + std::to_string(old_s_) + " 1\n";
  start("[retention]\nrule = debug.* 1s:1d,1m:30d\n");
  server_.send("debug.a" + old + "debug.b" + old + "kept.a" + old + "debug.a 1\ndebug.b 1\n");
  write_chunks();
  EXPECT_EQ(number(kept({}, 1, 1), "retention_s"), 86'400);

  configuration_.write("statmilld.conf", "[retention]\nrule = debug.* 1s:1h,1m:2h\n");
  const auto debug = kept({"--dry-run"}, 1, 1);
  EXPECT_THAT(said_, HasSubstr(" of 2 series would be dropped, for good"));
  EXPECT_EQ(number(debug, "retention_s"), 86'400);
  EXPECT_EQ(number(debug, "then_s"), 3600);
  EXPECT_EQ(number(debug, "oldest"), old_s_);
  EXPECT_EQ(number(debug, "affected_series"), 2);
  EXPECT_GT(number(debug, "dropped_bytes"), 0);
  EXPECT_LT(number(debug, "dropped_bytes"), number(debug, "bytes")) << "the new samples stay";
  EXPECT_EQ(number(kept({"--dry-run"}, 0, 1), "affected_series"), 0);
  EXPECT_EQ(old_samples("{debug,kept}.*"), "debug.a 1\ndebug.b 1\nkept.a 1\n") << "it changes nothing";
  kept({"--dry-run", "--retention.rule", "debug.* 1s:1d,1m:30d"}, 1, 1);
  EXPECT_EQ(said_, "statmill: nothing would be dropped\n") << "by the option, not by the file";

  server_.process().signal(SIGHUP);
  const auto line = server_.process().wait_for_line("retention changed, and data are dropped");
  ASSERT_TRUE(line) << server_.process().standard_error();
  EXPECT_THAT(*line, HasSubstr("before=1s:1d,1m:30d now=1s:1h,1m:2h series=2 about_bytes="));
  ASSERT_TRUE(server_.process().wait_for_line(kReloaded));
  EXPECT_EQ(old_samples("{debug,kept}.*"), "debug.a 0\ndebug.b 0\nkept.a 1\n");
  ASSERT_TRUE(server_.wait_for_metric("statmill_expired_rows_total", 4));  // two chunks of each of the two
  const auto then = kept({}, 1, 1);
  EXPECT_EQ(number(then, "retention_s"), 3600);
  EXPECT_LT(number(then, "bytes"), number(debug, "bytes"));
  stop();
  start("[retention]\nrule = debug.* 1s:1d,1m:30d\n");
  EXPECT_EQ(old_samples("{debug,kept}.*"), "debug.a 0\ndebug.b 0\nkept.a 1\n") << "removed from the disk";
  stop();
}

TEST_F(RetentionE2e, AReloadThatKeepsDataLongerAppliesAtOnce) {
  const std::string old = " " + std::to_string(old_s_) + " 1\n";
  start("[retention]\nrule = debug.* 1s:1h,1m:2h\n");
  server_.send("debug.a" + old);
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"too_old\"}"), 1);
  const std::string line = reload("[retention]\nrule = debug.* 1s:1d,1m:30d\n", "retention changed rule=");
  EXPECT_THAT(line, HasSubstr("before=1s:1h,1m:2h now=1s:1d,1m:30d"));
  server_.send("debug.a" + old);
  EXPECT_EQ(old_samples("debug.a"), "debug.a 1\n");
  EXPECT_THAT(server_.get("/api/v1/retention?name=debug.a"), HasSubstr("\"retention_s\":2592000"));
  stop();
}

TEST_F(RetentionE2e, AReloadLeavesAllAsItWasIfItIsInvalidOrNeedsARestart) {
  start("[retention]\nrule = debug.* 1s:1d,1m:30d\n");
  const auto expect_as_it_was = [this] {
    EXPECT_EQ(number(kept({}, 1, 1), "retention_s"), 86'400);
    EXPECT_EQ(number(kept({}, 0, 60), "retention_s"), 30 * 86'400);
  };
  const std::string fault = reload("[retention]\nrule = debug.* 1s:1h,7s:2h\n[log]\nlevel = debug\n",
                                   "settings not read again, all stays as it was");
  EXPECT_THAT(fault, HasSubstr("no tier has this step"));
  expect_as_it_was();
  const Ended dry_run = server_.cli({"retention", "--dry-run"});
  EXPECT_EQ(dry_run.status, 1);
  EXPECT_THAT(dry_run.said, HasSubstr("no tier has this step"));

  const std::string other = "[retention]\nrule = debug.* 1s:1h,1m:2h\nrule = more.* 1s:1h\n";
  EXPECT_THAT(reload(other, "the retention stays as it was"),
              HasSubstr("reason=\"rule 2 is missing and not for \\\"more.*\\\"\""));
  EXPECT_THAT(reload(other, "settings changed that need a restart"), HasSubstr("settings=retention.rule"));
  expect_as_it_was();
  EXPECT_THAT(server_.cli({"retention", "--dry-run"}).said, HasSubstr("rule 2 is missing"));
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
