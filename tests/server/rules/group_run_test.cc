#include "server/rules/group_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "server/rules/rule_parser.h"
#include "server/rules/rule_routes.h"
#include "tests/support/manual_clock.h"

namespace statmill::rules {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr Timestamp kStart{seconds(1'700'000'040)};  // a whole minute

RuleSample sample(std::vector<SeriesLabels::Label> labels, int64_t value) {
  return {SeriesLabels::of(std::move(labels)), AnswerNumber::decimal(value, 0)};
}

// Queries have the answers that a test gives them; what is recorded and sent is kept.
class World final : public RuleSource, public RuleSink, public AlertSink {
 public:
  explicit World(const std::string& rules, size_t alerts_max = 100) : budget_{0, alerts_max} {
    options_.labels = {{"site", "eu"}};
    auto groups = parse_rules("groups:\n- name: g\n  rules:\n" + rules, "f.yml", options_);
    EXPECT_TRUE(groups) << groups.error().message;
    group_ = std::make_shared<const RuleGroup>(groups->at(0));
    restart();
  }
  // A new run of the same group.
  void restart() {
    run_.reset();
    run_.emplace(group_, GroupRun::Services{options_, *this, *this, *this, changes_, budget_, clock_,
                                            is_ending_, registry_.counter("e", ""),
                                            registry_.counter("f", ""), registry_.counter("u", "")});
  }

  Result<std::vector<RuleSample>> evaluate(const promql::SyntaxTree&, std::string_view text, Timestamp at,
                                           Duration) override {
    EXPECT_EQ(at, now_);
    if (on_query_) on_query_(text);
    const auto found = answers_.find(std::string(text));
    if (found == answers_.end()) return Error{ErrorCode::kLimit, "too much"};
    return found->second;
  }
  Status record(std::span<const RecordedSample> samples, Timestamp at) override {
    EXPECT_EQ(at, now_);
    for (const RecordedSample& one : samples) recorded_[one.name] = one.value.value();
    return refuses_ ? Status(Error{ErrorCode::kInvalid, "samples were refused: 1 kind_mismatch"})
                    : Status::ok();
  }
  void end(std::span<const std::string> names, Timestamp at) override {
    EXPECT_EQ(at, now_);
    ended_.insert(ended_.end(), names.begin(), names.end());
  }
  void send(std::vector<SentAlert> alerts) override {
    for (SentAlert& alert : alerts) sent_.push_back(std::move(alert));
  }

  // Evaluates the group once more, a minute later, and forgets what was recorded and sent before.
  void evaluate() {
    recorded_.clear();
    ended_.clear();
    sent_.clear();
    now_ += minutes(1);
    run_->evaluate(now_);
  }
  std::string fault(size_t rule = 0) const { return run_->state()->rules[rule].fault; }

  RuleOptions options_;
  std::map<std::string, std::vector<RuleSample>> answers_;
  std::map<std::string, double> recorded_;
  std::vector<std::string> ended_;
  std::vector<SentAlert> sent_;
  bool refuses_ = false;
  std::function<void(std::string_view)> on_query_;
  Timestamp now_ = kStart;
  DocumentChanges changes_;
  AlertBudget budget_;
  std::atomic<bool> is_ending_{false};
  ManualClock clock_;
  Registry registry_;
  std::shared_ptr<const RuleGroup> group_;
  std::optional<GroupRun> run_;
};

constexpr const char* kRecord = "  - record: job:up\n    expr: up\n    labels: {dc: eu, gone: ''}\n";
constexpr const char* kAlert =
    "  - alert: Down\n    expr: up == 0\n    for: 1m\n    labels: {severity: page}\n"
    "    annotations: {summary: 'of {{ $labels.job }}: {{ $value }}'}\n";

TEST(GroupRun, RecordsWithTheNameAndLabelsOfTheRule) {
  World world(kRecord);
  world.answers_["up"] = {sample({{"__name__", "up"}, {"job", "a b"}, {"gone", "x"}}, 1),
                          sample({{"job", "c"}, {"dc", "us"}}, 0)};
  world.evaluate();
  EXPECT_EQ(world.fault(), "");
  EXPECT_THAT(world.recorded_,
              UnorderedElementsAre(Pair("job:up;dc=eu;job=a%20b", 1), Pair("job:up;dc=eu;job=c", 0)));
}

TEST(GroupRun, WhatIsNoLongerFoundHasEnded) {
  World world(kRecord);
  world.answers_["up"] = {sample({{"job", "a"}}, 1), sample({{"job", "b"}}, 1)};
  world.evaluate();
  EXPECT_THAT(world.ended_, IsEmpty());
  world.answers_["up"] = {sample({{"job", "b"}}, 1)};
  world.evaluate();
  EXPECT_THAT(world.ended_, ElementsAre("job:up;dc=eu;job=a"));
  world.evaluate();
  EXPECT_THAT(world.ended_, IsEmpty());
  world.answers_.clear();  // an error ends nothing
  world.evaluate();
  EXPECT_THAT(world.ended_, IsEmpty());
  EXPECT_EQ(world.fault(), "too much");
}

TEST(GroupRun, FaultsOfARuleAreReportedAndHarmNoOther) {
  World world(std::string(kRecord) + "  - record: b\n    expr: b\n");
  world.answers_["up"] = {sample({{"job", "a"}, {"dc", "x"}}, 1), sample({{"job", "a"}, {"dc", "y"}}, 1)};
  world.answers_["b"] = {sample({}, 7)};
  world.evaluate();
  EXPECT_THAT(world.fault(0), HasSubstr("same labelset after applying rule labels"));
  EXPECT_EQ(world.fault(1), "");
  EXPECT_THAT(world.recorded_, ElementsAre(Pair("b", 7)));
  world.refuses_ = true;
  world.evaluate();
  EXPECT_THAT(world.fault(1), HasSubstr("kind_mismatch"));
}

TEST(GroupRun, AnAlertIsPendingThenFiresThenEnds) {
  World world(kAlert);
  world.answers_["up == 0"] = {sample({{"__name__", "up"}, {"job", "a"}}, 0)};
  world.evaluate();
  const Timestamp since = world.now_;
  EXPECT_THAT(world.recorded_,
              UnorderedElementsAre(Pair("ALERTS;alertname=Down;alertstate=pending;job=a;severity=page", 1),
                                   Pair("ALERTS_FOR_STATE;alertname=Down;job=a;severity=page",
                                        static_cast<double>(unix_seconds(since)))));
  EXPECT_THAT(world.sent_, IsEmpty());
  world.evaluate();
  EXPECT_EQ(world.recorded_.count("ALERTS;alertname=Down;alertstate=firing;job=a;severity=page"), 1U);
  EXPECT_THAT(world.ended_, ElementsAre("ALERTS;alertname=Down;alertstate=pending;job=a;severity=page"));
  ASSERT_EQ(world.sent_.size(), 1U);
  EXPECT_THAT(world.sent_[0].labels, UnorderedElementsAre(Pair("alertname", "Down"), Pair("job", "a"),
                                                          Pair("severity", "page"), Pair("site", "eu")));
  EXPECT_THAT(world.sent_[0].annotations, ElementsAre(Pair("summary", "of a: 0")));
  EXPECT_EQ(world.sent_[0].starts_at, world.now_);
  EXPECT_EQ(world.sent_[0].ends_at, world.now_ + minutes(4));
  world.answers_["up == 0"].clear();
  world.evaluate();
  EXPECT_THAT(world.recorded_, IsEmpty());
  EXPECT_EQ(world.ended_.size(), 2U);
  ASSERT_EQ(world.sent_.size(), 1U);
  EXPECT_EQ(world.sent_[0].ends_at, world.now_);
}

TEST(GroupRun, ChangesOfAlertsAreStored) {
  World world(kAlert);
  world.answers_["up == 0"] = {sample({{"job", "a"}}, 0)};
  world.evaluate();
  StoreBatch batch;
  world.changes_.add_to(batch);
  ASSERT_EQ(batch.documents.size(), 1U);
  EXPECT_EQ(batch.documents[0].key.kind, DocumentKind::kAlert);
  world.changes_.committed();
  world.answers_["up == 0"].clear();
  world.evaluate();
  StoreBatch next;
  world.changes_.add_to(next);
  EXPECT_EQ(next.removed_documents.size(), 1U);
}

TEST(GroupRun, AFaultOfATemplateIsInItsText) {
  World world("  - alert: A\n    expr: x\n    annotations: {a: '{{ query \"y\" | first | value }}'}\n");
  world.answers_["x"] = {sample({}, 1)};
  world.evaluate();
  ASSERT_EQ(world.sent_.size(), 1U);
  EXPECT_THAT(world.sent_[0].annotations["a"],
              HasSubstr("<error expanding template: template: query: too much>"));
  world.answers_["y"] = {sample({}, 42)};
  world.evaluate();
  EXPECT_EQ(world.sent_.at(0).annotations["a"], "42");
}

TEST(GroupRun, LongTextsOfAnAlertAreCut) {
  std::string rule = "  - alert: A\n    expr: x\n    annotations:\n";
  for (int i = 0; i < 60; ++i)
    rule += "      a" + std::to_string(i) +
            ": \"{{ $v := $value | printf `%100.0f` }}{{ $v = print $v $v }}" +
            "{{ $v = print $v $v $v $v $v $v $v $v }}{{ $v }}{{ $v }}{{ $v }}{{ $v }}{{ $v }}\\a\"\n";
  World world(rule);
  world.answers_["x"] = {sample({}, 1)};
  world.evaluate();
  ASSERT_EQ(world.sent_.size(), 1U);
  size_t bytes = 0;
  for (const auto& [name, text] : world.sent_[0].annotations) bytes += text.size();
  EXPECT_GT(bytes, kAlertTextBytesMax / 2);
  EXPECT_LT(bytes, kAlertTextBytesMax + size_t{60} * 100);
  StoreBatch batch;
  world.changes_.add_to(batch);
  EXPECT_LE(batch.documents.at(0).body.size(), kDocumentBodyBytesMax);
}

TEST(GroupRun, LabelsThatNoSeriesCanHaveHideNoOtherAlert) {
  World world("  - alert: A\n    expr: x\n");
  world.answers_["x"] = {sample({{"job", "a"}}, 1), sample({{"job", std::string(5000, 'b')}}, 1)};
  world.evaluate();
  EXPECT_THAT(world.fault(), HasSubstr("2048 bytes"));
  EXPECT_EQ(world.sent_.size(), 2U);
  EXPECT_EQ(world.recorded_.count("ALERTS;alertname=A;alertstate=firing;job=a"), 1U);
  world.answers_["x"] = {sample({{"job", std::string(kAlertTextBytesMax, 'b')}}, 1)};
  world.evaluate();
  EXPECT_THAT(world.fault(), HasSubstr("an alert has labels of more than 65536 bytes"));
}

// Each evaluation has other alerts, as if an id were among the labels.
TEST(GroupRun, AlertsThatHaveEndedAreBoundedToo) {
  for (const char* more : {"", "    keep_firing_for: 1d\n"}) {
    World world("  - alert: A\n    expr: x\n" + std::string(more), 3);
    for (int i = 0; i < 10; ++i) {
      world.answers_["x"] = {sample({{"id", std::to_string(2 * i)}}, 1),
                             sample({{"id", std::to_string(2 * i + 1)}}, 1)};
      world.evaluate();
      EXPECT_EQ(world.fault(), "");
      EXPECT_LE(world.budget_.used, 3U);
      EXPECT_LE(world.budget_.resolved, 3U + 2U);
    }
    const auto kept = world.run_->take(0);
    EXPECT_LE(kept.alerts.size(), 8U);
    EXPECT_EQ(world.budget_.used + world.budget_.resolved, 0U);
    world.run_->restore(0, kept);
    EXPECT_EQ(world.budget_.used + world.budget_.resolved, kept.alerts.size());
  }
}

TEST(GroupRun, AnEndDuringTemplatesChangesNothing) {
  World world("  - alert: A\n    expr: x\n    annotations: {a: '{{ query \"y\" }}'}\n");
  world.answers_["x"] = {sample({}, 1)};
  world.on_query_ = [&](std::string_view text) { world.is_ending_ = text == "y"; };
  world.answers_["y"] = {};
  world.evaluate();
  EXPECT_EQ(world.fault(), "the server stops");
  EXPECT_THAT(world.sent_, IsEmpty());
}

TEST(GroupRun, TooManyAlertsFailTheRule) {
  World world(kAlert, 2);
  for (const char* job : {"a", "b", "c"}) world.answers_["up == 0"].push_back(sample({{"job", job}}, 0));
  world.evaluate();
  EXPECT_THAT(world.fault(), HasSubstr("--rules.alerts"));
  EXPECT_EQ(world.budget_.used, 0U);
  world.answers_["up == 0"].pop_back();
  world.evaluate();
  EXPECT_EQ(world.fault(), "");
  EXPECT_EQ(world.budget_.used, 2U);
  world.restart();
  EXPECT_EQ(world.budget_.used, 0U);
}

TEST(GroupRun, TheLimitOfAGroupIsPrometheus) {
  World world("  - record: r\n    expr: x\n");
  auto group = *world.group_;
  group.limit = 1;
  world.group_ = std::make_shared<const RuleGroup>(group);
  world.restart();
  world.answers_["x"] = {sample({{"a", "1"}}, 1), sample({{"a", "2"}}, 1)};
  world.evaluate();
  EXPECT_EQ(world.fault(), "exceeded limit of 1 with 2 series");
}

class RuleRoutesTest : public testing::Test {
 protected:
  RuleRoutesTest() : world_(std::string(kAlert) + kRecord) {
    world_.answers_["up == 0"] = {sample({{"job", "a"}}, 0)};
    world_.evaluate();
    auto state = std::make_shared<GroupState>(*world_.run_->state());
    state->took = std::chrono::milliseconds(2);
    for (RuleState& rule : state->rules) rule.took = std::chrono::milliseconds(1);
    board_.set({state});
  }
  std::string get(const RuleBoard* board, const std::string& target) {
    const Router router(rule_routes(board));
    HttpRequest request;
    request.method = "GET";
    const std::string whole = "/prometheus/api/v1/" + target;
    request.target = whole;
    return router.answer(request).body;
  }

  World world_;
  RuleBoard board_;
};

TEST_F(RuleRoutesTest, AnswersAsPrometheusDoes) {
  const std::string alerts =
      R"({"labels":{"alertname":"Down","job":"a","severity":"page"},"annotations":{"summary":"of a: 0"},)"
      R"("state":"pending","activeAt":"2023-11-14T22:15:00Z","value":"0"})";
  EXPECT_EQ(get(&board_, "alerts"), R"({"status":"success","data":{"alerts":[)" + alerts + "]}}\n");
  EXPECT_EQ(
      get(&board_, "rules"),
      R"({"status":"success","data":{"groups":[{"name":"g","file":"f.yml","rules":[)"
      R"({"state":"pending","name":"Down","query":"up == 0","duration":60,"keepFiringFor":0,)"
      R"("labels":{"severity":"page"},"annotations":{"summary":"of {{ $labels.job }}: {{ $value }}"},)"
      R"("alerts":[)" +
          alerts +
          R"(],"health":"ok","evaluationTime":0.001,"lastEvaluation":"2023-11-14T22:15:00Z","type":"alerting"},)"
          R"({"name":"job:up","query":"up","labels":{"dc":"eu","gone":""},"health":"err",)"
          R"("lastError":"too much","evaluationTime":0.001,"lastEvaluation":"2023-11-14T22:15:00Z",)"
          R"("type":"recording"}],"interval":60,"limit":0,"evaluationTime":0.002,)"
          R"("lastEvaluation":"2023-11-14T22:15:00Z"}]}})"
          "\n");
}

TEST_F(RuleRoutesTest, RulesCanBeChosen) {
  EXPECT_THAT(get(&board_, "rules?type=record"), testing::Not(HasSubstr("alerting")));
  EXPECT_THAT(get(&board_, "rules?type=alert"), testing::Not(HasSubstr("recording")));
  EXPECT_THAT(get(&board_, "rules?rule_name[]=job:up"), testing::Not(HasSubstr("Down")));
  EXPECT_THAT(get(&board_, "rules?file[]=other"), HasSubstr(R"("groups":[])"));
  EXPECT_THAT(get(&board_, "rules?rule_group[]=g"), HasSubstr("Down"));
  EXPECT_THAT(get(&board_, "rules?exclude_alerts=true"), HasSubstr(R"("alerts":[])"));
  EXPECT_THAT(get(&board_, "rules?type=x"), HasSubstr(R"("errorType":"bad_data")"));
}

TEST_F(RuleRoutesTest, WithoutRulesTheListsAreEmpty) {
  EXPECT_EQ(get(nullptr, "rules"), "{\"status\":\"success\",\"data\":{\"groups\":[]}}\n");
  EXPECT_EQ(get(nullptr, "alerts"), "{\"status\":\"success\",\"data\":{\"alerts\":[]}}\n");
}

}  // namespace
}  // namespace statmill::rules
