// RocksSnapshot: a frozen view of a RocksDatabase, which it keeps open.
#pragma once

#include <memory>
#include <optional>

#include "storage/rocks/flushed_ticks.h"
#include "storage/rocks/rocks_database.h"
#include "storage/store.h"

namespace statmill {

// Confined to one thread.
class RocksSnapshot final : public StoreSnapshot {
 public:
  // `tiers` must outlive it.
  RocksSnapshot(std::shared_ptr<RocksDatabase> database, const Tiers& tiers);
  ~RocksSnapshot() override;
  RocksSnapshot(const RocksSnapshot&) = delete;
  RocksSnapshot& operator=(const RocksSnapshot&) = delete;

  Result<TickNo> last_tick() override;
  Result<TickNo> flushed_tick(ShardNo shard) override;
  Result<RollupPosition> rollup_position() override;
  Result<std::optional<ClockRow>> clock() override;
  Result<std::optional<WholeRow>> whole() override;
  Result<std::optional<HashSecret>> hash_secret() override;
  Result<AgentRows> agents() override;
  Result<FamilyRows> families() override;
  Result<DocumentRows> documents() override;
  Status values(const std::function<Status(TickNo, std::string_view)>& visit) override;
  Result<uint64_t> exemplars(const ExemplarRange& range,
                             const std::function<bool(const ExemplarRow&)>& visit) override;
  Result<std::string> chunk(const ChunkKey& key) override;
  Status chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids,
                const std::function<void(size_t position, std::string_view frames)>& visit) override;
  Status scan(TierNo tier, ChunkNo chunk, SeriesId first,
              const std::function<bool(SeriesId, std::string_view frames)>& visit) override;
  ChunkNo floor(TierNo tier) override { return floors_[tier]; }
  Result<std::optional<ChunkNo>> oldest_chunk(TierNo tier) override;

  // Implements Store::load for this snapshot.
  Status load(const LoadVisitor& visitor);

 private:
  struct Flushed {
    TickNo tick = 0;
    std::string activity;
  };
  Result<Flushed> flushed(ShardNo shard);
  Result<std::string> get(rocksdb::ColumnFamilyHandle* family,
                          std::string_view key);  // empty if there is no such row
  using VisitChunk = std::function<void(size_t position, std::string_view frames)>;
  Status get_chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids, const VisitChunk& visit);
  Status walk_chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids, const VisitChunk& visit);
  Status load_series(const LoadVisitor& visitor);
  Result<std::vector<TickNo>> load_shards(const LoadVisitor& visitor);
  Status load_journal(const LoadVisitor& visitor, const std::vector<TickNo>& flushed_ticks);
  Result<TickNo> tick_of(std::string_view meta_key);  // 0 if there is no such row

  const std::shared_ptr<RocksDatabase> database_;
  const Tiers& tiers_;
  const uint64_t flushes_before_;
  const rocksdb::Snapshot* const snapshot_;
  const std::optional<FlushedTicks::Ticks> flushed_ticks_;  // nullopt: a flush came between
  std::array<ChunkNo, Tiers::kStoredMax> floors_{};
};

}  // namespace statmill
