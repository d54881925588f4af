// MemoryStore: a Store in memory that behaves like RocksStore and can simulate failures.
//
// It serves tests that need sanitizers for all memory accesses, or thousands of stores (models). A completed
// write is kept as long as the object lives, as if synced; to simulate a crash, destroy everything that uses
// the store.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe.
class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const Tiers& tiers);

  // Forgets everything that is not stored, as if a new process had opened the store.
  void restart();

  // Makes the next write that is not empty return this error. Its changes are lost (kNone), or applied all
  // the same (kWhole), as when a disk fails after it has written.
  enum class Effect { kNone, kWhole };
  void fail_next_write(Error error, Effect effect = Effect::kNone);

  // The complete content at one time. restore() returns to it, like a restored backup, or a disk that lost
  // data that it had promised to keep; expiry() starts from the beginning.
  class Backup;
  Backup backup();
  void restore(const Backup& backup);

  const Tiers& tiers() const override { return tiers_; }
  Status write(const StoreBatch& batch) override;
  std::unique_ptr<StoreSnapshot> snapshot() override;
  Status load(const LoadVisitor& visitor) override;
  Result<uint64_t> expire(TierNo tier, ChunkNo chunk) override;
  Status keep_from(TierNo tier, ChunkNo chunk) override;
  Expiry& expiry() override { return *expiry_; }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override;  // reclaims everything at once
  uint64_t moment() override;
  bool has_snapshot_before(uint64_t moment) override;
  Result<std::optional<TierChunk>> remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                               const std::atomic<bool>& cancelled) override;
  StoreStats stats() override;

 private:
  friend class MemorySnapshot;
  struct Flushed {
    TickNo tick = 0;
    std::string activity;
  };
  struct Content {
    std::map<SeriesId, std::optional<SeriesRow>> series;  // nullopt if deleted
    std::map<TickNo, std::string> journal;
    std::map<ChunkKey, std::string> chunks;
    std::array<Flushed, kShardCount> flushed;
    RollupPosition rollup_position;
    std::map<AgentId, AgentRow> agents;
    std::map<FamilyKey, FamilyRow> families;
    std::map<DocumentKey, DocumentRow> documents;
    std::map<TickNo, std::string> values;
    std::map<ExemplarKey, ExemplarRow> exemplars;
    std::optional<ClockRow> clock;
    std::optional<WholeRow> whole;
    std::optional<HashSecret> hash_secret;
    std::optional<Timestamp> forgotten_until;
    std::array<ChunkNo, Tiers::kStoredMax> floors{};
    std::array<ChunkNo, Tiers::kStoredMax> dropped{};  // the highest floors so far
    TickNo tick = 0;
  };

  void apply(const StoreBatch& batch) REQUIRES(mutex_);
  // Returns the content for a change; copies it first if a snapshot uses it.
  Content& writable() REQUIRES(mutex_);
  void load_floors() REQUIRES(mutex_);
  // What a snapshot holds, and its number.
  struct Pinned {
    std::shared_ptr<const Content> content;
    uint64_t number = 0;
  };
  Pinned pin();
  // Releases a snapshot's reference under the lock, so that writable() can rely on the reference count.
  void unpin(Pinned& pinned);

  const Tiers tiers_;
  std::unique_ptr<Expiry> expiry_ = std::make_unique<Expiry>();
  Mutex mutex_;
  std::shared_ptr<Content> content_ GUARDED_BY(mutex_);
  uint64_t snapshots_made_ GUARDED_BY(mutex_) = 0;
  std::set<uint64_t> snapshots_ GUARDED_BY(mutex_);  // numbers of those that live
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
