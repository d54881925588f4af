// ForwardingStore and ForwardingSnapshot forward all calls to another object; tests override some of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/store.h"

namespace statmill {

class ForwardingSnapshot : public StoreSnapshot {
 public:
  explicit ForwardingSnapshot(std::unique_ptr<StoreSnapshot> of) : of_(std::move(of)) {}

  Result<TickNo> last_tick() override { return of_->last_tick(); }
  Result<TickNo> flushed_tick(ShardNo shard) override { return of_->flushed_tick(shard); }
  Result<RollupPosition> rollup_position() override { return of_->rollup_position(); }
  Result<std::optional<ClockRow>> clock() override { return of_->clock(); }
  Result<std::optional<WholeRow>> whole() override { return of_->whole(); }
  Result<std::optional<HashSecret>> hash_secret() override { return of_->hash_secret(); }
  Result<AgentRows> agents() override { return of_->agents(); }
  Result<FamilyRows> families() override { return of_->families(); }
  Result<DocumentRows> documents() override { return of_->documents(); }
  Result<uint64_t> exemplars(const ExemplarRange& range,
                             const std::function<bool(const ExemplarRow&)>& visit) override {
    return of_->exemplars(range, visit);
  }
  Status values(const std::function<Status(TickNo, std::string_view)>& visit) override {
    return of_->values(visit);
  }
  Result<std::string> chunk(const ChunkKey& key) override { return of_->chunk(key); }
  Status chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids,
                const std::function<void(size_t position, std::string_view frames)>& visit) override {
    return of_->chunks(tier, chunk, ids, visit);
  }
  Status scan(TierNo tier, ChunkNo chunk, SeriesId first,
              const std::function<bool(SeriesId, std::string_view frames)>& visit) override {
    return of_->scan(tier, chunk, first, visit);
  }
  ChunkNo floor(TierNo tier) override { return of_->floor(tier); }
  Result<std::optional<ChunkNo>> oldest_chunk(TierNo tier) override { return of_->oldest_chunk(tier); }

 private:
  const std::unique_ptr<StoreSnapshot> of_;
};

class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(Store& store) : store_(store) {}  // must outlive it

  const Tiers& tiers() const override { return store_.tiers(); }
  Status write(const StoreBatch& batch) override { return store_.write(batch); }
  std::unique_ptr<StoreSnapshot> snapshot() override { return store_.snapshot(); }
  Status load(const LoadVisitor& visitor) override { return store_.load(visitor); }
  Result<uint64_t> expire(TierNo tier, ChunkNo chunk) override { return store_.expire(tier, chunk); }
  Status keep_from(TierNo tier, ChunkNo chunk) override { return store_.keep_from(tier, chunk); }
  Expiry& expiry() override { return store_.expiry(); }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override { return store_.reclaim(cancelled); }
  uint64_t moment() override { return store_.moment(); }
  bool has_snapshot_before(uint64_t moment) override { return store_.has_snapshot_before(moment); }
  Result<std::optional<TierChunk>> remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                               const std::atomic<bool>& cancelled) override {
    return store_.remove_used(ids, from, cancelled);
  }
  StoreStats stats() override { return store_.stats(); }

 protected:
  Store& store_;
};

}  // namespace statmill
