// Steps of gauges and members of sets; the time is an argument.
#include "ingest/statsd/state.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace statmill {
namespace {

class StatsdStateTest : public testing::Test {
 protected:
  // Parses and resolves lines. Returns the values of the samples in order.
  std::vector<double> resolve(std::string_view lines, int64_t at_s = kStart) {
    batch_.clear();
    parse_statsd_lines(lines, batch_);
    outcome_ = state_.resolve(batch_, from_unix_seconds(at_s));
    EXPECT_EQ(batch_.batch.received,
              batch_.batch.samples.size() +
                  std::accumulate(batch_.batch.refused.begin(), batch_.batch.refused.end(), uint64_t{0}));
    std::vector<double> values;
    for (const Sample& sample : batch_.batch.samples) values.push_back(sample.value.value());
    return values;
  }
  uint64_t refused(Refusal reason) const { return batch_.batch.refused[static_cast<size_t>(reason)]; }

  using Counts = std::map<std::string, double>;  // "name@start of the slot" -> count
  static Counts counts_of(const Batch& batch) {
    Counts counts;
    for (const Sample& s : batch.samples) {
      const auto [at, is_new] = counts.emplace(
          std::string(s.name) + "@" + std::to_string(s.time_s.value_or(-1) - kStart), s.value.value());
      EXPECT_TRUE(is_new) << at->first;
    }
    EXPECT_EQ(batch.received, batch.samples.size());
    return counts;
  }
  // Sweeps all parts.
  uint64_t forget(int64_t at_s) {
    uint64_t forgotten = 0;
    for (size_t i = 0; i < StatsdState::kSweepParts; ++i)
      forgotten += state_.forget_gauges(from_unix_seconds(at_s));
    return forgotten;
  }
  Counts end_slots(int64_t at_s) {
    Batch batch;
    state_.end_slots(from_unix_seconds(at_s), batch);
    return counts_of(batch);
  }
  Counts end_all() {
    Batch batch;
    state_.end_all_slots(batch);
    return counts_of(batch);
  }

  using Values = std::vector<double>;
  void parse_from(uint8_t host, std::string_view lines) {
    LineSender::AddressBytes address{};
    address.back() = host;
    batch_.batch.set_sender(LineSender::host(address));
    parse_statsd_lines(lines, batch_);
  }

  static constexpr int64_t kStart = 1'700'000'000;  // the start of a slot

  static constexpr int64_t kExpiryS = 3600;

  StatsdState state_{{.gauges_max = 3, .gauge_expiry = std::chrono::seconds(kExpiryS), .sets_max = 2}};
  StatsdBatch batch_;
  StatsdState::Outcome outcome_;
};

TEST_F(StatsdStateTest, StepsAddToTheLastValueAndSetAnUnknownGauge) {
  EXPECT_EQ(resolve("a:10|g\na:+4|g\na:-1.5|g"), (Values{10, 14, 12.5}));
  EXPECT_EQ(resolve("a:+1|g"), (Values{13.5})) << "across batches";
  EXPECT_EQ(resolve("b:+4|g\nc:-4|g"), (Values{4, -4}));
  EXPECT_EQ(resolve("a:0|g\na:-3|g\na:7|g\na:+1:+1|g"), (Values{0, -3, 7, 8, 9}));
}

TEST_F(StatsdStateTest, StepsOfDecimalsAreExact) {
  resolve("a:0.1|g");
  for (int i = 0; i < 99; ++i) resolve("a:+0.1|g");
  const Number sum = batch_.batch.samples.at(0).value;
  EXPECT_TRUE(sum.is_decimal());
  EXPECT_EQ(sum.mantissa, 10);
  EXPECT_EQ(sum.scale, 0);
  EXPECT_EQ(resolve("a:9007199254740992|g\na:+0.5|g"), (Values{9007199254740992, 9007199254740992.5}))
      << "otherwise the nearest double";
  EXPECT_EQ(resolve("a:1e-300|g\na:-1e-300|g"), (Values{1e-300, 0}));
}

TEST_F(StatsdStateTest, AStepBeyondAllDoublesIsRefusedAndChangesNothing) {
  EXPECT_EQ(resolve("a:1e308|g\na:+1e308|g\na:-1e308|g"), (Values{1e308, 0}));
  EXPECT_EQ(refused(Refusal::kOutOfRange), 1U);
}

TEST_F(StatsdStateTest, OverTheLimitOfGaugesRefusesStepsAndAcceptsValues) {
  resolve("a:1|g\nb:1|g\nc:1|g");
  EXPECT_EQ(state_.gauge_count(), 3U);
  EXPECT_EQ(resolve("d:+1|g\nx:1|c\nd:5|g\nd:+1|g\na:+1|g").size(), 3U);
  EXPECT_EQ(refused(Refusal::kStateLimit), 2U);
  EXPECT_EQ(batch_.batch.received, 5U);
  EXPECT_EQ(outcome_.gauges_not_remembered, 1U);
  EXPECT_EQ(resolve("a:+1|g"), (Values{3})) << "a known gauge still accepts steps";
}

TEST_F(StatsdStateTest, RefusalsKeepOrderAndSendersOfTheOthers) {
  resolve("a:1|g\nb:1|g\nc:1|g");  // reaches the limit
  batch_.clear();
  for (uint8_t i = 1; i <= 3; ++i) parse_from(i, "x:+1|g\na:1|c\nb:1|c\ny:+1|g");
  state_.resolve(batch_, from_unix_seconds(kStart));
  std::string left;
  for (size_t i = 0; i < batch_.batch.samples.size(); ++i)
    left += std::string(batch_.batch.samples[i].name) + " of " + batch_.batch.sender_of(i).text() + ", ";
  EXPECT_EQ(left, "a of ::1, b of ::1, a of ::2, b of ::2, a of ::3, b of ::3, ");
  EXPECT_EQ(refused(Refusal::kStateLimit), 6U);
}

TEST_F(StatsdStateTest, RefusedMembersHaveTheirSenders) {
  resolve("a:x|s\nb:x|s");  // reaches the limit of sets
  batch_.clear();
  parse_from(1, "c:x|s");
  parse_from(2, "a:y|s");
  parse_from(3, "c:y|s\nd:1|c");
  state_.resolve(batch_, from_unix_seconds(kStart));
  std::string senders;
  for (const RefusedLine& line : batch_.batch.refused_lines) senders += line.sender.text() + " ";
  EXPECT_EQ(senders, "::1 ::3 ");
}

TEST_F(StatsdStateTest, AGaugeSilentForTooLongIsUnknownAgain) {
  resolve("a:10|g\nb:10|g\nc:10|g", kStart);
  EXPECT_EQ(resolve("a:+1|g", kStart + kExpiryS), (Values{11})) << "exactly the expiry";
  EXPECT_EQ(resolve("a:+1|g\nb:+1|g", kStart + kExpiryS + 1), (Values{12, 1}));
  EXPECT_EQ(outcome_.gauges_forgotten, 1U);
  EXPECT_EQ(resolve("b:+1|g", kStart + kExpiryS + 2), (Values{2}));
  EXPECT_EQ(resolve("b:+1|g", kStart), (Values{3})) << "the clock was set back";
  EXPECT_EQ(outcome_.gauges_forgotten, 0U);
}

TEST_F(StatsdStateTest, SilentGaugesMakeRoom) {
  resolve("a:1|g\nb:1|g\nc:1|g", kStart);
  resolve("a:1|g", kStart + kExpiryS);
  EXPECT_EQ(forget(kStart + kExpiryS), 0U);
  EXPECT_EQ(forget(kStart + kExpiryS + 1), 2U);
  EXPECT_EQ(state_.gauge_count(), 1U);
  EXPECT_EQ(resolve("d:+1|g\na:+1|g", kStart + kExpiryS + 1), (Values{1, 2}));
  EXPECT_EQ(forget(kStart + 10 * kExpiryS), 2U);
}

TEST_F(StatsdStateTest, AnExpiryIsExactToTheMillisecond) {
  StatsdState state({.gauge_expiry = Duration(1500)});
  const auto sum_at = [&](int64_t ms) {
    batch_.clear();
    parse_statsd_lines("a:+1|g", batch_);
    outcome_ = state.resolve(batch_, from_unix_seconds(kStart) + Duration(ms));
    return batch_.batch.samples.at(0).value.value();
  };
  EXPECT_EQ(sum_at(1), 1);
  EXPECT_EQ(sum_at(1501), 2);
  EXPECT_EQ(sum_at(3002), 1);
  EXPECT_EQ(outcome_.gauges_forgotten, 1U);
}

// A model of resolve() that handles one gauge at a time, without hashes.
class PlainGauges {
 public:
  PlainGauges(size_t gauges_max, int64_t expiry_s) : gauges_max_(gauges_max), expiry_s_(expiry_s) {}

  // Returns nullopt if the step is refused.
  std::optional<int64_t> resolve(const std::string& name, int64_t value, bool is_step, int64_t now_s) {
    auto known = known_.find(name);
    if (known == known_.end()) {
      if (known_.size() >= gauges_max_) return is_step ? std::nullopt : std::optional(value);
      known = known_.emplace(name, Known{}).first;
    } else if (now_s - known->second.time_s > expiry_s_) {
      known->second.value = 0;
    }
    known->second = {is_step ? known->second.value + value : value, now_s};
    return known->second.value;
  }

 private:
  struct Known {
    int64_t value = 0;
    int64_t time_s = 0;
  };
  const size_t gauges_max_;
  const int64_t expiry_s_;
  std::map<std::string, Known> known_;
};

RC_GTEST_PROP(StatsdState, ResolvesABatchLikeSingleGauges, ()) {
  struct Line {
    int gauge;
    int value;
    bool is_step;
  };
  const auto line = rc::gen::construct<Line>(rc::gen::inRange(0, 120), rc::gen::inRange(0, 1000),
                                             rc::gen::arbitrary<bool>());
  const auto batches =
      *rc::gen::resize(20, rc::gen::container<std::vector<std::vector<Line>>>(
                               rc::gen::resize(200, rc::gen::container<std::vector<Line>>(line))));
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  constexpr int64_t kExpiryS = 5;
  StatsdState state({.gauges_max = 100, .gauge_expiry = std::chrono::seconds(kExpiryS)}, seed);
  PlainGauges model(100, kExpiryS);
  StatsdBatch batch;
  int64_t now_s = 1'700'000'000;
  for (const auto& lines : batches) {
    now_s += static_cast<int64_t>(lines.size()) % 9;
    std::string text;
    std::vector<double> want;
    for (const Line& l : lines) {
      const std::string name = "gauge" + std::to_string(l.gauge);
      text += name + (l.is_step ? ":+" : ":") + std::to_string(l.value) + "|g\n";
      if (const auto value = model.resolve(name, l.value, l.is_step, now_s))
        want.push_back(static_cast<double>(*value));
    }
    parse_statsd_lines(text, batch);
    state.resolve(batch, from_unix_seconds(now_s));
    std::vector<double> values;
    for (const Sample& sample : batch.batch.samples) values.push_back(sample.value.value());
    RC_ASSERT(values == want);
    batch.clear();
  }
}

TEST_F(StatsdStateTest, GaugesAreForgottenInParts) {
  StatsdState state({.gauges_max = 100'000});
  std::string lines;
  for (int i = 0; i < 50'000; ++i) lines += "gauge" + std::to_string(i) + ":1|g\n";
  parse_statsd_lines(lines, batch_);
  state.resolve(batch_, from_unix_seconds(kStart));
  const Timestamp late = from_unix_seconds(kStart) + std::chrono::hours(25);
  uint64_t forgotten = 0;
  for (size_t i = 0; i < StatsdState::kSweepParts; ++i) {
    const uint64_t part = state.forget_gauges(late);
    EXPECT_LT(part, 500U) << i;
    forgotten += part;
  }
  EXPECT_EQ(forgotten, 50'000U);
  EXPECT_EQ(state.gauge_count(), 0U);
}

TEST_F(StatsdStateTest, WithoutExpiryNoGaugeIsForgotten) {
  StatsdState state({.gauge_expiry = Duration(0)});
  parse_statsd_lines("a:1|g", batch_);
  state.resolve(batch_, from_unix_seconds(kStart));
  const Timestamp late = from_unix_seconds(kStart) + std::chrono::years(50);
  for (size_t i = 0; i < StatsdState::kSweepParts; ++i) EXPECT_EQ(state.forget_gauges(late), 0U);
  EXPECT_EQ(state.gauge_count(), 1U);
}

TEST_F(StatsdStateTest, CountsTheDifferentMembersOfASetPerSlot) {
  resolve("a:x|s\na:y|s\na:x|s\nb;t=1:x|s", kStart);
  EXPECT_EQ(outcome_.members, 4U);
  EXPECT_EQ(batch_.batch.received, 0U) << "members do not count as received";
  resolve("a:y|s\na:z|s", kStart + 9);
  EXPECT_EQ(end_slots(kStart + 9), Counts{}) << "not yet over";
  EXPECT_EQ(end_slots(kStart + 10), (Counts{{"a@0", 3}, {"b;t=1@0", 1}}));
  EXPECT_EQ(state_.set_count(), 0U);
  resolve("a:x|s", kStart + 10);
  EXPECT_EQ(end_slots(kStart + 1000), (Counts{{"a@10", 1}})) << "a new slot starts empty";
}

TEST_F(StatsdStateTest, OverTheLimitOfSetsRefusesMembersOfNewSets) {
  resolve("a:x|s\nb:x|s\nc:x|s\nc:y|s\na:y|s");
  EXPECT_EQ(outcome_.members, 3U);
  EXPECT_EQ(refused(Refusal::kStateLimit), 2U);
  EXPECT_EQ(end_slots(kStart + 10), (Counts{{"a@0", 2}, {"b@0", 1}}));
  resolve("c:x|s", kStart + 10);
  EXPECT_EQ(outcome_.members, 1U) << "ended sets make room";
}

TEST_F(StatsdStateTest, AMemberAfterTheEndOfItsSlotCountsInTheNext) {
  resolve("a:x|s");
  EXPECT_EQ(end_slots(kStart + 10), (Counts{{"a@0", 1}}));
  resolve("a:y|s", kStart + 9);  // from a thread that read the clock before
  EXPECT_EQ(end_slots(kStart + 10), Counts{});
  resolve("a:z|s", kStart + 10);
  EXPECT_EQ(end_slots(kStart + 20), (Counts{{"a@10", 2}}));
}

TEST_F(StatsdStateTest, EndAllSlotsEndsTheCurrentSlotToo) {
  resolve("a:x|s", kStart);
  resolve("a:y|s", kStart + 15);
  EXPECT_EQ(end_all(), (Counts{{"a@0", 1}, {"a@10", 1}}));
  EXPECT_EQ(end_all(), Counts{});
}

TEST_F(StatsdStateTest, ManyMembersAreEstimated) {
  std::string lines;
  for (int i = 0; i < 50'000; ++i) lines += "a:user" + std::to_string(i) + "|s\n";
  resolve(lines);
  EXPECT_EQ(outcome_.members, 50'000U);
  EXPECT_NEAR(end_slots(kStart + 10).at("a@0"), 50'000, 3 * UniqueCount::kStandardError * 50'000);
}

}  // namespace
}  // namespace statmill
