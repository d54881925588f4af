#include "server/tick/ticker.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/radix_sort.h"
#include "base/running.h"
#include "base/stage.h"
#include "base/text.h"
#include "server/tick/flush.h"
#include "server/tick/id_reuse.h"
#include "storage/rollup.h"

namespace statmill {

namespace {

// Returns the series of all flushes by id: the store inserts fragments faster in key order.
std::vector<FlushedSeries> by_id(std::span<const std::pair<ShardNo, ShardFlush>> flushes) {
  std::vector<FlushedSeries> series;
  for (const auto& [shard, flush] : flushes)
    series.insert(series.end(), flush.series.begin(), flush.series.end());
  radix_sort(series, [](const FlushedSeries& s) { return s.id; });
  return series;
}

// How often a clock row is added to a batch that is written anyway.
constexpr Duration kClockRowInterval = std::chrono::minutes(1);

}  // namespace

Duration Ticker::uncounted_max(const Retention& retention) {
  const Tiers shortest = retention.shortest(RetentionClasses().set());
  return std::min<Duration>(std::chrono::days(1), std::chrono::seconds(shortest.finest().retention_s) / 2);
}

Ticker::Ticker(const Services& services, const TickOptions& options, const TickStart& start, SteadyTime now)
    : services_(services),
      options_(options),
      longest_(services.table.retention().longest()),
      roller_(longest_, services.store.expiry(), options.rollup),
      last_tick_(start.last_tick),
      last_row_(start.last_row),
      flushed_(start.flushed),
      next_expiry_(now),
      position_(start.rollup),
      saved_clock_(start.clock),
      next_clock_row_(now),
      new_secret_(start.new_secret),
      kept_from_(services.table.retention().class_count(), 0),
      dropped_below_(services.table.tiers().stored_count(), 0),
      highest_cutoff_(start.whole_from),
      stored_whole_(start.whole),
      stored_cutoff_(services.table.retention().class_count(), 0),
      open_tick_(services.registry.gauge(
          "statmill.open_tick",
          "Samples accepted so far are durable once durable_tick reaches this number.")),
      durable_tick_(services.registry.gauge("statmill.durable_tick", "The last tick that is in the store.")),
      tick_ns_(services.registry.histogram("statmill.tick_ns", "Time per tick, flushes included.")),
      flush_ns_(services.registry.histogram("statmill.flush_ns", "Time to build the fragments of a tick.")),
      ticks_(services.registry.counter("statmill.ticks", "Ticks committed to the store.")),
      failures_(services.registry.counter("statmill.tick_failures",
                                          "Ticks that the store refused; they are retried.")),
      journal_bytes_(services.registry.counter("statmill.journal_bytes", "Bytes of journal rows written.")),
      fragments_(services.registry.counter("statmill.fragments", "Fragments written.")),
      fragment_bytes_(services.registry.counter("statmill.fragment_bytes", "Bytes of fragments written.")),
      damaged_chunks_(services.registry.counter("statmill.damaged_chunks",
                                                "Times that late events came for a damaged chunk: coarser "
                                                "buckets were added to, not computed again.")),
      clock_steps_(services.registry.counter("statmill.clock_steps",
                                             "Steps of the wall clock by more than a minute.")),
      expired_unwritten_(services.registry.counter(
          "statmill.expired_unwritten_buckets",
          "Buckets that were not written because they were past the retention of all tiers.")),
      clock_ahead_s_(services.registry.gauge("statmill.clock_ahead_s",
                                             "Seconds by which the wall clock is ahead of the time that has "
                                             "passed since it was last right; negative if it is earlier.")) {
  highest_cutoff_.resize(services.table.retention().class_count(), 0);
  if (stored_whole_ && has_globs_of(*stored_whole_, services.table.retention()))
    note_whole_row(*std::move(stored_whole_));
  open_tick_.set(static_cast<int64_t>(last_tick_ + 1));
  durable_tick_.set(static_cast<int64_t>(last_tick_));
  if (services_.id_reuse != nullptr) {
    services_.id_reuse->retire_without_journal(start.deleted);
    services_.id_reuse->retire(start.deleted_in_journal, last_tick_);
  }
  for (size_t shard = 0; shard < kShardCount; ++shard) {
    next_flush_[shard] = now + options.flush_interval * (shard + 1) / kShardCount;
  }
}

void Ticker::begin(TickTime now) {
  read_clock(now);
  static_cast<void>(write_whole_row(services_.table.retention()));  // a tick tries it again, and reports it
  set_cutoffs();
  services_.table.count_active(flush_rules().active_from);
}

Status Ticker::tick(TickTime now) { return run(now, {}); }
Status Ticker::flush_all(TickTime now) { return run(now, Shards().set()); }

Result<ChangedSeries> Ticker::change(const SeriesChanges& changes, TickTime now) {
  read_clock(now);
  if (prepared_) {
    if (Status done = finish(now); !done)
      return Error{ErrorCode::kUnavailable, "the store refuses ticks at present: " + done.error().message};
  }
  Shards to_flush;
  const auto flush_shard_of = [&](std::string_view name) {
    to_flush.set(services_.table.shard_of_name(name));
  };
  for (const std::string_view name : changes.deletes) flush_shard_of(name);
  for (const NewName& names : changes.renames) {
    flush_shard_of(names.from);
    flush_shard_of(names.to);
  }
  prepare(now.steady, to_flush, changes);
  ChangedSeries changed = prepared_->changed;
  if (Status done = finish(now); !done) {
    return Error{ErrorCode::kIo, std::to_string(changed.count()) +
                                     " series are changed in memory, and will be changed in the store once "
                                     "it accepts ticks again: " +
                                     done.error().message};
  }
  return changed;
}

Status Ticker::run(TickTime now, const Shards& to_flush) {
  const Timer timer(tick_ns_);
  read_clock(now);
  // A batch that failed before is written first: replay depends on the order.
  if (prepared_) {
    if (Status done = finish(now); !done) return done;
  }
  const std::vector<std::string> silent = pop_silent();
  const std::vector<std::string_view> names(silent.begin(), silent.end());
  prepare(now.steady, to_flush, {.deletes = names, .slots = {}, .renames = {}, .kept_from = kept_from_});
  return finish(now);
}

void Ticker::update_index() {
  services_.table.index_names(kNamesIndexedMax);
  services_.table.renew_index(kNamesRenewedMax);
}

// Builds the prepared batch, unless it is built, and writes it to the store.
Status Ticker::finish(TickTime now) {
  Status done = prepared_->built ? Status::ok() : build(now);
  if (done) done = commit();
  if (!done) {
    failures_.add();
    services_.health.set("store", done.error().message);
    return done;
  }
  services_.health.set("store", "");
  set_cutoffs();
  if (now.steady >= next_expiry_) expire(now);
  return Status::ok();
}

bool Ticker::is_due(ShardNo shard, SteadyTime now) const {
  return now >= next_flush_[shard] || services_.table.is_over_share(shard);
}

void Ticker::prepare(SteadyTime now, const Shards& to_flush, const SeriesChanges& changes) {
  const InStage stage(Stage::kCollect);
  prepared_ = std::make_unique<Prepared>();
  prepared_->tick = prepared_->batch.tick = ++last_tick_;
  // Before the flip, so that it is never too low for an accepted sample.
  open_tick_.set(static_cast<int64_t>(last_tick_ + 1));
  Table::EpochEnd end = services_.table.end_epoch(changes);
  if (services_.participant != nullptr) {
    const int64_t now_s = clock_->now_s(longest_.coarsest().retention_s);
    services_.participant->add_to(end.parity, prepared_->batch, from_unix_seconds(now_s));
  }
  FamilyTable::Changes families = services_.table.take_family_changes();
  prepared_->batch.families = std::move(families.families);
  prepared_->batch.removed_families = std::move(families.removed);
  if (services_.documents != nullptr) services_.documents->add_to(prepared_->batch);
  prepared_->batch.exemplars = services_.table.take_exemplars(end, now);
  prepared_->batch.removed_exemplars = std::move(end.changed.erased_exemplars);
  for (const SeriesId id : end.changed.deleted) prepared_->batch.removed_exemplars.push_back({id});
  prepared_->batch.hash_secret = new_secret_;
  prepared_->batch.deleted = end.changed.deleted;
  for (const ChangedSeries::Renamed& renamed : end.changed.renamed)
    prepared_->batch.series.push_back(renamed.row);
  prepared_->changed = std::move(end.changed);
  // A series that was created and renamed in this epoch may have the id of a deleted one, whose chunks are
  // dropped.
  Expiry& expiry = services_.store.expiry();
  raise_whole_of_renamed();
  for (const auto& [row, retention] : prepared_->changed.renamed) {
    if (expiry.class_of(row.id) == kGone) expiry.set_class(row.id, retention);
  }
  // Downwards, because ingest locks shards upwards: a batch meets the tick once instead of following it
  // through all shards.
  for (size_t i = kShardCount; i-- > 0;) {
    const auto shard = static_cast<ShardNo>(i);
    const bool flush = to_flush[i] || is_due(shard, now);
    // The deltas of a shard that is flushed go into fragments of this batch, so they need no journal entry.
    auto created = services_.table.collect(shard, end.parity, flush ? nullptr : &draft_);
    for (const SeriesRow& row : created) {
      services_.store.expiry().set_class(row.id, services_.table.retention().class_of(row.name));
    }
    std::move(created.begin(), created.end(), std::back_inserter(prepared_->batch.series));
    if (!flush) continue;
    ShardFlush begun = services_.table.begin_flush(shard, prepared_->tick, flush_rules());
    for (std::string& name : begun.silent) silent_.insert(std::move(name));
    std::move(begun.changed.begin(), begun.changed.end(), std::back_inserter(prepared_->batch.series));
    prepared_->flushes.emplace_back(shard, std::move(begun));
    next_flush_[shard] = now + options_.flush_interval;
    flushed_[shard] = prepared_->tick;
  }
  // The store inserts rows faster in key order.
  radix_sort(prepared_->batch.series, [](const SeriesRow& row) { return row.id; });
  write_journal();
}

// Adds the journal row, one for all shards, to the batch.
void Ticker::write_journal() {
  if (draft_.is_empty()) return;
  std::string row = draft_.build_row({prepared_->tick, last_row_});
  last_row_ = prepared_->tick;
  journal_bytes_.add(row.size());
  prepared_->batch.journal.push_back({prepared_->tick, std::move(row)});
}

Status Ticker::build(TickTime now) {
  StoreBatch& batch = prepared_->batch;
  batch.fragments.clear();
  batch.flushed.clear();
  batch.rollup_position.reset();
  // Takes a snapshot only if it is needed: a new snapshot can make RocksDB rewrite bottom-level files that
  // are older than it.
  if (!prepared_->flushes.empty() || roller_.is_due(position_, *clock_)) {
    if (Status s = build_fragments(now); !s) return s;
  }
  trim_journal();
  batch.whole = new_whole_row(services_.table.retention(), batch.rollup_position.value_or(position_));
  if (!batch.is_empty() && now.steady >= next_clock_row_) {
    batch.clock = clock_->row();
    next_clock_row_ = now.steady + kClockRowInterval;
  }
  prepared_->built = true;
  return Status::ok();
}

Status Ticker::build_fragments(TickTime now) {
  const InStage stage(Stage::kFlush);
  StoreBatch& batch = prepared_->batch;
  const auto snapshot = services_.store.snapshot();
  // The rollup comes first, because the flush must use the position that this batch sets.
  roll(*snapshot, now);
  const Running running("building fragments");
  Timer timer(flush_ns_);
  if (prepared_->flushes.empty()) timer.forget();
  FragmentBuilder builder({services_.table.retention(), services_.store.expiry(), *clock_, *snapshot},
                          batch.rollup_position.value_or(position_));
  for (const FlushedSeries& series : by_id(prepared_->flushes)) {
    if (Status s = builder.add(series, batch.fragments); !s) return s;
  }
  std::vector<ErasedSeries> erased;
  for (const auto& [shard, flush] : prepared_->flushes) {
    erased.insert(erased.end(), flush.erased.begin(), flush.erased.end());
    batch.flushed.push_back({shard, prepared_->tick, encode_activity(flush.activity)});
  }
  if (Status s = builder.erase(erased, batch.fragments); !s) return s;
  if (Status s = lower_floors(); !s) return s;
  damaged_chunks_.add(builder.damaged());
  expired_unwritten_.add(builder.expired());
  if (builder.expired() > 0 && expired_log_.admit(now.steady) >= 0)
    services_.log.warn("buckets were not written: they are past the retention of all tiers",
                       {{"buckets", builder.expired()}});
  fragments_.add(batch.fragments.size());
  for (const StoreBatch::Fragment& f : batch.fragments) fragment_bytes_.add(f.frames.size());
  return Status::ok();
}

// Lowers each floor to the lowest chunk that the batch writes. A floor above new data comes from a clock that
// was wrong.
Status Ticker::lower_floors() {
  std::array<ChunkNo, Tiers::kStoredMax> lowest{};
  lowest.fill(std::numeric_limits<ChunkNo>::max());
  for (const StoreBatch::Fragment& f : prepared_->batch.fragments)
    lowest[f.key.tier] = std::min(lowest[f.key.tier], f.key.chunk);
  for (TierNo t = 0; t < longest_.stored_count(); ++t) {
    if (lowest[t] >= services_.store.expiry().floor(t)) continue;
    if (Status s = services_.store.keep_from(t, lowest[t]); !s) return s;
    dropped_below_[t] = 0;
  }
  return Status::ok();
}

void Ticker::roll(StoreSnapshot& snapshot, TickTime now) {
  StoreBatch& batch = prepared_->batch;
  const Running running("the rollup");
  const InStage stage(Stage::kRoll);
  const Status rolled = roller_.step(snapshot, position_, *clock_, batch);
  services_.health.set("rollup", rolled ? "" : rolled.error().message);
  if (rolled) return;
  // The samples become durable without the rollup, which the next tick retries.
  batch.fragments.clear();
  batch.rollup_position.reset();
  if (rollup_log_.admit(now.steady) >= 0)
    services_.log.error("rollup failed", {{"reason", rolled.error().message}});
}

void Ticker::trim_journal() {
  const TickNo trim = *std::min_element(flushed_.begin(), flushed_.end()) + 1;
  flushes_untrimmed_ += prepared_->flushes.size();
  if (flushes_untrimmed_ < kFlushesPerTrim || trim <= trimmed_) return;
  prepared_->batch.journal_trim = {trimmed_, trim};
  trimmed_ = trim;
  flushes_untrimmed_ = 0;
}

Status Ticker::commit() {
  if (!prepared_->batch.is_empty()) {
    const Running running("the write to the store");
    const InStage stage(Stage::kCommit);
    if (Status s = services_.store.write(prepared_->batch); !s) return s;
    if (prepared_->batch.whole) note_whole_row(*std::move(prepared_->batch.whole));
    ticks_.add();
    new_secret_.reset();
    services_.log.debug("tick", {{"tick", prepared_->tick},
                                 {"journal_rows", prepared_->batch.journal.size()},
                                 {"series_rows", prepared_->batch.series.size()},
                                 {"flushed_shards", prepared_->flushes.size()},
                                 {"fragments", prepared_->batch.fragments.size()}});
  }
  // Only after the write, because compactions act on it at once.
  Expiry& expiry = services_.store.expiry();
  for (const SeriesId id : prepared_->changed.deleted) expiry.set_class(id, kGone);
  if (services_.id_reuse != nullptr) {
    services_.id_reuse->retire(prepared_->changed.deleted, prepared_->tick);
    services_.id_reuse->note_flushed(*std::min_element(flushed_.begin(), flushed_.end()));
  }
  for (const auto& [row, retention] : prepared_->changed.renamed) expiry.set_class(row.id, retention);
  for (const auto& [shard, flush] : prepared_->flushes) services_.table.end_flush(shard);
  if (prepared_->batch.rollup_position) position_ = *prepared_->batch.rollup_position;
  durable_tick_.set(static_cast<int64_t>(prepared_->tick));
  if (services_.participant != nullptr) services_.participant->committed(prepared_->batch);
  if (services_.documents != nullptr) services_.documents->committed();
  for (StoreBatch::Row& row : prepared_->batch.journal) draft_.recycle(std::move(row.bytes));
  prepared_.reset();
  return Status::ok();
}

void Ticker::read_clock(TickTime now) {
  const Slot newest = services_.table.newest_slot();
  ClockGuard::Readings readings{now.wall, now.boot, std::nullopt};
  if (newest != Series::kNoSlot)
    readings.newest = from_unix_seconds(newest * services_.table.tiers().finest().step_s);
  const bool is_start = !clock_;
  std::optional<Duration> step;
  if (is_start) {
    clock_.emplace(uncounted_max(services_.table.retention()), saved_clock_, readings);
  } else {
    step = clock_->tick(readings);
  }
  if (step) {
    next_clock_row_ = now.steady;
    services_.log.warn("the wall clock stepped",
                       {{"by", format_duration(std::chrono::round<std::chrono::seconds>(*step))},
                        {"to_s", unix_seconds(now.wall)}});
  }
  clock_ahead_s_.set(std::chrono::floor<std::chrono::seconds>(clock_->ahead()).count());
  const std::string trouble = clock_->trouble();
  if (services_.participant != nullptr) services_.participant->clock_seen(now, !trouble.empty());
  if (is_start && !trouble.empty()) services_.log.warn("the wall clock is in doubt", {{"reason", trouble}});
  services_.health.set("clock", clock_->is_fresh() ? trouble : "");
  services_.health.warn("clock", clock_->is_fresh() ? "" : trouble);
  if (step) clock_steps_.add();  // last, so that a test that waits for the count sees all the rest
}

Duration Ticker::confirm_clock(TickTime now) {
  read_clock(now);
  const Duration ahead = clock_->ahead();
  clock_->confirm();
  next_clock_row_ = next_expiry_ = now.steady;
  services_.log.warn("the wall clock was confirmed",
                     {{"ahead", format_duration(ahead)}, {"to_s", unix_seconds(now.wall)}});
  return ahead;
}

}  // namespace statmill
