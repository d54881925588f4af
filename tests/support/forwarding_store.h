// ForwardingStore: a Store that hands every call on to another; tests override what they look at.
#pragma once

#include <memory>

#include "storage/store.h"

namespace statmill {

class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(Store& store) : store_(store) {}  // must outlive it

  const Tiers& tiers() const override { return store_.tiers(); }
  Status write(const StoreBatch& batch) override { return store_.write(batch); }
  std::unique_ptr<StoreSnapshot> snapshot() override { return store_.snapshot(); }
  Status load(const LoadVisitor& visitor) override { return store_.load(visitor); }
  Status expire(TierNo tier, ChunkNo chunk) override { return store_.expire(tier, chunk); }
  Expiry& expiry() override { return store_.expiry(); }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override { return store_.reclaim(cancelled); }
  StoreStats stats() override { return store_.stats(); }

 protected:
  Store& store_;
};

}  // namespace statmill
