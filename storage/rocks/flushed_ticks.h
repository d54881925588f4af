// FlushedTicks: the flushed tick of every shard in RAM, for the snapshots of a database. Their rows hold more
// than the tick, and a query needs many of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "storage/ids.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe: one writer, any number of readers. Not for a store that others write to.
class FlushedTicks {
 public:
  using Ticks = std::array<TickNo, kShardCount>;

  explicit FlushedTicks(const Ticks& initial) {
    for (size_t i = 0; i < initial.size(); ++i) ticks_[i].store(initial[i], std::memory_order_relaxed);
  }

  // The writer calls these before and after it writes the rows; not end_write() if the write fails, since the
  // rows may then be in the database or not.
  void begin_write() { begun_.fetch_add(1); }
  void end_write(std::span<const StoreBatch::Flushed> rows) {
    for (const StoreBatch::Flushed& row : rows) ticks_[row.shard].store(row.tick, std::memory_order_release);
    ended_.fetch_add(1);
  }

  // The number of writes that had ended. Call it before the snapshot is made.
  uint64_t ended_writes() const { return ended_.load(); }
  // Returns the ticks of a snapshot that was made since `ended_writes` was returned; nullopt if a write was
  // under way meanwhile, so that nobody knows whether the snapshot has it. Call it after the snapshot is
  // made.
  std::optional<Ticks> at_snapshot(uint64_t ended_writes) const {
    Ticks ticks;
    for (size_t i = 0; i < ticks.size(); ++i) ticks[i] = ticks_[i].load(std::memory_order_acquire);
    if (begun_.load() != ended_writes) return std::nullopt;
    return ticks;
  }

 private:
  // The writer writes all of these. Who reads a tick of a write, or a snapshot with it, reads that it has
  // begun.
  std::atomic<uint64_t> begun_ = 0;
  std::atomic<uint64_t> ended_ = 0;
  std::array<std::atomic<TickNo>, kShardCount> ticks_{};
};

}  // namespace statmill
