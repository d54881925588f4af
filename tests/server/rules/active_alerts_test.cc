#include "server/rules/active_alerts.h"

#include <gtest/gtest.h>

#include <string>

#include "server/rules/alert_row.h"

namespace statmill::rules {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Timestamp kStart{seconds(1'700'000'000)};
constexpr Duration kInterval = minutes(1);

class ActiveAlertsTest : public testing::Test {
 protected:
  // Evaluates once more; `is_found`: whether the condition holds. Returns the state, "" if there is no alert.
  std::string step(bool is_found) {
    std::vector<ActiveAlerts::Found> found;
    if (is_found) found.push_back({labels_, {{"summary", "s"}}, 5});
    const auto changes = alerts_.step(std::move(found), rule_, now_);
    changes_ = changes.size();
    is_gone_ = !changes.empty() && !changes.back().alert;
    now_ += kInterval;
    const auto at = alerts_.alerts().find(labels_);
    return at == alerts_.alerts().end() ? "" : std::string(state_text(at->second.state));
  }
  std::string steps(std::string_view found) {
    std::string out;
    for (const char c : found) {
      const std::string state = step(c == '1');
      out += state.empty() ? '-' : state[0];
    }
    return out;
  }

  Rule rule_;
  ActiveAlerts alerts_;
  LabelMap labels_ = {{"alertname", "a"}};
  Timestamp now_ = kStart;
  size_t changes_ = 0;
  bool is_gone_ = false;
};

TEST_F(ActiveAlertsTest, FiresAtOnceWithoutFor) { EXPECT_EQ(steps("0110"), "-ffi"); }

TEST_F(ActiveAlertsTest, IsPendingUntilForIsOver) {
  rule_.hold = minutes(2);
  EXPECT_EQ(steps("1111"), "ppff");
  EXPECT_EQ(alerts_.alerts().at(labels_).active_at, kStart);
  EXPECT_EQ(alerts_.alerts().at(labels_).fired_at, kStart + minutes(2));
}

TEST_F(ActiveAlertsTest, APendingAlertIsForgottenWhenItsConditionEnds) {
  rule_.hold = minutes(5);
  EXPECT_EQ(steps("110"), "pp-");
  EXPECT_TRUE(is_gone_);
  EXPECT_EQ(steps("1"), "p");
  EXPECT_EQ(alerts_.alerts().at(labels_).active_at, kStart + minutes(3));
}

TEST_F(ActiveAlertsTest, GoesOnToFireForAWhile) {
  rule_.keep_firing = minutes(2);
  EXPECT_EQ(steps("10010001"), "ffffffif");
}

TEST_F(ActiveAlertsTest, AResolvedAlertIsKeptAndThenForgotten) {
  EXPECT_EQ(steps("10"), "fi");
  EXPECT_EQ(alerts_.active(), 0U);
  EXPECT_EQ(steps(std::string(15, '0')), std::string(15, 'i'));
  EXPECT_EQ(steps("0"), "-");
}

TEST_F(ActiveAlertsTest, OnlyChangesOfTheStateAreStored) {
  rule_.hold = minutes(2);
  std::string counts;
  for (const bool found : {true, true, true, true, false, false}) {
    step(found);
    counts += std::to_string(changes_);
  }
  EXPECT_EQ(counts, "101010");  // pending, firing, resolved
}

TEST_F(ActiveAlertsTest, IsSentWhenItFiresThenOnceInAWhileAndWhenItEnds) {
  const auto is_sent = [&] { return !alerts_.take_due(now_ - kInterval, minutes(3)).empty(); };
  std::string sent;
  for (const char c : std::string("1111100000")) {
    step(c == '1');
    sent += is_sent() ? '1' : '0';
  }
  EXPECT_EQ(sent, "1001010010");
}

TEST_F(ActiveAlertsTest, OneThatFiresAgainIsSentAtOnce) {
  const auto is_sent = [&] { return !alerts_.take_due(now_ - kInterval, minutes(60)).empty(); };
  std::string sent;
  for (const char c : std::string("1101")) {
    step(c == '1');
    sent += is_sent() ? '1' : '0';
  }
  EXPECT_EQ(sent, "1011");
}

TEST_F(ActiveAlertsTest, AClockThatIsSetBackHoldsNothingUp) {
  rule_.hold = minutes(2);
  EXPECT_EQ(steps("1"), "p");
  now_ -= minutes(60);
  EXPECT_EQ(steps("111"), "ppf");
  EXPECT_EQ(alerts_.take_due(now_, minutes(1)).size(), 1U);
  now_ -= minutes(60);
  EXPECT_EQ(steps("0"), "i");
  EXPECT_EQ(alerts_.take_due(now_, minutes(1)).size(), 1U);
  EXPECT_EQ(alerts_.alerts().at(labels_).resolved_at, now_ - kInterval);
}

TEST_F(ActiveAlertsTest, WithoutRoomNothingIsKept) {
  rule_.keep_firing = minutes(60);
  EXPECT_EQ(steps("10"), "ff");
  alerts_.step({}, rule_, now_, {.active = 0, .resolved = 0});
  EXPECT_EQ(alerts_.active(), 0U);
  EXPECT_EQ(alerts_.alerts().size(), 1U);  // its end has to be sent
  alerts_.step({}, rule_, now_, {.active = 0, .resolved = 0});
  EXPECT_TRUE(alerts_.alerts().empty());
}

TEST_F(ActiveAlertsTest, IsTheSameAfterARestart) {
  rule_.hold = minutes(3);
  steps("11");
  const auto& before = alerts_.alerts().at(labels_);
  const auto restored = alert_of(alert_row(std::string(16, 'r'), labels_, before, now_));
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->first, labels_);
  EXPECT_EQ(restored->second.state, before.state);
  EXPECT_EQ(restored->second.active_at, before.active_at);
  EXPECT_EQ(restored->second.annotations, before.annotations);
  EXPECT_EQ(restored->second.value, before.value);
  alerts_ = {};
  alerts_.restore(restored->first, restored->second);
  EXPECT_EQ(steps("11"), "pf");
}

TEST(AlertRow, HasGoldenBytes) {
  Alert alert;
  alert.state = Alert::State::kFiring;
  alert.annotations = {{"summary", "s"}};
  alert.value = 1.5;
  alert.active_at = kStart;
  alert.fired_at = kStart + seconds(60);
  const DocumentRow row = alert_row(std::string(16, 'r'), {{"alertname", "a\"b"}}, alert, kStart);
  EXPECT_EQ(
      row.body,
      R"({"labels":{"alertname":"a\"b"},"annotations":{"summary":"s"},"value":"1.5","state":"firing","active_at":1700000000000,)"
      R"("fired_at":1700000060000,"resolved_at":0,"keep_firing_since":0})");
  EXPECT_EQ(row.key.id.size(), 32U);
  EXPECT_EQ(rule_id_of(row.key), std::string(16, 'r'));
}

TEST(AlertRow, DamagedBodiesAreRefused) {
  const DocumentRow row = alert_row(std::string(16, 'r'), {{"a", "b"}}, {}, kStart);
  for (size_t size = 0; size < row.body.size(); ++size) {
    DocumentRow cut = row;
    cut.body.resize(size);
    EXPECT_FALSE(alert_of(cut)) << size;
  }
  for (const char* body : {"[]", "{}", R"({"labels":5})", R"({"labels":{},"state":"x"})"}) {
    DocumentRow other = row;
    other.body = body;
    EXPECT_FALSE(alert_of(other)) << body;
  }
}

TEST(AlertRow, AChangedExpressionIsTheSameRule) {
  RuleGroup group{.name = "g", .file = "f", .rules = {}};
  Rule rule;
  rule.name = "a";
  rule.expression = "x > 1";
  Rule other = rule;
  other.expression = "x > 2";
  EXPECT_EQ(rule_id(group, rule, 0), rule_id(group, other, 0));
  EXPECT_NE(rule_id(group, rule, 0), rule_id(group, rule, 1));
  other.labels.push_back({"severity", "page", {}});
  EXPECT_NE(rule_id(group, rule, 0), rule_id(group, other, 0));
}

}  // namespace
}  // namespace statmill::rules
