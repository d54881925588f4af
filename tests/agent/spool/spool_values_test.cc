// Counters whose growth is in a spool: after any crash the sum of all batches is what the counter went up by,
// to the value that the spool says.
#include "agent/spool/spool_values.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "base/text.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {
namespace {

constexpr uint64_t kNames = 3;

LastValue value_of(uint64_t name, uint64_t value, int64_t time_ms = 1'000'000) {
  LastValue out;
  out.name = {name, 7};
  out.value = Number::decimal(static_cast<int64_t>(value), 0);
  out.time_ms = time_ms;
  out.seen_s = time_ms / 1000;
  out.is_counter = true;
  return out;
}

// A host whose agent counts how far counters of a target go up.
class World {
 public:
  World(uint64_t seed, SpoolOptions options) : random_(seed), directory_(seed), options_(options) { open(); }

  void step() {
    const uint64_t chance = random_() % 100;
    if (chance < 45) return append();
    if (chance < 55) return append_other();
    if (chance < 75) return static_cast<void>(spool_->sync());
    if (chance < 83) return fail(1 + random_() % 6);
    if (chance < 90) return fail(0);
    restart(chance < 95);
  }
  void restart(bool is_power_cut) {
    fail(0);
    spool_.reset();
    if (is_power_cut) directory_.power_cut();
    open();
    compare();
  }
  void finish() {
    fail(0);
    EXPECT_TRUE(spool_->sync());
    restart(true);
    EXPECT_GT(restarts_, 0);
  }

 private:
  void open() {
    ++restarts_;
    spool_ = open_spool(directory_, options_);
    ASSERT_NE(spool_, nullptr);
    known_.clear();
    for (const LastValue& value : spool_->values())
      known_[value.name.low] = static_cast<uint64_t>(value.value.mantissa);
  }
  // A scrape, of some counters of which some have gone up.
  void append() {
    LineBatch batch;
    for (uint64_t name = 0; name < kNames; ++name) {
      if (random_() % 3 == 0) continue;
      actual_[name] += random_() % 4;
      const bool is_new = !known_.contains(name);
      const uint64_t growth = is_new ? 0 : actual_[name] - known_[name];
      if (is_new) first_.try_emplace(name, actual_[name]);
      batch.text += "c" + std::to_string(name) + " " + std::to_string(growth) + "\n";
      ++batch.lines;
      if (is_new || growth > 0) batch.values.push_back(value_of(name, actual_[name]));
      known_[name] = actual_[name];
    }
    if (batch.lines > 0) spool_->append(batch, at_second(0));
  }
  void append_other() { spool_->append(numbered_lines(1, 1 + random_() % 3), at_second(0)); }
  void fail(uint64_t one_in) {
    directory_.fails = [this, one_in](SpoolCall) { return one_in > 0 && random_() % one_in == 0; };
  }
  // Right after a start, all that the spool has is durable, and nothing else is known.
  void compare() {
    std::map<uint64_t, uint64_t> sums;
    for (const ReadBatch& batch : read_all(*spool_)) {
      for (const std::string_view line : split(batch.text, '\n')) {
        if (line.starts_with('c'))
          sums[static_cast<uint64_t>(line[1] - '0')] += std::stoull(std::string(line.substr(3)));
      }
    }
    for (uint64_t name = 0; name < kNames; ++name) {
      if (!known_.contains(name)) {
        EXPECT_EQ(sums[name], 0U);
        first_.erase(name);
      } else {
        EXPECT_EQ(sums[name], known_[name] - first_[name]);
      }
    }
  }

  std::mt19937_64 random_;
  FaultySpoolDirectory directory_;
  const SpoolOptions options_;
  std::unique_ptr<Spool> spool_;
  std::map<uint64_t, uint64_t> actual_;
  std::map<uint64_t, uint64_t> known_;  // by the agent
  std::map<uint64_t, uint64_t> first_;  // values, which count nothing
  int restarts_ = 0;
};

TEST(SpoolValues, SumsAreExactAfterAnyCrash) {
  for (uint64_t seed = 1; seed <= 400 / kStride && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    World world(seed, {.segment_bytes = 200 + 100 * (seed % 10)});
    for (int i = 0; i < 200; ++i) world.step();
    world.finish();
  }
}

class SpoolValuesTest : public testing::Test {
 protected:
  // Appends a batch with the value of a counter, and makes it durable.
  static void append(Spool& spool, uint64_t value, int64_t time_ms = 1'000'000) {
    LineBatch batch{.text = "c 1\n", .lines = 1};
    batch.values = {value_of(1, value, time_ms)};
    spool.append(batch, at_second(0));
    EXPECT_TRUE(spool.sync());
  }
  static int64_t first_of(const Spool& spool) {
    return spool.values().empty() ? -1 : spool.values().front().value.mantissa;
  }

  FaultySpoolDirectory directory_{1};
};

TEST_F(SpoolValuesTest, ABatchThatWasNotWrittenChangesNothing) {
  {
    const auto spool = open_spool(directory_);
    append(*spool, 5);
    // The values are durable, the batch is not.
    int syncs = 0;
    directory_.fails = [&](SpoolCall call) { return call == SpoolCall::kAppend && ++syncs == 2; };
    LineBatch batch{.text = "c 1\n", .lines = 1};
    batch.values = {value_of(1, 9)};
    spool->append(batch, at_second(0));
    EXPECT_FALSE(spool->sync());
    directory_.fails = [](SpoolCall) { return false; };
  }
  {
    const auto spool = open_spool(directory_);
    EXPECT_EQ(first_of(*spool), 5);
    // Another batch gets the number; it says nothing of the counter.
    spool->append(numbered_lines(1, 1), at_second(0));
    EXPECT_TRUE(spool->sync());
  }
  EXPECT_EQ(first_of(*open_spool(directory_)), 5);
}

TEST_F(SpoolValuesTest, ValuesOfAnotherNumberingAreLost) {
  { append(*open_spool(directory_), 5); }
  EXPECT_EQ(first_of(*open_spool(directory_)), 5);
  EXPECT_EQ(first_of(*open_spool(directory_, {}, "there", 50)), -1) << "a copy has another identity";
}

TEST_F(SpoolValuesTest, ValuesStayWhenTheIdentityChanges) {
  {
    const auto spool = open_spool(directory_);
    append(*spool, 5);
    EXPECT_TRUE(spool->change_identity(GapReason::kCloned, SteadyTime()));
    append(*spool, 6);
  }
  EXPECT_EQ(first_of(*open_spool(directory_)), 6);
}

TEST_F(SpoolValuesTest, TheFileStaysShort) {
  const auto spool = open_spool(directory_);
  const std::string file(SpoolValues::kFile);
  for (uint64_t i = 0; i < 40'000; ++i) {
    append(*spool, i);
    ASSERT_LE(directory_.contents(file).size(), SpoolValues::kFileBytesMin + 100);
    ASSERT_TRUE(spool->trim(at_second(0)));
  }
}

TEST_F(SpoolValuesTest, OldValuesAreForgotten) {
  {
    const auto spool = open_spool(directory_);
    append(*spool, 1, 1000);
    LineBatch batch{.text = "c 1\n", .lines = 1};
    batch.values = {value_of(2, 8, 2000 + SpoolValues::kForget.count())};
    spool->append(batch, at_second(0));
    EXPECT_TRUE(spool->sync());
  }
  // A start writes the whole file again with the first values.
  {
    const auto spool = open_spool(directory_);
    EXPECT_EQ(spool->values().size(), 2U);
    LineBatch batch{.text = "c 1\n", .lines = 1};
    batch.values = {value_of(2, 9, 3000 + SpoolValues::kForget.count())};
    spool->append(batch, at_second(0));
    EXPECT_TRUE(spool->sync());
  }
  EXPECT_EQ(open_spool(directory_)->values().size(), 1U);
}

// A counter that is silent since then keeps its time.
TEST_F(SpoolValuesTest, AClockThatWasSetBackForgetsNothing) {
  constexpr int64_t kAhead_ms = 1'000'000'000'000;
  {
    const auto spool = open_spool(directory_);
    append(*spool, 1, kAhead_ms);
    LineBatch batch{.text = "c 1\n", .lines = 1};
    batch.values = {value_of(2, 8, 2'000'000)};
    spool->append(batch, at_second(0));
    EXPECT_TRUE(spool->sync());
  }
  const auto rewrite = [&](int64_t time_ms) {
    const auto spool = open_spool(directory_);
    LineBatch batch{.text = "c 1\n", .lines = 1};
    batch.values = {value_of(3, 9, time_ms)};
    spool->append(batch, at_second(0));
    EXPECT_TRUE(spool->sync());
  };
  rewrite(3'000'000);
  EXPECT_EQ(open_spool(directory_)->values().size(), 3U);
  rewrite(4'000'000 + SpoolValues::kForget.count());
  EXPECT_EQ(open_spool(directory_)->values().size(), 1U) << "the silent ones are a day old";
}

// Any byte of the file may be damaged: what it then says are values that it had.
TEST_F(SpoolValuesTest, DamageGivesOlderValues) {
  {
    const auto spool = open_spool(directory_);
    for (uint64_t i = 1; i <= 5; ++i) append(*spool, i);
  }
  const std::string file(SpoolValues::kFile);
  const size_t size = directory_.contents(file).size();
  for (size_t i = 0; i < size; ++i) {
    const auto copy = directory_.copy(i);
    copy->contents(file)[i] = static_cast<char>(copy->contents(file)[i] ^ 0x10);
    const auto spool = open_spool(*copy);
    const int64_t value = first_of(*spool);
    EXPECT_TRUE(value == -1 || (1 <= value && value < 5)) << i << ": " << value;
  }
}

}  // namespace
}  // namespace statmill
