// Delivery while a server lacks a backlog: new batches go first, and each batch counts once.
#include <random>

#include "tests/agent/delivery/delivery_fixture.h"

namespace statmill {
namespace {

class BacklogTest : public DeliveryTest {
 protected:
  // `window` in bytes; a batch of 10 lines has 60 to 120.
  void use_window(size_t window) {
    options_of_backlog_.backlog_bytes = window;
    delivery_.emplace(*spool_, options_of_backlog_);
  }
  void welcome_run(uint64_t seq, uint64_t after, uint64_t last) {
    welcome({.position = {1, seq, 10 * seq, at_second(0)},
             .ahead = AgentRun{after, 10 * after, {1, last, 10 * last, at_second(0)}}});
  }
  void ack_run(uint64_t seq, uint64_t ahead) { delivery_->receive(bytes_of(AckFrame{seq, 0, ahead}), now_); }
  // "2, 5-8": the position, and the run after 5.
  std::string acknowledged() const {
    const AgentProgress progress = delivery_->acknowledged();
    std::string out = std::to_string(progress.position.seq);
    if (progress.ahead)
      out += ", " + std::to_string(progress.ahead->after) + "-" + std::to_string(progress.ahead->last.seq);
    return out;
  }

  DeliveryOptions options_of_backlog_;
};

TEST_F(BacklogTest, ANewBatchGoesFirst) {
  use_window(60);  // one batch at first
  spool(5);
  welcome(0, 0);
  EXPECT_EQ(written(), (Words{"batch 1"}));
  EXPECT_EQ(delivery_->backlog_batches(), 5U);
  spool(2);
  EXPECT_EQ(written(), (Words{"batch 6", "batch 7"}));
  ack_run(1, 7);
  EXPECT_EQ(acknowledged(), "1, 5-7");
  EXPECT_EQ(delivery_->backlog_batches(), 4U);
  EXPECT_EQ(written(), (Words{"batch 2", "batch 3"})) << "the window grows";
  spool(1);
  EXPECT_EQ(written(), (Words{"batch 8"}));
  ack_run(3, 7);
  EXPECT_EQ(written(), (Words{"batch 4", "batch 5"}));
  spool(1);
  EXPECT_EQ(written(), (Words{"batch 9"})) << "in order again";
  ack_run(3, 8);
  EXPECT_EQ(acknowledged(), "3, 5-8");
  EXPECT_FALSE(delivery_->is_done());
  ack(9);
  EXPECT_EQ(acknowledged(), "9");
  EXPECT_TRUE(delivery_->is_done());
  EXPECT_EQ(delivery_->stats().lines_acknowledged, 90U);
  EXPECT_EQ(delivery_->stats().batches_sent, 9U);
  EXPECT_EQ(delivery_->stats().gaps_reported, 0U);
  EXPECT_EQ(delivery_->backlog_batches(), 0U);
  EXPECT_TRUE(continues());
}

TEST_F(BacklogTest, ABacklogThatIsSentBeforeTheNextBatchIsInOrder) {
  spool(3);
  welcome(0, 0);
  EXPECT_EQ(written(), (Words{"batch 1", "batch 2", "batch 3"}));
  spool(1);
  EXPECT_EQ(written(), (Words{"batch 4"}));
  ack(4);
  EXPECT_EQ(acknowledged(), "4");
}

TEST_F(BacklogTest, AnEarlyServerGetsAllInOrder) {
  use_window(1);
  spool(3);
  welcome({.position = {.epoch = 1}, .accepts_ahead = false});
  spool(1);
  EXPECT_EQ(written(), (Words{"batch 1", "batch 2", "batch 3", "batch 4"}));
  delivery_->receive(bytes_of(AckFrame{4, 0}), now_);
  EXPECT_TRUE(delivery_->is_done());
}

TEST_F(BacklogTest, ContinuesWhereTheServersRunEnds) {
  spool(9);
  use_window(60);
  for (const bool has_restarted : {false, true}) {
    if (has_restarted) delivery_.emplace(*spool_, options_of_backlog_);
    welcome_run(2, 5, 7);
    EXPECT_EQ(acknowledged(), "2, 5-7");
    EXPECT_EQ(written(), (Words{"batch 8", "batch 9", "batch 3"}));
    delivery_->disconnected();
  }
  welcome_run(2, 5, 7);
  written();
  ack_run(3, 9);
  EXPECT_EQ(written(), (Words{"batch 4", "batch 5"}));
  ack(9);
  EXPECT_TRUE(delivery_->is_done());
}

// The server has accepted batches after 5, but none of them is durable.
TEST_F(BacklogTest, ContinuesWithARunThatIsStillEmpty) {
  spool(7);
  use_window(1);
  welcome_run(2, 5, 5);
  EXPECT_EQ(acknowledged(), "2");
  EXPECT_EQ(written(), (Words{"batch 6", "batch 7", "batch 3"}));
  ack_run(2, 6);
  EXPECT_EQ(acknowledged(), "2, 5-6");
}

TEST_F(BacklogTest, ARunOfAnotherAgentCausesANewIdentity) {
  spool(7);
  const AgentId id = spool_->id();
  welcome({.position = {1, 2, 20, at_second(0)}, .ahead = AgentRun{4, 40, {1, 6, 61, at_second(0)}}});
  EXPECT_FALSE(continues());
  EXPECT_NE(spool_->id(), id);
}

TEST_F(BacklogTest, ABatchThatWasNotSentCannotBeAcknowledged) {
  use_window(1);
  spool(3);
  welcome(0, 0);
  written();
  spool(1);
  written();
  ack_run(1, 5);
  EXPECT_FALSE(continues());
  welcome(0, 0);
  written();
  ack_run(2, 0);
  EXPECT_FALSE(continues());
}

TEST_F(BacklogTest, SilenceWhileOnlyARunIsAcknowledgedIsNone) {
  use_window(1);
  spool(3);
  welcome(0, 0);
  written();
  for (uint64_t seq = 4; seq < 8; ++seq) {
    spool(1);
    written();
    pass(Delivery::kSilenceLimit - Duration(1));
    EXPECT_TRUE(continues());
    ack_run(0, seq);
  }
  pass(Delivery::kSilenceLimit);
  EXPECT_FALSE(continues()) << "batch 1 is due";
}

// The spool drops the oldest batches while they wait.
class FullSpoolTest : public BacklogTest {
 protected:
  void SetUp() override {
    spool_.reset();
    directory_ = {};
    spool_ = open_spool(directory_, {.bytes_max = 8 * 512 * 1024, .segment_bytes = 512 * 1024});
    use_window(1);
  }
  // Each has 10 lines and 200 kB; a segment has two.
  void spool_large(int batches) {
    for (int i = 0; i < batches; ++i) {
      spool_->append(numbered_lines(0, 10, 20'000), at_second(0));
      ASSERT_TRUE(spool_->sync());
    }
  }
};

TEST_F(FullSpoolTest, WhatIsDroppedOfABacklogIsAGapUpToTheRunAtMost) {
  spool_large(4);
  welcome(0, 0);
  EXPECT_EQ(written(), (Words{"batch 1"}));
  spool_large(2);
  EXPECT_EQ(written(), (Words{"batch 5", "batch 6"}));
  ack_run(0, 6);
  spool_large(20);
  ASSERT_GT(spool_->first_seq(), 5U);
  EXPECT_EQ(written().size(), 20U) << "7 to 26";
  ack_run(1, 26);
  EXPECT_EQ(written(), (Words{"gap 4 spool_full 40"}));
  ack(26);
  EXPECT_TRUE(delivery_->is_done());
  // The server had 5 and 6 when their segments were dropped.
  EXPECT_EQ(spool_->stats().lines_dropped_full, 40U);
}

// Whatever the server acknowledges, the connections and the spool's limits do: with the batches that a server
// says it has, it gets each batch or a gap for it, once.
TEST_F(BacklogTest, EachBatchIsSentOnceInAnyOrderOfEvents) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t limit) { return random() % limit; };
    SetUp();
    use_window(1 + below(500));
    AgentProgress server{{.epoch = 1}, std::nullopt};
    const auto deliver = [&] {
      for (const std::string& words : written()) {
        const uint64_t seq = std::stoull(words.substr(words.find(' ')));
        ASSERT_TRUE(server.extend(seq, 10 * (seq - 1), {1, seq, 10 * seq, at_second(0)}))
            << seed << ": " << words;
      }
    };
    const auto acknowledge = [&] { ack_run(server.position.seq, server.ahead ? server.ahead->last.seq : 0); };
    const auto meet = [&] {
      welcome({.position = server.position, .ahead = server.ahead});
      ASSERT_TRUE(continues()) << seed;
    };
    meet();
    for (int i = 0; i < 40; ++i) {
      if (below(2) == 0) spool(1 + below(3));
      if (below(2) == 0) deliver();
      if (below(3) == 0) acknowledge();
      if (below(10) == 0) {
        spool(below(9));  // while it is away
        meet();
      }
    }
    for (int i = 0; i < 200 && !delivery_->is_done(); ++i) {
      deliver();
      acknowledge();
    }
    EXPECT_TRUE(delivery_->is_done()) << seed;
    EXPECT_EQ(server.position.seq, spool_->durable_seq()) << seed;
    EXPECT_EQ(server.ahead, std::nullopt) << seed;
    EXPECT_TRUE(continues()) << seed;
  }
}

}  // namespace
}  // namespace statmill
