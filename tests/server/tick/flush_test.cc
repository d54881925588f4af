// FragmentBuilder::erase() against a simple version that looks through all fragments for each series.
#include "server/tick/flush.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "storage/codec/codec.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

constexpr SeriesId kSeries = 6;

// Counts the reads of chunks.
class CountingSnapshot final : public ForwardingSnapshot {
 public:
  using ForwardingSnapshot::ForwardingSnapshot;
  Result<std::string> chunk(const ChunkKey& key) override {
    ++reads;
    return ForwardingSnapshot::chunk(key);
  }
  size_t reads = 0;
};

class EraseTest {
 public:
  // Adds some chunks to the store, and others to the batch, as earlier parts of the flush do.
  EraseTest() {
    StoreBatch stored;
    for (const ChunkKey& key : some_chunks()) stored.fragments.push_back(fragment_of(key));
    RC_ASSERT(store_.write(stored).has_value());
    for (const ChunkKey& key : some_chunks()) batch_.push_back(fragment_of(key));
    snapshot_ = std::make_unique<CountingSnapshot>(store_.snapshot());
  }

  static std::vector<ErasedSeries> some_erased_series() {
    std::vector<ErasedSeries> erased;
    for (SeriesId id = 0; id < kSeries; ++id) {
      if (*rc::gen::arbitrary<bool>()) continue;
      const Slot begin = kStart / 10 + *rc::gen::inRange<Slot>(-5000, 5000);
      erased.push_back({id, {begin, begin + *rc::gen::inRange<Slot>(1, 5000)}});
    }
    return erased;
  }

  // Returns the fragments of the batch after erase().
  std::vector<StoreBatch::Fragment> erase(const std::vector<ErasedSeries>& erased) {
    std::vector<StoreBatch::Fragment> out = batch_;
    FragmentBuilder builder({retention_, store_.expiry(), clock_, *snapshot_}, {});
    RC_ASSERT(builder.erase(erased, out).has_value());
    return out;
  }
  // The number of chunks that erase() has read.
  size_t reads() const { return snapshot_->reads; }

  // The same the simple way. Each chunk that has no fragment in the batch costs a read.
  std::vector<StoreBatch::Fragment> erase_simply(const std::vector<ErasedSeries>& erased, size_t& reads) {
    std::vector<StoreBatch::Fragment> out = batch_;
    for (const ErasedSeries& series : erased) {
      for (TierNo t = 0; t < tiers_.stored_count(); ++t) {
        const Tier& tier = tiers_[t];
        const auto oldest =
            t == tiers_.count() ? clock_.oldest_kept(retention_.longest().detail()) : ChunkNo{0};
        const Slot begin = std::max(series.slots.begin * 10 / tier.step_s, oldest * tier.chunk_slots);
        const Slot end = (series.slots.end * 10 + tier.step_s - 1) / tier.step_s;
        for (ChunkNo chunk = tier.chunk_of_slot(begin); chunk <= tier.chunk_of_slot(end - 1); ++chunk) {
          const ChunkKey key{t, chunk, series.id};
          const auto has_key = [&](const StoreBatch::Fragment& f) { return f.key == key; };
          const bool is_written = std::any_of(out.begin(), out.end(), has_key);
          if (!is_written) ++reads;
          if (!is_written && store_.snapshot()->chunk(key)->empty()) continue;
          const Slot first = static_cast<Slot>(chunk) * tier.chunk_slots;
          out.push_back({key, encode_erase(key, first, std::max(begin, first),
                                           std::min(end, first + tier.chunk_slots))});
        }
      }
    }
    return out;
  }

 private:
  std::vector<ChunkKey> some_chunks() const {
    std::vector<ChunkKey> out;
    for (SeriesId id = 0; id < kSeries; ++id) {
      for (TierNo t = 0; t < tiers_.stored_count(); ++t) {
        const ChunkNo middle = tiers_[t].chunk_of_time(kStart);
        for (ChunkNo chunk = middle - 3; chunk <= middle + 3; ++chunk) {
          if (*rc::gen::arbitrary<bool>()) out.push_back({t, chunk, id});
        }
      }
    }
    return out;
  }
  StoreBatch::Fragment fragment_of(const ChunkKey& key) const {
    const Slot first = static_cast<Slot>(key.chunk) * tiers_[key.tier].chunk_slots;
    const SlotBucket bucket{first, Bucket::of(Number::decimal(1, 0))};
    return {key, encode_buckets(key, first, Combine::kMerge, {&bucket, 1})};
  }

  static Retention with_detail(const Tiers& tiers) {
    Retention out(tiers);
    EXPECT_TRUE(out.add_rule("host.* 1s:6h"));
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  const Retention retention_ = with_detail(tiers_);
  MemoryStore store_{tiers_};
  const ClockGuard clock_{std::chrono::hours(24), std::nullopt, {from_unix_seconds(kStart), {}, {}}};
  std::vector<StoreBatch::Fragment> batch_;
  std::unique_ptr<CountingSnapshot> snapshot_;
};

RC_GTEST_PROP(FragmentBuilder, ErasesTheChunksThatTheSimpleVersionErases, ()) {
  EraseTest test;
  const std::vector<ErasedSeries> erased = EraseTest::some_erased_series();
  size_t reads = 0;
  const auto want = test.erase_simply(erased, reads);
  const auto got = test.erase(erased);
  RC_ASSERT(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    RC_ASSERT(got[i].key == want[i].key);
    RC_ASSERT(got[i].frames == want[i].frames);
  }
  RC_ASSERT(test.reads() == reads);
}

}  // namespace
}  // namespace statmill
