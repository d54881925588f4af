// AgentStream while an agent sends new batches ahead of a backlog.
#include "tests/server/agents/agent_stream_fixture.h"

namespace statmill {
namespace {

TEST_F(AgentStreamTest, ABatchAfterASecondHoleIsRefused) {
  receive(hello() + batch(1) + batch(3));
  stream_->pop_output();
  receive(batch(5));
  expect_refused(RefuseReason::kGap);
  EXPECT_EQ(intake_.applied.size(), 2U);
}

TEST_F(AgentStreamTest, ABacklogAndWhatCameBeforeItAreAcknowledged) {
  receive(hello() + batch(1) + batch(5) + batch(2) + batch(6));
  stream_->pop_output();
  stream_->on_durable({2, 0, 5});
  EXPECT_EQ(*decode_ack(answer().payload), (AckFrame{2, 0, 5}));
  receive(batch(3) + batch(4) + batch(7));
  stream_->on_durable({7, 0});
  EXPECT_EQ(*decode_ack(answer().payload), (AckFrame{7, 0, 0}));
}

TEST_F(AgentStreamTest, ARunOfACloneIsNotAcknowledged) {
  receive(hello() + batch(1) + batch(5) + batch(6));
  tick();
  connect();
  receive(hello());
  const FrameRead welcome = answer();
  EXPECT_EQ(decode_welcome(welcome.payload)->position.seq, 1U);
  EXPECT_EQ(decode_welcome(welcome.payload)->ahead, (AgentRun{4, 4, {1, 6, 6, {}}}));
  stream_->on_durable({4, 0, 9});
  EXPECT_EQ(*decode_ack(answer().payload), (AckFrame{1, 0, 6})) << "this connection has sent no more";
  receive(batch(7) + batch(2));
  stream_->on_durable({9, 0});
  EXPECT_EQ(*decode_ack(answer().payload), (AckFrame{2, 0, 7}));
}

}  // namespace
}  // namespace statmill
