// Random histories of a spool, compared with a model: appends, syncs, disk failures, kills, power cuts,
// acknowledgments, copies, new identities. Batches are read as they were appended, in order and once; missing
// ones have been counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "agent/spool/spool.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {
namespace {

constexpr int kHistories = 500 / kStride;
constexpr int kSteps = 150;
constexpr size_t kServers = 2;

struct Appended {
  uint64_t lines_before = 0;
  uint64_t lines = 0;
  std::string text;
};
using Batches = std::map<uint64_t, Appended>;

class World {
 public:
  explicit World(uint64_t seed) : random_(seed), directory_(seed) {
    options_ = {.bytes_max = 4000 + random_() % 8000,
                .segment_bytes = 300 + random_() % 800,
                .unsynced_bytes_max = 200 + random_() % 2000,
                .keep_for = std::chrono::seconds(random_() % 60),
                .keep_bytes = random_() % 4000,
                .servers = kServers};
    open();
  }

  void step() {
    const uint64_t chance = random_() % 100;
    if (chance < 35) return append();
    if (chance < 60) return sync();
    if (chance < 68) return acknowledge();
    if (chance < 76) return trim();
    if (chance < 82) return disk_fails(1 + random_() % 4);
    if (chance < 86) return disk_fails(0);
    if (chance < 90) return read_on();
    if (chance < 92) return change_identity();
    if (chance < 94) return copy();
    restart(chance < 97);
  }
  // After the disk has recovered, everything that is owed must be there.
  void settle() {
    disk_fails(0);
    sync();
    EXPECT_EQ(spool_->durable_seq() + 1, spool_->next_seq());
    read_on();
    restart(true);
  }

 private:
  void append();
  void sync();
  void acknowledge();
  void trim();
  void disk_fails(uint64_t one_in);
  void read_on();
  void change_identity();
  void copy();
  void restart(bool is_power_cut);

  void open();
  // Compares what a reader returns with the model.
  std::set<uint64_t> look();
  // Called after each operation: batches that are gone, and that no server may ask for, have been counted.
  void compare();

  std::mt19937_64 random_;
  FaultySpoolDirectory directory_;
  SpoolOptions options_;
  std::unique_ptr<Spool> spool_;
  Batches appended_;  // of this epoch, by number; readers may still return them
  // Batches that a reader has returned, so that a server may have them: a number never has two meanings.
  std::map<uint64_t, std::string> sent_;
  // Batches that were lost or renumbered before anyone read them: a failed write may have left some in a
  // file, and the next start may find them there.
  std::multimap<uint64_t, Appended> not_durable_;
  std::set<uint64_t> present_;
  std::set<uint64_t> unseen_;   // appended in this life, not yet known to be durable or lost
  uint64_t lines_missing_ = 0;  // in this life, not acknowledged by all servers
  std::vector<uint64_t> acknowledged_;
  std::map<size_t, uint64_t> have_said_;  // lines by server, in this life
  std::optional<SpoolReader> reader_;
  uint64_t reader_seq_ = 0;
  uint64_t line_ = 0;
  uint64_t opened_ = 0;  // makes every identity different
  int64_t now_s_ = 1000;
  SteadyTime now_steady_{};
};

void World::open() {
  const bool had_records = !present_.empty();
  const std::optional<AgentId> id = spool_ ? std::optional(spool_->id()) : std::nullopt;
  const uint32_t epoch = spool_ ? spool_->epoch() : 0;
  reader_.reset();
  spool_ = open_spool(directory_, options_, kHere, ++opened_ * 1000);
  ASSERT_NE(spool_, nullptr);
  if (id && had_records) {
    ASSERT_TRUE(spool_->id() == *id && spool_->epoch() == epoch);
  }
  if (spool_->epoch() != epoch) {
    appended_.clear();
    not_durable_.clear();
    sent_.clear();
  }
  for (const ReadBatch& batch : read_all(*spool_)) {
    for (auto [it, end] = not_durable_.equal_range(batch.seq); it != end; ++it) {
      const bool is_it = it->second.text == batch.text && it->second.lines_before == batch.lines_before;
      if (is_it) appended_[batch.seq] = it->second;
    }
  }
  const auto lost = appended_.lower_bound(spool_->next_seq());
  not_durable_.insert(lost, appended_.end());
  appended_.erase(lost, appended_.end());
  acknowledged_.assign(kServers, 0);
  have_said_.clear();
  lines_missing_ = 0;
  unseen_.clear();
  const std::set<uint64_t> before = std::exchange(present_, look());
  for (const uint64_t seq : before) EXPECT_TRUE(present_.contains(seq)) << "lost batch " << seq;
  reader_.emplace(*spool_);
  reader_seq_ = 0;
}

std::set<uint64_t> World::look() {
  std::set<uint64_t> seen;
  uint64_t last = 0;
  for (const ReadBatch& batch : read_all(*spool_)) {
    EXPECT_GT(batch.seq, last);
    EXPECT_LE(batch.seq, spool_->durable_seq());
    EXPECT_EQ(batch.damaged, 0U);
    last = batch.seq;
    const auto it = appended_.find(batch.seq);
    if (it == appended_.end()) {
      ADD_FAILURE() << "batch " << batch.seq << " was not appended";
      continue;
    }
    EXPECT_EQ(batch.text, it->second.text);
    EXPECT_EQ(batch.lines_before, it->second.lines_before);
    EXPECT_EQ(batch.lines, it->second.lines);
    EXPECT_EQ(sent_.try_emplace(batch.seq, batch.text).first->second, batch.text);
    seen.insert(batch.seq);
  }
  return seen;
}

void World::compare() {
  const std::set<uint64_t> seen = look();
  const uint64_t acknowledged = *std::min_element(acknowledged_.begin(), acknowledged_.end());
  for (const std::set<uint64_t>& before : {present_, unseen_}) {
    for (const uint64_t seq : before) {
      if (seq <= spool_->durable_seq() && !seen.contains(seq) && seq > acknowledged) {
        lines_missing_ += appended_.at(seq).lines;
      }
    }
  }
  std::erase_if(unseen_, [&](uint64_t seq) { return seq <= spool_->durable_seq(); });
  for (const uint64_t seq : seen)
    EXPECT_TRUE(present_.contains(seq) ||
                seq > *std::max_element(acknowledged_.begin(), acknowledged_.end()));
  present_ = seen;
  const SpoolStats stats = spool_->stats();
  if (unseen_.empty()) {
    EXPECT_EQ(stats.lines_dropped_full + stats.lines_dropped_failed, lines_missing_);
  }
  EXPECT_LE(stats.bytes_unsynced, options_.unsynced_bytes_max + 200);
  EXPECT_LE(directory_.bytes(), options_.bytes_max + options_.segment_bytes + 150);
  EXPECT_EQ(stats.batches_damaged, 0U);
}

void World::append() {
  const LineBatch batch = numbered_lines(line_, 1 + random_() % 6);
  line_ += batch.lines;
  const uint64_t seq = spool_->next_seq();
  appended_[seq] = {spool_->lines(), batch.lines, batch.text};
  unseen_.insert(seq);
  spool_->append(batch, at_second(now_s_));
  EXPECT_EQ(spool_->next_seq(), seq + 1);
  compare();
}

void World::sync() {
  const bool is_done = static_cast<bool>(spool_->sync());
  if (is_done) {
    EXPECT_EQ(spool_->durable_seq() + 1, spool_->next_seq());
  }
  compare();
}

void World::acknowledge() {
  uint64_t& position = acknowledged_[random_() % kServers];
  const uint64_t most = spool_->durable_seq();
  position = std::max(position, most - std::min<uint64_t>(random_() % 20, most));
  const auto found = appended_.find(position);
  const uint64_t lines =
      found != appended_.end() ? found->second.lines_before + found->second.lines : spool_->lost().lines;
  const auto server = static_cast<size_t>(&position - acknowledged_.data());
  have_said_[server] = lines;
  spool_->acknowledged(server, {position, lines});
  compare();
}

void World::trim() {
  now_s_ += static_cast<int64_t>(random_() % 100) - 20;  // the clock is sometimes set back
  static_cast<void>(spool_->trim(at_second(now_s_)).has_value());
  compare();
}

void World::disk_fails(uint64_t one_in) {
  directory_.fails = [this, one_in](SpoolCall call) {
    return one_in > 0 && call != SpoolCall::kRead && random_() % one_in == 0;
  };
}

void World::read_on() {
  std::set<uint64_t> given;
  for (const ReadBatch& batch : read_from(*reader_)) {
    EXPECT_GT(batch.seq, reader_seq_);
    reader_seq_ = batch.seq;
    given.insert(batch.seq);
    EXPECT_EQ(batch.text, appended_.at(batch.seq).text);
  }
  for (const uint64_t seq : look()) EXPECT_TRUE(seq <= reader_seq_) << seq;
}

// Another agent has the same identity: durable batches are given up, waiting ones are renumbered.
void World::change_identity() {
  const auto fails = std::exchange(directory_.fails, [](SpoolCall) { return false; });
  const SpoolStats before = spool_->stats();
  const AgentId id = spool_->id();
  const uint64_t lines = spool_->lines();
  now_steady_ += options_.identity_change_interval;
  ASSERT_TRUE(spool_->change_identity(GapReason::kCloned, now_steady_));
  EXPECT_NE(spool_->id(), id);
  EXPECT_EQ(spool_->epoch(), 1U);
  EXPECT_EQ(spool_->stats().lines_spooled, before.lines_spooled);
  // Some batches that were not durable may have been dropped before: the last ones still wait.
  std::vector<Appended> waiting;
  uint64_t lines_waiting = 0;
  for (uint64_t i = spool_->next_seq() - spool_->durable_seq() - 1; i > 0; --i) {
    waiting.push_back(appended_.at(*std::prev(unseen_.end(), static_cast<std::ptrdiff_t>(i))));
    lines_waiting += waiting.back().lines;
  }
  const uint64_t abandoned = spool_->stats().lines_abandoned - before.lines_abandoned;
  EXPECT_EQ(spool_->lost().lines, abandoned);
  EXPECT_LE(abandoned, lines - lines_waiting);
  if (have_said_.size() == kServers) {
    EXPECT_EQ(abandoned, lines - lines_waiting - std::min(have_said_[0], have_said_[1]));
  }
  // The rest was dropped, or is given up with the identity.
  EXPECT_GE(before.lines_dropped_full + before.lines_dropped_failed, lines_missing_);
  lines_missing_ = before.lines_dropped_full + before.lines_dropped_failed;
  appended_.clear();
  not_durable_.clear();
  sent_.clear();
  present_.clear();
  unseen_.clear();
  have_said_.clear();
  uint64_t seq = spool_->durable_seq();
  uint64_t lines_before = abandoned;
  EXPECT_EQ(seq, abandoned > 0 ? 1U : 0U);
  for (Appended& batch : waiting) {
    batch.lines_before = lines_before;
    lines_before += batch.lines;
    appended_[++seq] = batch;
    unseen_.insert(seq);
  }
  EXPECT_EQ(spool_->lines(), lines_before);
  acknowledged_.assign(kServers, 0);
  directory_.fails = fails;
  reader_.emplace(*spool_);
  reader_seq_ = 0;
  compare();
}

void World::copy() {
  const auto other = directory_.copy(random_());
  const auto spool = open_spool(*other, options_, "elsewhere", 1000 + random_() % 1000);
  ASSERT_NE(spool, nullptr);
  EXPECT_EQ(spool->recovery_report().identity, RecoveryReport::Identity::kCopied);
  EXPECT_NE(spool->id(), spool_->id());
  EXPECT_TRUE(read_all(*spool).empty());
}

void World::restart(bool is_power_cut) {
  reader_.reset();
  const auto fails = std::exchange(directory_.fails, [](SpoolCall) { return false; });
  if (is_power_cut) directory_.power_cut();
  open();
}

TEST(SpoolModel, BatchesAreReadAsAppendedAndMissingOnesAreCounted) {
  const char* const only = std::getenv("SPOOL_SEED");
  const uint64_t first = only != nullptr ? std::strtoull(only, nullptr, 10) : 1;
  const uint64_t last = only != nullptr ? first : kHistories;
  for (uint64_t seed = first; seed <= last && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("SPOOL_SEED=" + std::to_string(seed));
    World world(seed);
    for (int i = 0; i < kSteps && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      world.step();
    }
    if (!testing::Test::HasFailure()) world.settle();
  }
}

}  // namespace
}  // namespace statmill
