// An hour of backlog over a slow link with endless buffers, in virtual time: new batches are durable within
// five seconds, and the backlog gets what they leave.
#include <algorithm>
#include <deque>

#include "tests/agent/delivery/delivery_fixture.h"

namespace statmill {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kBacklog = 3600;  // batches, one a second
constexpr size_t kBatchBytes = 10'000;
constexpr Duration kStep{10};
constexpr Duration kBatchInterval{1'000};
constexpr Duration kTick{250};
constexpr Duration kWay{50};  // of an acknowledgment

class BacklogLinkTest : public DeliveryTest {
 protected:
  struct Outcome {
    Duration lag_p99{};   // from when a new batch was made until it is durable
    double speed = 0;     // seconds of backlog that arrive in a second
    bool is_all = false;  // each batch arrived once
  };
  void spool(uint64_t batches) {
    for (uint64_t i = 0; i < batches; ++i)
      spool_->append(numbered_lines(0, 10, kBatchBytes / 10), at_second(0));
    ASSERT_TRUE(spool_->sync());
  }
  // The link carries `speed` times the bytes of the new batches.
  Outcome drain(double speed) {
    SetUp();
    spool(kBacklog);
    delivery_.emplace(*spool_, options_);
    welcome({.position = {.epoch = 1}});
    const SteadyTime begin = now_.steady;
    while (server_.position.seq < kBacklog && now_.steady < begin + std::chrono::hours(2)) {
      pass(kStep);
      if (is_each(kBatchInterval)) spool(1);
      write_to_link(speed);
      deliver();
      if (is_each(kTick)) make_durable();
      acknowledge();
    }
    Outcome outcome;
    std::sort(lags_.begin(), lags_.end());
    if (!lags_.empty()) outcome.lag_p99 = lags_[lags_.size() * 99 / 100];
    outcome.speed =
        static_cast<double>(kBacklog) / std::chrono::duration<double>(now_.steady - begin).count();
    outcome.is_all = server_.position.seq >= kBacklog && !server_.ahead;
    return outcome;
  }
  void SetUp() override {
    DeliveryTest::SetUp();
    server_ = {{.epoch = 1}, std::nullopt};
    durable_ = server_;
    on_link_.clear();
    acks_.clear();
    lags_.clear();
    link_free_at_ = now_.steady;
  }

 private:
  bool is_each(Duration interval) const { return now_.steady.time_since_epoch() % interval == Duration(0); }
  void write_to_link(double speed) {
    for (;;) {
      const auto output = delivery_->output(now_);
      ASSERT_TRUE(output) << output.error().message;
      if (output->empty()) return;
      const FrameRead frame = read_frame(*output);
      if (const auto batch = decode_batch(frame.payload); frame.type == FrameType::kBatch && batch) {
        const auto took = std::chrono::duration_cast<SteadyTime::duration>(kBatchInterval / speed);
        link_free_at_ = std::max(link_free_at_, now_.steady) + took;
        on_link_.push_back({batch->seq, link_free_at_});
      }
      delivery_->consume_output(output->size());
    }
  }
  void deliver() {
    for (; !on_link_.empty() && on_link_.front().second <= now_.steady; on_link_.pop_front()) {
      const uint64_t seq = on_link_.front().first;
      ASSERT_TRUE(server_.extend(seq, 10 * (seq - 1), {1, seq, 10 * seq, at_second(0)})) << seq;
    }
  }
  void make_durable() {
    for (uint64_t seq = std::max(durable_.last().seq, kBacklog) + 1; seq <= server_.last().seq; ++seq) {
      const auto made = SteadyTime(std::chrono::hours(1)) + (seq - kBacklog) * kBatchInterval;
      lags_.push_back(std::chrono::duration_cast<Duration>(now_.steady - made));
    }
    durable_ = server_;
    acks_.push_back({AckFrame{durable_.position.seq, 0, durable_.ahead ? durable_.ahead->last.seq : 0},
                     now_.steady + kWay});
  }
  void acknowledge() {
    for (; !acks_.empty() && acks_.front().second <= now_.steady; acks_.pop_front())
      delivery_->receive(bytes_of(acks_.front().first), now_);
  }

  AgentProgress server_;
  AgentProgress durable_;
  std::deque<std::pair<uint64_t, SteadyTime>> on_link_;  // batches, and when they arrive
  std::deque<std::pair<AckFrame, SteadyTime>> acks_;
  std::vector<Duration> lags_;
  SteadyTime link_free_at_{};
};

TEST_F(BacklogLinkTest, NewBatchesAreDurableWithinFiveSecondsWhileAnHourArrives) {
  for (const double speed : {7.0, 20.0, 200.0, 2000.0}) {
    const Outcome outcome = drain(speed);
    std::printf("link %.0f: lag p99 %ld ms, %.1f times real time\n", speed,
                static_cast<long>(outcome.lag_p99.count()), outcome.speed);
    EXPECT_TRUE(outcome.is_all) << speed;
    EXPECT_LT(outcome.lag_p99, milliseconds(5000)) << speed;
    EXPECT_GE(outcome.speed, speed < 100 ? 0.5 * speed : 100) << speed;
    now_ = {at_second(0), SteadyTime(std::chrono::hours(1))};
  }
}

}  // namespace
}  // namespace statmill
