// Ticker: the transaction. Four times a second it writes everything that came in as one StoreBatch; nothing
// else writes samples to the store.
//
// A tick flips the ingest epoch, encodes all deltas as one journal row, flushes the shards whose turn it is,
// rolls up one slice, and writes all of it at once (invariant A). A batch that the store refuses is kept, and
// the next tick writes it again; meanwhile ingest continues in RAM up to the table's limit.
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/tick_time.h"
#include "server/health.h"
#include "server/table/table.h"
#include "server/tick/clock_guard.h"
#include "server/tick/document_changes.h"
#include "server/tick/roller.h"
#include "server/tick/tick_participant.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

class IdReuse;

struct TickOptions {
  Duration flush_interval = std::chrono::minutes(10);  // every shard once per interval, staggered evenly
  Duration expiry_interval = std::chrono::minutes(1);
  Roller::Options rollup;
};

// The state that the ticker starts from: what recovery found in the store.
struct TickStart {
  TickNo last_tick = 0;
  TickNo last_row = 0;  // the tick of the newest journal row
  std::array<TickNo, kShardCount> flushed{};
  RollupPosition rollup;
  std::optional<ClockRow> clock;
  std::optional<HashSecret> new_secret = std::nullopt;  // to be written with the first tick
  std::optional<WholeRow> whole = std::nullopt;         // as it is in the store
  std::vector<ChunkNo> whole_from = {};                 // by class; empty: of no class anything was dropped
  // Series that the catalog has as deleted: with entries in the journal, and all others.
  std::vector<SeriesId> deleted_in_journal = {};
  std::vector<SeriesId> deleted = {};
};

// Confined to the tick thread.
class Ticker {
 public:
  struct Services {  // all must outlive the ticker
    Table& table;
    Store& store;
    Registry& registry;
    Health& health;
    Log& log;
    TickParticipant* participant = nullptr;
    DocumentChanges* documents = nullptr;
    IdReuse* id_reuse = nullptr;  // if null, ids of deleted series are not used again
  };
  Ticker(const Services& services, const TickOptions& options, const TickStart& start, SteadyTime now);

  // Reads the clock and publishes which chunks have expired, as every tick does. Call it once before the
  // first query; until then queries would return data past their retention. May write to the store; if that
  // fails, the finest tier has the cutoffs that the store knows until a tick succeeds.
  void begin(TickTime now);
  // Makes one tick. An error means that nothing of it is durable yet and that the next call retries it. It
  // also deletes a few of the series that the flushes have found silent: whose data are past the retention of
  // all tiers.
  Status tick(TickTime now);
  // Indexes names of new series, so that queries find few of them to index. Call it after each tick.
  void update_index();
  // The most names that one call indexes, which takes 15 to 50 ms: those of further series wait for the next.
  static constexpr size_t kNamesIndexedMax = 50'000;
  // The most names that one call copies to a new index, which takes 6 to 20 ms.
  static constexpr size_t kNamesRenewedMax = 20'000;
  // Makes one tick that flushes every shard.
  Status flush_all(TickTime now);
  // Makes one tick that deletes, erases or renames series. Returns what was changed. After kUnavailable
  // nothing is changed. After any other error the change is made in RAM, and the next successful tick writes
  // it to the store. Cost: a flush of the shards of these names; with slots, one read per chunk.
  Result<ChangedSeries> change(const SeriesChanges& changes, TickTime now);

  // Makes retention use the wall clock again, because an operator says that it is right. Returns by how much
  // it was ahead of the time that retention used; negative if it was earlier. The next tick expires data by
  // it.
  Duration confirm_clock(TickTime now);

  // By class, for each tier: the first chunk that has not expired. A chunk does not expire before it is
  // rolled up.
  using Cutoffs = std::vector<std::array<ChunkNo, Tiers::kStoredMax>>;
  // Returns what this retention would keep at present. Requires: begin() or tick() was called.
  Cutoffs cutoffs(const Retention& retention) const;
  // Replaces the retention. When this returns, queries and flushes use it; the next tick drops what it does
  // not keep, for good. After an error all is as it was. Cost: one write to the store. Requires: it differs
  // in times only (Retention::differs_in_times_only).
  Status set_retention(Retention next, TickTime now);

  RollupPosition rollup_position() const { return position_; }

 private:
  // A tick that has left the table and is not yet in the store. Its fragments can be built again from RAM.
  struct Prepared {
    StoreBatch batch;
    TickNo tick = 0;
    std::vector<std::pair<ShardNo, ShardFlush>> flushes;
    ChangedSeries changed;
    bool built = false;
  };
  using Shards = std::bitset<kShardCount>;
  // How long the server may have been stopped before its clock is doubted.
  static Duration uncounted_max(const Retention& retention);
  Status run(TickTime now, const Shards& to_flush);
  Status finish(TickTime now);
  void prepare(SteadyTime now, const Shards& to_flush, const SeriesChanges& changes);
  FlushRules flush_rules() const;
  std::vector<std::string> pop_silent();
  void write_journal();
  Status build(TickTime now);
  Status build_fragments(TickTime now);
  void roll(StoreSnapshot& snapshot, TickTime now);
  void trim_journal();
  Status commit();
  Status lower_floors();
  void read_clock(TickTime now);
  void set_cutoffs();
  void expire(TickTime now);
  void drop_below(TierNo tier, ChunkNo oldest);
  ChunkNo first_kept(TierNo tier, const Tiers& kept, const RollupPosition& position) const;
  Cutoffs cutoffs(const Retention& retention, const RollupPosition& position) const;
  std::optional<WholeRow> new_whole_row(const Retention& retention, const RollupPosition& position) const;
  void note_whole_row(WholeRow row);
  Status write_whole_row(const Retention& retention);
  void raise_whole_of_renamed();
  bool is_due(ShardNo shard, SteadyTime now) const;

  Services services_;
  const TickOptions options_;
  Tiers longest_;  // each with the longest retention of any class
  const Roller roller_;
  TickNo last_tick_;
  TickNo last_row_;  // the tick of the newest journal row; the next row refers to it
  std::array<TickNo, kShardCount> flushed_;
  std::array<SteadyTime, kShardCount> next_flush_;
  SteadyTime next_expiry_;
  RollupPosition position_;  // as committed
  // Each trim is a tombstone that RocksDB keeps for a while, so there is not one for every shard.
  static constexpr size_t kFlushesPerTrim = 16;
  size_t flushes_untrimmed_ = 0;
  TickNo trimmed_ = 0;
  const std::optional<ClockRow> saved_clock_;
  std::optional<ClockGuard> clock_;  // set by the first tick or begin()
  SteadyTime next_clock_row_;
  std::optional<HashSecret> new_secret_;  // until it is in the store
  // A tick deletes so many silent series at most, of so many families that are known: to look for other
  // series of a family takes 1 ms per million names. So many names wait for that; the next flushes find the
  // others.
  static constexpr size_t kExpiredMax = 500;
  static constexpr size_t kExpiredFamiliesMax = 20;
  static constexpr size_t kSilentMax = 50'000;
  static constexpr int64_t kActiveS = 24 * 3600;  // a series is active for so long after its newest sample
  std::set<std::string> silent_;                  // by name, so that those of one path come together
  std::vector<Slot> kept_from_;                   // FlushRules::kept_from
  std::vector<ChunkNo> dropped_below_;   // by tier: all chunks below are dropped, whatever their class
  std::vector<ChunkNo> highest_cutoff_;  // by class: the highest cutoff of the finest tier so far
  std::optional<WholeRow> stored_whole_;
  std::vector<ChunkNo> stored_cutoff_;  // by class: no cutoff of the finest tier is above; `stored_whole_`
  std::unique_ptr<Prepared> prepared_;
  JournalDraft draft_;
  LogLimiter rollup_log_{std::chrono::minutes(1)};
  LogLimiter expired_log_{std::chrono::minutes(1)};
  Gauge& open_tick_;     // samples accepted now are in this tick or an earlier one
  Gauge& durable_tick_;  // all ticks up to this one are in the store
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
