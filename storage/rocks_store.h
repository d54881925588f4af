// RocksStore: the Store kept in an embedded RocksDB (storage/FORMAT.md).
//
// Do not fork after opening one: RocksDB's threads do not exist in the child.
#pragma once

#include <memory>
#include <utility>

#include "storage/rocks_database.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe.
class RocksStore final : public Store {
 public:
  // Errors: kBusy (another process has it open), kInvalid (not ours, other steps), kVersion, kCorrupt, kIo.
  // Refused directories are left as they were.
  static Result<std::unique_ptr<RocksStore>> open(const RocksOptions& options, const Tiers& tiers);

  RocksStore(const Tiers& tiers, bool sync, std::unique_ptr<RocksDatabase> database)
      : tiers_(tiers), sync_(sync), database_(std::move(database)) {}

  const Tiers& tiers() const override { return tiers_; }
  Status write(const StoreBatch& batch) override;
  std::unique_ptr<StoreSnapshot> snapshot() override;
  Status load(const LoadVisitor& visitor) override;
  Status expire(TierNo tier, ChunkNo chunk) override;
  StoreStats stats() override;

 private:
  const Tiers tiers_;
  const bool sync_;
  std::unique_ptr<RocksDatabase> database_;
};

}  // namespace statmill
