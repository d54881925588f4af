// Ticker: the transaction. Four times a second everything that came in becomes one StoreBatch; nothing else
// writes samples to the store.
//
// A tick flips the ingest epoch, turns each shard's deltas into a journal row, flushes the shards whose turn
// it is, takes a slice of the rollup, and writes all of it at once (invariant A). A batch that the store
// refuses is kept and tried again by the next tick; ingest goes on in RAM until the table's limit.
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "server/health.h"
#include "server/table/table.h"
#include "server/tick/clock_guard.h"
#include "server/tick/roller.h"
#include "server/tick/tick_participant.h"
#include "server/tick/tick_time.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

struct TickOptions {
  Duration flush_interval = std::chrono::minutes(10);  // each shard once, staggered evenly
  Duration expiry_interval = std::chrono::minutes(1);
  Roller::Options rollup;
};

// Where a server's life starts: what recovery found in the store.
struct TickStart {
  TickNo last_tick = 0;
  TickNo last_row = 0;  // of the newest journal row
  std::array<TickNo, kShardCount> flushed{};
  RollupPosition rollup;
  std::optional<ClockRow> clock;
};

// Confined to the tick's thread.
class Ticker {
 public:
  struct Services {  // all must outlive it
    Table& table;
    Store& store;
    Registry& registry;
    Health& health;
    Log& log;
    TickParticipant* participant = nullptr;
  };
  Ticker(const Services& services, const TickOptions& options, const TickStart& start, SteadyTime now);

  // Looks at the clock and tells readers what has expired, as every tick does. Called once before queries are
  // answered: until then they would see what is past its retention.
  void begin(TickTime now);
  // One tick. An error means that nothing of it is durable yet and that the next call tries again.
  Status tick(TickTime now);
  // One tick that flushes every shard.
  Status flush_all(TickTime now);
  // One tick that deletes, empties or renames series; says what was changed. Errors: kUnavailable, nothing is
  // changed; any other: it is changed in RAM, and in the store with the next tick that this takes. Cost: a
  // flush of the shards concerned; with slots, a read for each chunk.
  Result<ChangedSeries> change(const SeriesChanges& changes, TickTime now);

  // An operator says that the wall clock is right, whatever it has done: retention goes by it. Returns by how
  // much it was ahead of the time that retention went by. The next tick expires what there is to expire.
  Duration confirm_clock(TickTime now);

  RollupPosition rollup_position() const { return position_; }

 private:
  // What left the table and is not yet in the store. Its fragments can be built again, from RAM.
  struct Prepared {
    StoreBatch batch;
    TickNo tick = 0;
    std::vector<std::pair<ShardNo, ShardFlush>> flushes;
    ChangedSeries changed;
    bool built = false;
  };
  using Shards = std::bitset<kShardCount>;
  Status run(TickTime now, const Shards& to_flush);
  Status finish(TickTime now);
  void prepare(SteadyTime now, const Shards& to_flush, const SeriesChanges& changes);
  void write_journal();
  Status build(TickTime now);
  Status build_fragments(TickTime now);
  void roll(StoreSnapshot& snapshot, TickTime now);
  void trim_journal();
  Status commit();
  Status keep_what_is_written();
  void look_at_clock(TickTime now);
  void set_cutoffs();
  void expire(TickTime now);
  void drop_below(TierNo tier, ChunkNo oldest);
  ChunkNo first_kept(TierNo tier, const Tiers& kept) const;
  bool is_due(ShardNo shard, SteadyTime now) const;

  Services services_;
  const TickOptions options_;
  const Tiers longest_;  // as the classes that are kept longest
  const Roller roller_;
  TickNo last_tick_;
  TickNo last_row_;  // of the newest journal row, which the next one names
  std::array<TickNo, kShardCount> flushed_;
  std::array<SteadyTime, kShardCount> next_flush_;
  SteadyTime next_expiry_;
  RollupPosition position_;  // as committed
  // Each trim is a tombstone that RocksDB keeps for a while: not one for every shard.
  static constexpr size_t kFlushesPerTrim = 16;
  size_t flushes_untrimmed_ = 0;
  TickNo trimmed_ = 0;
  const std::optional<ClockRow> saved_clock_;
  std::optional<ClockGuard> clock_;  // from the first tick on
  SteadyTime next_clock_row_;
  std::vector<ChunkNo> expired_;  // by tier: nothing is left below, of every class
  std::vector<ChunkNo> cut_;      // by class: the highest cutoff of the finest tier since the start
  std::unique_ptr<Prepared> prepared_;
  JournalDraft draft_;
  LogLimiter rollup_log_{std::chrono::minutes(1)};
  LogLimiter expired_log_{std::chrono::minutes(1)};
  Gauge& open_tick_;     // what is accepted now is of this tick or an earlier one
  Gauge& durable_tick_;  // all up to this tick is in the store
  Histogram<>& tick_ns_;
  Histogram<>& flush_ns_;
  Counter& ticks_;
  Counter& failures_;
  Counter& journal_bytes_;
  Counter& fragments_;
  Counter& fragment_bytes_;
  Counter& damaged_chunks_;
  Counter& clock_steps_;
  Counter& expired_unwritten_;
  Gauge& clock_ahead_s_;
};

}  // namespace statmill
