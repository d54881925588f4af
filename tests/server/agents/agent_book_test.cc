// AgentBook between its connections and the tick: what follows is taken once, and told when it is durable.
#include "server/agents/agent_book.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

namespace statmill {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class Watcher final : public AgentWatcher {
 public:
  void durable(AckFrame ack) override { durable_seq = ack.seq; }
  void ended(RefuseReason reason) override { end = reason; }
  uint64_t durable_seq = 0;
  std::optional<RefuseReason> end;
};

AgentId id_of(uint8_t number) {
  AgentId id;
  id.bytes.fill(number);
  return id;
}

class AgentBookTest : public testing::Test {
 protected:
  AgentBookTest() { make_book({}); }

  void make_book(const AgentLimits& limits) { book_ = std::make_unique<AgentBook>(limits, registry_); }
  // As after a start of the server, with what the store has.
  void restart(const AgentLimits& limits = {}) {
    make_book(limits);
    AgentRows rows{{}, 0, forgotten_until_};
    for (const auto& [id, row] : stored_) rows.rows.push_back(row);
    book_->restore(std::move(rows));
  }
  void pass(Duration time) {
    now_.wall += time;
    now_.steady += time;
  }

  HelloFrame hello(uint8_t agent, uint32_t epoch = 1) const {
    return {.id = id_of(agent), .acknowledged = {.epoch = epoch}, .clock = now_.wall, .host = "web"};
  }
  std::variant<AgentBook::Opened, RefuseReason> try_open(const HelloFrame& hello) {
    watcher_ = std::make_shared<Watcher>();
    return book_->open(hello, sender_, watcher_, now_);
  }
  std::variant<AgentBook::Opened, RefuseReason> try_open(uint8_t agent, uint32_t epoch = 1) {
    return try_open(hello(agent, epoch));
  }
  AgentBook::Opened open(const HelloFrame& hello) {
    auto opened = try_open(hello);
    EXPECT_TRUE(std::holds_alternative<AgentBook::Opened>(opened));
    hold_ = std::get<AgentBook::Opened>(opened).hold;
    return std::get<AgentBook::Opened>(opened);
  }
  AgentBook::Opened open(uint8_t agent, uint32_t epoch = 1) { return open(hello(agent, epoch)); }
  void expect_refused(const HelloFrame& hello, RefuseReason reason) {
    const auto opened = try_open(hello);
    ASSERT_TRUE(std::holds_alternative<RefuseReason>(opened));
    EXPECT_EQ(std::get<RefuseReason>(opened), reason) << refuse_reason_text(std::get<RefuseReason>(opened));
  }
  AgentTake batch(uint64_t seq, uint64_t lines_before, uint32_t lines = 10) {
    return batch_of(now_.wall, seq, lines_before, lines);
  }
  AgentTake batch_of(Timestamp time, uint64_t seq, uint64_t lines_before, uint32_t lines = 10) {
    return book_->take(hold_, BatchFrame{seq, lines_before, lines, time, {}, {}}, now_,
                       [this](auto fate, const auto& mark) { apply(fate, mark); });
  }
  AgentTake gap(uint64_t first, uint64_t seq, uint64_t lines_before) {
    return book_->take(hold_, GapFrame{first, seq, lines_before, GapReason::kSpoolFull, now_.wall}, now_,
                       [this](auto fate, const auto& mark) { apply(fate, mark); });
  }
  void apply(AgentBook::Lines fate, const AgentBook::Mark& mark) {
    if (fate == AgentBook::Lines::kApplied) ++applied_;
    mark(parity_, {});
  }
  // An agent of one batch that has gone.
  void visit(uint8_t agent) {
    open(agent);
    EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
    tick();
    book_->close(hold_);
  }
  // Ends the epoch; its batch is not durable yet.
  StoreBatch end_epoch() {
    StoreBatch batch;
    book_->ride(parity_, batch);
    parity_ ^= 1;
    return batch;
  }
  StoreBatch tick() {
    StoreBatch batch = end_epoch();
    for (const AgentRow& row : batch.agents) stored_[row.id] = row;
    for (const AgentId& id : batch.forgotten_agents) stored_.erase(id);
    if (batch.forgotten_until) forgotten_until_ = batch.forgotten_until;
    book_->committed(batch);
    return batch;
  }
  uint64_t counted(const std::string& name) { return registry_.counter(name, "").value(); }

  Registry registry_;
  std::unique_ptr<AgentBook> book_;
  std::map<AgentId, AgentRow> stored_;
  std::optional<Timestamp> forgotten_until_;
  std::shared_ptr<Watcher> watcher_;
  AgentBook::Hold hold_;
  LineSender sender_;
  TickTime now_{from_unix_seconds(1'700'000'000), SteadyTime(hours(1))};
  int parity_ = 0;
  int applied_ = 0;
};

TEST_F(AgentBookTest, AnAgentNotSeenBeforeBeginsAtNothing) {
  EXPECT_EQ(open(1).durable, (AgentPosition{1, 0, 0, {}}));
}

TEST_F(AgentBookTest, BatchesAreTakenInOrderAndOnce) {
  open(1);
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
  EXPECT_EQ(batch(1, 0), AgentTake::kAgain);
  EXPECT_EQ(batch(3, 20), AgentTake::kGap);
  EXPECT_EQ(batch(2, 11), AgentTake::kGap);  // it does not hold what should lie before it
  EXPECT_EQ(batch(2, 10), AgentTake::kTaken);
  EXPECT_EQ(applied_, 2);
}

TEST_F(AgentBookTest, APositionIsToldWhenItsTickIsDurable) {
  open(1);
  batch(1, 0);
  const StoreBatch first = end_epoch();
  EXPECT_EQ(watcher_->durable_seq, 0U);
  batch(2, 10);  // of the next epoch: the batch of the first must not speak of it
  ASSERT_EQ(first.agents.size(), 1U);
  EXPECT_EQ(first.agents[0].position.seq, 1U);
  book_->committed(first);
  EXPECT_EQ(watcher_->durable_seq, 1U);
  tick();
  EXPECT_EQ(watcher_->durable_seq, 2U);
}

TEST_F(AgentBookTest, AHelloIsToldWhatIsDurableNotWhatIsTaken) {
  open(1);
  batch(1, 0);
  tick();
  batch(2, 10);
  EXPECT_EQ(open(1).durable.seq, 1U);
  EXPECT_EQ(batch(2, 10), AgentTake::kAgain);
  tick();
  EXPECT_EQ(watcher_->durable_seq, 2U);
}

TEST_F(AgentBookTest, WhatIsRestoredIsNotTakenAgain) {
  open(1);
  batch(1, 0);
  tick();
  restart();
  EXPECT_EQ(open(1).durable, (AgentPosition{1, 1, 10, now_.wall}));
  EXPECT_EQ(batch(1, 0), AgentTake::kAgain);
  EXPECT_EQ(batch(2, 10), AgentTake::kTaken);
}

TEST_F(AgentBookTest, TheNewerConnectionSpeaksForTheAgent) {
  open(1);
  const AgentBook::Hold old = hold_;
  const auto old_watcher = watcher_;
  open(1);
  EXPECT_EQ(old_watcher->end, RefuseReason::kReplaced);
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
  hold_ = old;
  EXPECT_EQ(batch(2, 10), AgentTake::kReplaced);
  book_->close(old);  // closes nothing of the other's
  EXPECT_EQ(book_->connected(), 1U);
}

TEST_F(AgentBookTest, ALowerEpochIsFencedAndAHigherBeginsAnew) {
  open(1, 2);
  batch(1, 0);
  tick();
  expect_refused(hello(1, 1), RefuseReason::kFenced);
  EXPECT_EQ(open(1, 3).durable, (AgentPosition{3, 0, 0, now_.wall}));
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
}

TEST_F(AgentBookTest, ATickOfAnOlderEpochSaysNothingOfTheNewer) {
  open(1, 1);
  batch(1, 0);
  const StoreBatch older = end_epoch();
  open(1, 2);
  book_->committed(older);
  EXPECT_EQ(watcher_->durable_seq, 0U);
  EXPECT_EQ(open(1, 2).durable.seq, 0U);
}

TEST_F(AgentBookTest, AHelloAloneFencesNobody) {
  open(1, 1);
  batch(1, 0);
  tick();
  open(1, std::numeric_limits<uint32_t>::max());
  book_->close(hold_);
  EXPECT_EQ(open(1, 1).durable.seq, 1U) << "the true agent goes on";
  EXPECT_EQ(batch(2, 10), AgentTake::kTaken);
}

TEST_F(AgentBookTest, TheFirstBatchOfALaterEpochFencesTheEarlier) {
  open(1, 1);
  batch(1, 0);
  tick();
  open(1, 2);
  batch(1, 0);
  book_->close(hold_);
  expect_refused(hello(1, 1), RefuseReason::kFenced);
}

TEST_F(AgentBookTest, WhatIsTakenOfALaterEpochIsNotToldAsDurable) {
  open(1, 1);
  batch(1, 0);
  tick();
  open(1, 2);
  batch(1, 0);
  EXPECT_EQ(open(1, 2).durable, (AgentPosition{2, 0, 0, now_.wall}));
  tick();
  EXPECT_EQ(watcher_->durable_seq, 1U);
}

TEST_F(AgentBookTest, AnotherSecretIsRefusedAndTheTrueAgentStays) {
  open(1);
  batch(1, 0);
  const auto owner = watcher_;
  HelloFrame thief = hello(1, 9);
  thief.secret.bytes[0] = 1;
  thief.host = "evil";
  expect_refused(thief, RefuseReason::kOwner);
  EXPECT_FALSE(owner->end);
  EXPECT_EQ(batch(2, 10), AgentTake::kTaken);
  EXPECT_EQ(counted("statmill.agent_connections_wrong_owner"), 1U);
  const auto conflicts = book_->conflicts(now_.steady);
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_EQ(conflicts[0].known.host, "web");
  EXPECT_EQ(conflicts[0].other.host, "evil");
  tick();
  restart();
  expect_refused(thief, RefuseReason::kOwner);
}

TEST_F(AgentBookTest, ASecretIsTheAgentsFromItsFirstBatchOn) {
  HelloFrame one = hello(1);
  one.secret.bytes[0] = 1;
  open(one);
  open(1);  // the id is nobody's yet
  batch(1, 0);
  expect_refused(one, RefuseReason::kOwner);
}

TEST_F(AgentBookTest, ThreeReplacementsIn10MinutesAreClones) {
  for (int i = 0; i < 3; ++i) open(1);
  EXPECT_TRUE(book_->conflicts(now_.steady).empty()) << "two are no sign yet";
  pass(minutes(9));
  open(1);
  ASSERT_EQ(book_->conflicts(now_.steady).size(), 1U);
  EXPECT_EQ(counted("statmill.agent_clones"), 1U);
  pass(minutes(10));
  EXPECT_TRUE(book_->conflicts(now_.steady).empty()) << "it has ended";
}

TEST_F(AgentBookTest, OnlySoManyConflictsAreKept) {
  for (uint8_t agent = 1; agent < 2 * AgentConflicts::kKept; ++agent) {
    visit(agent);
    HelloFrame thief = hello(agent);
    thief.secret.bytes[0] = 1;
    expect_refused(thief, RefuseReason::kOwner);
  }
  EXPECT_EQ(book_->conflicts(now_.steady).size(), AgentConflicts::kKept);
}

TEST_F(AgentBookTest, GapsMoveThePositionAndAreKept) {
  open(1);
  batch(1, 0);
  pass(minutes(1));
  EXPECT_EQ(gap(2, 5, 50), AgentTake::kTaken);
  EXPECT_EQ(batch(6, 50), AgentTake::kTaken);
  const StoreBatch stored = end_epoch();
  ASSERT_EQ(stored.agents.size(), 1U);
  const AgentRow& row = stored.agents[0];
  EXPECT_EQ(row.gaps, 1U);
  EXPECT_EQ(row.lines_lost, 40U);
  EXPECT_EQ(row.last_gaps,
            std::vector<AgentGap>({{2, 5, 40, GapReason::kSpoolFull, now_.wall - minutes(1), now_.wall}}));
}

TEST_F(AgentBookTest, AGapThatSaysLessThanIsInIsRefused) {
  open(1);
  batch(1, 0);
  EXPECT_EQ(gap(1, 1, 10), AgentTake::kAgain);
  EXPECT_EQ(gap(2, 2, 9), AgentTake::kGap);
}

TEST_F(AgentBookTest, AGapThatDoesNotFollowIsRefused) {
  open(1);
  batch(1, 0);
  EXPECT_EQ(gap(3, 5, 50), AgentTake::kGap) << "the second is not told to be missing";
  EXPECT_EQ(gap(1, 5, 50), AgentTake::kGap) << "the first is here";
  EXPECT_EQ(gap(2, 5, 50), AgentTake::kTaken);
}

TEST_F(AgentBookTest, OnlySoManyGapsAreKeptAndAllCounted) {
  open(1);
  for (uint64_t seq = 1; seq <= AgentRow::kGapsKept + 5; ++seq) gap(seq, seq, seq);
  const AgentRow row = end_epoch().agents.at(0);
  EXPECT_EQ(row.gaps, AgentRow::kGapsKept + 5);
  ASSERT_EQ(row.last_gaps.size(), AgentRow::kGapsKept);
  EXPECT_EQ(row.last_gaps.back().last, AgentRow::kGapsKept + 5);
}

TEST_F(AgentBookTest, WhoSaidNothingTakesNoPlace) {
  make_book({.agents_max = 1});
  open(1);
  book_->close(hold_);
  EXPECT_EQ(book_->count(), 0U);
  open(2);
  const AgentBook::Hold second = hold_;
  open(3);
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
  hold_ = second;
  EXPECT_EQ(batch(1, 0), AgentTake::kLimit) << "the place is the other's";
}

TEST_F(AgentBookTest, NewAgentsOfOneAddressAreLimitedByTheMinute) {
  make_book({.new_per_minute = 2});
  sender_ = LineSender::host({0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 1});
  visit(1);
  sender_.address[15] = 7;  // of the same network
  visit(2);
  expect_refused(hello(3), RefuseReason::kLimit);
  open(1);
  EXPECT_EQ(batch(2, 10), AgentTake::kTaken) << "one that is known is not concerned";
  sender_.address[7] = 7;
  visit(3);
  pass(minutes(1));
  sender_.address[7] = 0;
  visit(4);
  EXPECT_EQ(counted("statmill.agents_limited"), 1U);
}

TEST_F(AgentBookTest, TheLimitHoldsAtTheFirstBatchToo) {
  make_book({.new_per_minute = 1});
  sender_ = LineSender::host({0x20, 1});
  open(1);
  const AgentBook::Hold first = hold_;
  open(2);
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
  hold_ = first;
  EXPECT_EQ(batch(1, 0), AgentTake::kLimit);
}

// --- What is forgotten.

TEST_F(AgentBookTest, AnEphemeralAgentIsKnownAfterADayAndMore) {
  HelloFrame ephemeral = hello(1);
  ephemeral.is_ephemeral = true;
  open(ephemeral);
  batch(1, 0);
  tick();
  book_->close(hold_);
  restart();  // the server was down for it
  pass(hours(25 * 24));
  open(2);
  batch(1, 0);
  tick();
  pass(hours(2));
  visit(3);
  ephemeral.acknowledged = {1, 1, 10, from_unix_seconds(1'700'000'000)};
  EXPECT_EQ(open(ephemeral).durable.seq, 1U);
  EXPECT_EQ(batch(1, 0), AgentTake::kAgain);
}

TEST_F(AgentBookTest, AgentsNotSeenForLongerThanAnythingIsKeptAreForgotten) {
  make_book({.kept = hours(100)});
  visit(1);
  pass(hours(99));
  visit(2);
  EXPECT_EQ(book_->count(), 2U);
  pass(hours(4));
  open(3);
  batch(1, 0);
  EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(1)});
  EXPECT_EQ(book_->count(), 2U);
  EXPECT_EQ(counted("statmill.agents_forgotten"), 1U);
}

TEST_F(AgentBookTest, AConnectedAgentIsNotForgotten) {
  make_book({.kept = hours(1)});
  open(1);
  batch(1, 0);
  tick();
  pass(hours(10));
  open(2);
  batch(1, 0);
  EXPECT_TRUE(tick().forgotten_agents.empty());
}

TEST_F(AgentBookTest, NothingIsForgottenInTheFirstHour) {
  make_book({.kept = hours(100)});
  visit(1);
  pass(hours(1000));
  restart({.kept = hours(100)});
  visit(2);
  pass(minutes(59));
  open(2);
  EXPECT_TRUE(tick().forgotten_agents.empty());
  pass(minutes(2));
  open(2);
  EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(1)});
}

TEST_F(AgentBookTest, AClockThatIsAheadForgetsNobody) {
  make_book({.kept = hours(100)});
  visit(1);
  pass(hours(2));
  now_.wall += hours(24 * 365 * 10);
  open(2);  // whose clock is right; so the server's would have refused it
  batch_of(from_unix_seconds(1'700'000'000), 1, 0);
  EXPECT_TRUE(tick().forgotten_agents.empty());
}

TEST_F(AgentBookTest, WhenTheTableIsFullTheLongestUnseenIsForgotten) {
  make_book({.agents_max = 3});
  visit(1);
  pass(minutes(1));
  visit(2);
  pass(minutes(1));
  open(3);
  batch(1, 0);
  tick();
  expect_refused(hello(4), RefuseReason::kLimit);  // within the first hour
  pass(hours(1));
  open(1);
  batch(2, 10);
  tick();
  book_->close(hold_);
  open(4);
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
  EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(2)});
  EXPECT_EQ(counted("statmill.agents_evicted"), 1U);
}

TEST_F(AgentBookTest, AgentsWithoutDataGoFirst) {
  make_book({.agents_max = 2});
  visit(1);
  pass(minutes(1));
  open(2);
  gap(1, 5, 50);
  tick();
  book_->close(hold_);
  pass(hours(1));
  visit(3);
  EXPECT_EQ(book_->count(), 2U);
  EXPECT_FALSE(stored_.contains(id_of(2)));
}

// --- Agents that come back.

class ForgottenAgentTest : public AgentBookTest {
 protected:
  // Agent 1 has sent two batches, and heard of the first only.
  ForgottenAgentTest() {
    first_ = now_.wall;
    open(1);
    batch(1, 0);
    tick();
    pass(minutes(1));
    batch(2, 10);
    tick();
    book_->close(hold_);
    pass(minutes(1));
    forget();
  }
  void forget() {
    const auto forgotten = book_->forget({.id = "0101"});
    ASSERT_TRUE(forgotten) << forgotten.error().message;
    expect_refused(hello(1), RefuseReason::kStopping);
    EXPECT_EQ(tick().forgotten_agents, std::vector<AgentId>{id_of(1)});
    EXPECT_EQ(book_->count(), 0U);
  }
  HelloFrame returning() const {
    HelloFrame frame = hello(1);
    frame.acknowledged = {1, 1, 10, first_};
    return frame;
  }
  Timestamp first_;
};

TEST_F(ForgottenAgentTest, GetsAGapForWhatIsInAndForWhatMayBe) {
  for (const bool has_restarted : {false, true}) {
    if (has_restarted) restart();
    applied_ = 0;
    EXPECT_EQ(open(returning()).durable, (AgentPosition{1, 1, 10, first_}));
    EXPECT_EQ(batch_of(first_ + minutes(1), 2, 10), AgentTake::kTaken);
    EXPECT_EQ(applied_, 0) << "it was sent before, and is in";
    pass(minutes(1));
    EXPECT_EQ(batch(3, 20), AgentTake::kTaken);
    EXPECT_EQ(applied_, 1);
    const AgentRow row = tick().agents.at(0);
    EXPECT_EQ(row.gaps, 1U);
    EXPECT_EQ(row.lines_lost, 20U);
    ASSERT_EQ(row.last_gaps.size(), 1U);
    EXPECT_EQ(row.last_gaps[0].reason, GapReason::kEvicted);
    EXPECT_EQ(row.last_gaps[0].last, 2U);
    EXPECT_EQ(row.position.seq, 3U);
    book_->close(hold_);
    forget();
  }
}

// Its process knows nothing of what the one before has sent.
TEST_F(ForgottenAgentTest, CountsNothingTwiceThoughItHasRestarted) {
  applied_ = 0;
  EXPECT_EQ(open(1).durable.seq, 0U);
  EXPECT_EQ(batch_of(first_, 1, 0), AgentTake::kTaken);
  tick();
  restart();
  open(1);
  EXPECT_EQ(batch_of(first_ + minutes(1), 2, 10), AgentTake::kTaken);
  EXPECT_EQ(applied_, 0);
  EXPECT_EQ(batch(3, 20), AgentTake::kTaken);
  EXPECT_EQ(batch_of(first_, 4, 30), AgentTake::kTaken) << "its clock was set back meanwhile";
  EXPECT_EQ(applied_, 2);
  const AgentRow row = tick().agents.at(0);
  EXPECT_EQ(row.gaps, 1U);
  EXPECT_EQ(row.lines_lost, 20U);
}

TEST_F(ForgottenAgentTest, MakesNoGapOfWhatWasMadeLater) {
  applied_ = 0;
  open(2);
  EXPECT_EQ(batch(1, 0), AgentTake::kTaken);
  EXPECT_EQ(applied_, 1);
  // A server that was set back to before it knew of this agent.
  HelloFrame later = hello(3);
  later.acknowledged = {1, 5, 50, now_.wall};
  EXPECT_EQ(open(later).durable.seq, 0U) << "it sends again what it still has";
}

TEST_F(AgentBookTest, AServerThatNeverForgotAsksForEverything) {
  HelloFrame known = hello(1);
  known.acknowledged = {1, 5, 50, now_.wall};
  EXPECT_EQ(open(known).durable, (AgentPosition{1, 0, 0, {}}));
}

TEST_F(AgentBookTest, AnAgentIsForgottenByTheBeginningOfItsId) {
  visit(0x12);
  AgentId other = id_of(0x12);
  other.bytes.back() = 0;
  HelloFrame frame = hello(0x12);
  frame.id = other;
  open(frame);
  batch(1, 0);
  tick();
  for (const std::string_view wrong : {"", "xy", "1212121212121212121212121212121212"})
    EXPECT_EQ(book_->forget({.id = wrong}).error().code, ErrorCode::kInvalid) << wrong;
  EXPECT_EQ(book_->forget({.id = "13"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(book_->forget({.id = "121"}).error().code, ErrorCode::kInvalid) << "two begin so";
  EXPECT_EQ(book_->forget({.id = other.text()}).error().code, ErrorCode::kBusy) << "it is connected";
  batch(2, 10);  // not durable yet
  ASSERT_TRUE(book_->forget({.id = other.text(), .even_connected = true}));
  EXPECT_EQ(watcher_->end, RefuseReason::kStopping);
  EXPECT_EQ(batch(3, 20), AgentTake::kReplaced);
  const StoreBatch stored = tick();
  EXPECT_EQ(stored.forgotten_agents, std::vector<AgentId>{other});
  EXPECT_TRUE(stored.agents.empty()) << "its row must not come behind";
  EXPECT_EQ(stored.forgotten_until, now_.wall);
  EXPECT_TRUE(book_->forget({.id = "1212"}));
}

TEST_F(AgentBookTest, AnAgentIsNotForgottenBeforeItsLastBatchIsInABatchOfTheStore) {
  open(1);
  batch(1, 0);
  parity_ ^= 1;  // the epoch that goes on, while the tick takes the one before
  book_->close(hold_);
  ASSERT_TRUE(book_->forget({.id = "01"}));
  EXPECT_TRUE(tick().forgotten_agents.empty());
  EXPECT_EQ(tick().forgotten_agents.size(), 1U);
  EXPECT_TRUE(stored_.empty());
}

// --- What is told of them.

TEST_F(AgentBookTest, ClocksOfConnectedAgentsAreCompared) {
  HelloFrame fast = hello(1);
  fast.clock += minutes(11);
  fast.host = "fast";
  open(fast);
  HelloFrame slow = hello(2);
  slow.clock -= minutes(12);
  slow.host = "slow";
  open(slow);
  open(3);
  const auto differences = book_->clock_differences(minutes(1));
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].host, "slow");
  EXPECT_EQ(differences[0].ahead, -minutes(12));
  EXPECT_EQ(book_->clock_difference_max(), minutes(12));
  hold_ = open(slow).hold;
  book_->note_status(hold_, {}, Duration(5));
  EXPECT_EQ(book_->clock_difference_max(), minutes(11));
}

TEST_F(AgentBookTest, KeepsTheNewestStatusOfAConnection) {
  open(1);
  StatusFrame status{.spool_bytes = 7, .lines_dropped = 8};
  status.collectors.push_back({"cpu", 0, ""});
  for (size_t i = 0; i < AgentStatus::kTroublesKept + 1; ++i)
    status.collectors.push_back({"block", 2, "no BTF"});
  book_->note_status(hold_, status, {});
  const auto info = book_->list(1).at(0);
  ASSERT_TRUE(info.contact && info.contact->status);
  EXPECT_EQ(info.contact->status->spool_bytes, 7U);
  EXPECT_EQ(info.contact->status->collectors_not_ok, AgentStatus::kTroublesKept + 1);
  EXPECT_EQ(info.contact->status->troubles.size(), AgentStatus::kTroublesKept);
  EXPECT_EQ(info.contact->status->troubles[0].reason, "no BTF");
}

TEST_F(AgentBookTest, ListsAgentsByHost) {
  open(2);
  open(1);
  batch(1, 0);
  const auto list = book_->list(10);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].row.id, id_of(1));
  EXPECT_EQ(list[0].row.position.seq, 1U);
  EXPECT_TRUE(list[0].contact);
  EXPECT_EQ(book_->list(1).size(), 1U);
}

}  // namespace
}  // namespace statmill
