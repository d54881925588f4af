// MemoryStore: a Store that lives in memory, with the same meaning as RocksStore and hooks for failure.
//
// For tests that must see every byte of memory (sanitizers) or need thousands of stores (models). What a
// write has returned from is kept as long as the object lives, as if synced; a "crash" is to drop what stands
// on the store.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe.
class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const Tiers& tiers);

  // As if opened by a new process: what is not stored is forgotten.
  void restart();

  // The next write that is not empty returns this error, and changes nothing, or all the same everything: as
  // when a disk fails after it has written.
  enum class Effect { kNone, kWhole };
  void fail_next_write(Error error, Effect effect = Effect::kNone);

  // All that it has at a moment. set_back() makes it that again: as a restored backup does, or a disk that
  // has lost what it had promised to keep; expiry() starts anew.
  class Backup;
  Backup backup();
  void set_back(const Backup& backup);

  const Tiers& tiers() const override { return tiers_; }
  Status write(const StoreBatch& batch) override;
  std::unique_ptr<StoreSnapshot> snapshot() override;
  Status load(const LoadVisitor& visitor) override;
  Result<uint64_t> expire(TierNo tier, ChunkNo chunk) override;
  Status keep_from(TierNo tier, ChunkNo chunk) override;
  Expiry& expiry() override { return *expiry_; }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override;  // all at once
  StoreStats stats() override;

 private:
  friend class MemorySnapshot;
  struct Flushed {
    TickNo tick = 0;
    std::string activity;
  };
  struct Content {
    std::map<SeriesId, std::optional<SeriesRow>> series;  // none: deleted
    std::map<std::pair<TickNo, RowPart>, std::string> journal;
    std::map<ChunkKey, std::string> chunks;
    std::array<Flushed, kShardCount> flushed;
    RollupPosition rollup_position;
    std::map<AgentId, AgentRow> agents;
    std::optional<ClockRow> clock;
    std::optional<Timestamp> forgotten_until;
    std::array<ChunkNo, Tiers::kCountMax> floors{};
    std::array<ChunkNo, Tiers::kCountMax> dropped{};  // the highest that they were
    TickNo tick = 0;
  };

  void apply(const StoreBatch& batch) REQUIRES(mutex_);
  Content& writable() REQUIRES(mutex_);
  void load_floors() REQUIRES(mutex_);
  std::shared_ptr<const Content> current();
  // Snapshots give their view back under the lock, so that writable() may trust the count of users.
  void give_back(std::shared_ptr<const Content>& content);

  const Tiers tiers_;
  std::unique_ptr<Expiry> expiry_ = std::make_unique<Expiry>();
  Mutex mutex_;
  std::shared_ptr<Content> content_ GUARDED_BY(mutex_);
  std::optional<Error> failure_ GUARDED_BY(mutex_);
  uint64_t expired_rows_ GUARDED_BY(mutex_) = 0;
  Effect effect_ GUARDED_BY(mutex_) = Effect::kNone;
};

class MemoryStore::Backup {
 private:
  friend class MemoryStore;
  explicit Backup(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

}  // namespace statmill
