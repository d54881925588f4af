#include "server/rules/stored_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "server/promql/parser.h"
#include "server/query/read/table_pieces.h"
#include "server/query/table_series.h"
#include "server/tick/recovery.h"
#include "tests/server/http/fake_services.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace statmill::rules {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

class StoredRulesTest : public testing::Test {
 protected:
  static constexpr int64_t kNow_s = 1'700'000'100;

  StoredRulesTest() { EXPECT_TRUE(recover(store_, table_)); }

  void add(std::string_view name, Kind kind, std::string_view value, int64_t time_s) {
    Batch batch;
    Sample& sample = batch.samples.emplace_back();
    sample.name = name;
    sample.kind = kind;
    sample.time_s = time_s;
    ASSERT_TRUE(parse_number(value, sample.value).is_accepted());
    batch.received = 1;
    ASSERT_EQ(table_.apply(batch, clock_.wall()), 1U);
  }
  // The samples of an instant query, as text.
  std::string ask(std::string_view query, int64_t at_s) {
    const auto tree = promql::parse_promql(query);
    const auto samples = rules_->evaluate(*tree, query, from_unix_seconds(at_s), seconds(10));
    if (!samples) return samples.error().message;
    std::string out;
    for (const RuleSample& sample : *samples) {
      out += sample.labels.text() + " ";
      sample.value.append_to(out);
      out += "\n";
    }
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:1h,5m:1y");
  ManualClock clock_{kNow_s};
  MemoryStore store_{tiers_};
  Table table_{Retention(tiers_), TableLimits{}};
  TablePieces pieces_{table_, store_};
  TableSeries series_{table_};
  Registry registry_;
  Intake intake_{table_, registry_};
  QueryService queries_{QueryOptions{}, {registry_, clock_, nullptr}};
  std::optional<StoredRules> rules_{
      StoredRules::Services{{series_, pieces_, table_.live_retention(), store_.expiry()},
                            queries_,
                            intake_,
                            table_.ends(),
                            clock_}};
};

// What is recorded for T is what the expression is at T, also for a rule that reads it at T.
TEST_F(StoredRulesTest, ARecordedSeriesIsItsExpression) {
  for (int64_t time_s = kNow_s - 60; time_s < kNow_s; time_s += 10) {
    add("heat;room=a%20b", Kind::kGauge, "20.125", time_s);
    add("heat;room=c", Kind::kGauge, "0.1", time_s);
  }
  EXPECT_EQ(ask("heat", kNow_s), "heat{room=\"a b\"} 20.125\nheat{room=\"c\"} 0.1\n");
  const std::vector<RecordedSample> samples = {{"r;room=a%20b", AnswerNumber::decimal(20125, 3)},
                                               {"r;room=c", AnswerNumber::real(1.0 / 3)}};
  for (int64_t at_s = kNow_s - 30; at_s <= kNow_s; at_s += 10) {
    ASSERT_TRUE(rules_->record(samples, from_unix_seconds(at_s)));
    EXPECT_EQ(ask("r", at_s), "r{room=\"a b\"} 20.125\nr{room=\"c\"} 0.3333333333333333\n");
  }
  EXPECT_EQ(ask("count_over_time(r[30s])", kNow_s), "{room=\"a b\"} 3\n{room=\"c\"} 3\n");
  EXPECT_EQ(registry_.counter("statmill.samples_accepted", "", {{"listener", "rules"}}).value(), 8U);
}

TEST_F(StoredRulesTest, AnEndedSeriesIsNotFoundUntilItIsRecordedAgain) {
  const std::vector<RecordedSample> samples = {{"r", AnswerNumber::decimal(1, 0)}};
  const std::vector<std::string> names = {"r"};
  ASSERT_TRUE(rules_->record(samples, from_unix_seconds(kNow_s - 20)));
  rules_->end(names, from_unix_seconds(kNow_s - 10));
  EXPECT_EQ(ask("r", kNow_s - 20), "r 1\n");
  EXPECT_EQ(ask("r", kNow_s - 10), "");
  EXPECT_EQ(ask("r", kNow_s), "");
  ASSERT_TRUE(rules_->record(samples, from_unix_seconds(kNow_s - 9)));  // in the slot of the end
  EXPECT_EQ(ask("r", kNow_s), "r 1\n");
}

TEST_F(StoredRulesTest, AScalarIsOneSampleWithoutLabels) { EXPECT_EQ(ask("1 + 1", kNow_s), "{} 2\n"); }

TEST_F(StoredRulesTest, HistogramsAreRefusedWithAdvice) {
  add("d", Kind::kDistribution, "5", kNow_s - 20);
  EXPECT_THAT(ask("rate(d[1m])", kNow_s), HasSubstr("histogram_quantile()"));
  EXPECT_EQ(ask("histogram_quantile(1, rate(d[1m]))", kNow_s), "{} 5\n");
}

TEST_F(StoredRulesTest, RefusedSamplesAreAnErrorAndOthersAreKept) {
  add("e", Kind::kEvent, "1", kNow_s - 20);
  const std::vector<RecordedSample> samples = {{"e", AnswerNumber::decimal(1, 0)},
                                               {"r", AnswerNumber::decimal(1, 0)}};
  const Status status = rules_->record(samples, from_unix_seconds(kNow_s));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "samples were refused: 1 kind_mismatch");
  EXPECT_EQ(ask("r", kNow_s), "r 1\n");
}

TEST_F(StoredRulesTest, AfterAStopQueriesAreCanceled) {
  add("heat", Kind::kGauge, "1", kNow_s - 20);
  EXPECT_EQ(ask("heat", kNow_s), "heat 1\n");
  rules_->stop();
  EXPECT_THAT(ask("heat", kNow_s), HasSubstr("canceled"));
}

TEST_F(StoredRulesTest, QueriesAreLimitedAndCounted) {
  QueryOptions options;
  options.limits.selected_max = 1;
  QueryService strict(options, {registry_, clock_, nullptr});
  rules_.emplace(StoredRules::Services{
      {series_, pieces_, table_.live_retention(), store_.expiry()}, strict, intake_, table_.ends(), clock_});
  add("heat;room=a", Kind::kGauge, "1", kNow_s - 20);
  add("heat;room=b", Kind::kGauge, "1", kNow_s - 20);
  EXPECT_THAT(ask("heat", kNow_s), HasSubstr("--query.selected"));
}

}  // namespace
}  // namespace statmill::rules
