// DemoStore: a store of which the past is made when it is read (past_chunks.h), while new data go to the
// store below it. A chunk that has both is the frames of both, so that readers, rollup and retention do what
// they always do.
#pragma once

#include <memory>
#include <vector>

#include "server/demo/frame_cache.h"
#include "server/demo/past_chunks.h"
#include "storage/retention.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe, as Store.
class DemoStore final : public Store {
 public:
  static constexpr size_t kCacheBytes = size_t{128} << 20;

  // Both must outlive it.
  DemoStore(Store& below, const PastChunks& past) : below_(below), past_(past), cache_(kCacheBytes) {}

  // Writes the names of the past's series, how far rollup is, and what was known of agents, to an empty
  // store. Series whose class in `retention` keeps seconds have had them so far. Call it before anything else
  // is written to the store.
  Status write_names(const DemoWorld& world, const Retention& retention);

  const Tiers& tiers() const override { return below_.tiers(); }
  Status write(const StoreBatch& batch) override { return below_.write(batch); }
  std::unique_ptr<StoreSnapshot> snapshot() override;
  Status load(const LoadVisitor& visitor) override { return below_.load(visitor); }
  Result<uint64_t> expire(TierNo tier, ChunkNo chunk) override { return below_.expire(tier, chunk); }
  Status keep_from(TierNo tier, ChunkNo chunk) override { return below_.keep_from(tier, chunk); }
  Expiry& expiry() override { return below_.expiry(); }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override { return below_.reclaim(cancelled); }
  uint64_t moment() override { return below_.moment(); }
  bool has_snapshot_before(uint64_t moment) override { return below_.has_snapshot_before(moment); }
  Result<std::optional<TierChunk>> remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                               const std::atomic<bool>& cancelled) override;
  StoreStats stats() override;

 private:
  Store& below_;
  const PastChunks& past_;
  FrameCache cache_;
};

}  // namespace statmill
