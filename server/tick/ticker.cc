// See ticker.h.
#include "server/tick/ticker.h"

#include <algorithm>

#include "base/hash.h"
#include "base/radix_sort.h"
#include "server/tick/flush.h"
#include "storage/rollup.h"

namespace statmill {

namespace {

// The store looks for the place of each fragment from where the one before went.
std::vector<FlushedSeries> by_id(std::span<const std::pair<ShardNo, ShardFlush>> flushes) {
  std::vector<FlushedSeries> series;
  for (const auto& [shard, flush] : flushes)
    series.insert(series.end(), flush.series.begin(), flush.series.end());
  radix_sort(series, [](const FlushedSeries& s) { return s.id; });
  return series;
}

}  // namespace

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
      expired_(services.table.tiers().count(), 0),
      open_tick_(services.registry.gauge(
          "statmill.open_tick", "What has been accepted is durable when durable_tick comes to this.")),
      durable_tick_(services.registry.gauge("statmill.durable_tick", "The last tick that is in the store.")),
      tick_ns_(
          services.registry.histogram("statmill.tick_ns", "Nanoseconds that a tick took, flushes included.")),
      flush_ns_(services.registry.histogram("statmill.flush_ns",
                                            "Nanoseconds that making a tick's fragments took.")),
      ticks_(services.registry.counter("statmill.ticks", "Ticks committed to the store.")),
      failures_(
          services.registry.counter("statmill.tick_failures", "Ticks that the store refused; tried again.")),
      journal_bytes_(services.registry.counter("statmill.journal_bytes", "Bytes of journal rows written.")),
      fragments_(services.registry.counter("statmill.fragments", "Fragments written.")),
      fragment_bytes_(services.registry.counter("statmill.fragment_bytes", "Bytes of fragments written.")),
      damaged_chunks_(services.registry.counter(
          "statmill.damaged_chunks",
          "Times that late events came for a damaged chunk, and could only be added to the coarser tiers.")) {
  open_tick_.set(static_cast<int64_t>(last_tick_ + 1));
  durable_tick_.set(static_cast<int64_t>(last_tick_));
  for (size_t shard = 0; shard < kShardCount; ++shard) {
    next_flush_[shard] = now + options.flush_interval * (shard + 1) / kShardCount;
  }
}

Status Ticker::tick(TickTime now) { return run(now, {}); }
Status Ticker::flush_all(TickTime now) { return run(now, Shards().set()); }

Result<ChangedSeries> Ticker::change(const SeriesChanges& changes, TickTime now) {
  if (prepared_) {
    if (Status done = finish(now); !done)
      return Error{ErrorCode::kUnavailable, "the store takes no ticks now: " + done.error().message};
  }
  Shards to_flush;
  const auto flush_shard_of = [&](std::string_view name) { to_flush.set(shard_of(hash_name(name))); };
  for (const std::string_view name : changes.deletes) flush_shard_of(name);
  for (const NewName& names : changes.renames) {
    flush_shard_of(names.from);
    flush_shard_of(names.to);
  }
  prepare(now.steady, to_flush, changes);
  ChangedSeries changed = prepared_->changed;
  if (Status done = finish(now); !done) {
    return Error{ErrorCode::kIo, std::to_string(changed.count()) +
                                     " series are changed in memory, and will be in the store once it takes "
                                     "ticks again: " +
                                     done.error().message};
  }
  return changed;
}

Status Ticker::run(TickTime now, const Shards& to_flush) {
  const Timer timer(tick_ns_);
  // What failed before goes first: order is what makes replay exact.
  if (prepared_) {
    if (Status done = finish(now); !done) return done;
  }
  prepare(now.steady, to_flush, {});
  return finish(now);
}

// Puts into the store what is prepared.
Status Ticker::finish(TickTime now) {
  Status done = prepared_->built ? Status::ok() : build(now);
  if (done) done = commit();
  if (!done) {
    failures_.add();
    services_.health.set("store", done.error().message);
    return done;
  }
  services_.health.set("store", "");
  if (now.steady >= next_expiry_) expire(now);
  return Status::ok();
}

bool Ticker::is_due(ShardNo shard, SteadyTime now) const {
  return now >= next_flush_[shard] || services_.table.is_over_share(shard);
}

void Ticker::prepare(SteadyTime now, const Shards& to_flush, const SeriesChanges& changes) {
  prepared_ = std::make_unique<Prepared>();
  prepared_->tick = prepared_->batch.tick = ++last_tick_;
  open_tick_.set(
      static_cast<int64_t>(last_tick_ + 1));  // before the flip: never too low for who has been taken
  Table::EpochEnd end = services_.table.end_epoch(changes);
  if (services_.rider != nullptr) services_.rider->ride(end.parity, prepared_->batch);
  prepared_->batch.deleted = end.changed.deleted;
  for (const ChangedSeries::Renamed& renamed : end.changed.renamed)
    prepared_->batch.series.push_back(renamed.row);
  prepared_->changed = std::move(end.changed);
  // Down, as ingest goes up: a batch meets the tick once, and does not go all the way behind it.
  for (size_t i = kShardCount; i-- > 0;) {
    const auto shard = static_cast<ShardNo>(i);
    const bool flush = to_flush[i] || is_due(shard, now);
    // Of a shard that is flushed the deltas go into fragments with this very batch: no entry is needed.
    auto created = services_.table.collect(shard, end.parity, flush ? nullptr : &draft_);
    for (const SeriesRow& row : created) {
      services_.store.expiry().set_class(row.id, services_.table.retention().class_of(row.name));
    }
    std::move(created.begin(), created.end(), std::back_inserter(prepared_->batch.series));
    if (!flush) continue;
    prepared_->flushes.emplace_back(shard, services_.table.begin_flush(shard, prepared_->tick));
    next_flush_[shard] = now + options_.flush_interval;
    flushed_[shard] = prepared_->tick;
  }
  // Where it comes in order the store need not look for the place of each.
  radix_sort(prepared_->batch.series, [](const SeriesRow& row) { return row.id; });
  write_journal();
}

// One row for all shards.
void Ticker::write_journal() {
  if (draft_.is_empty()) return;
  std::string row = draft_.take_row({prepared_->tick, 0, last_row_});
  last_row_ = prepared_->tick;
  journal_bytes_.add(row.size());
  prepared_->batch.journal.push_back({prepared_->tick, 0, std::move(row)});
}

Status Ticker::build(TickTime now) {
  StoreBatch& batch = prepared_->batch;
  batch.fragments.clear();
  batch.flushed.clear();
  batch.rollup_position.reset();
  // A snapshot makes RocksDB write anew files that a later one finds to be older: none is taken for nothing.
  if (!prepared_->flushes.empty() || roller_.is_due(position_, now.wall)) {
    if (Status s = build_fragments(now); !s) return s;
  }
  trim_journal();
  prepared_->built = true;
  return Status::ok();
}

Status Ticker::build_fragments(TickTime now) {
  StoreBatch& batch = prepared_->batch;
  const auto snapshot = services_.store.snapshot();
  // The rollup first: what is flushed in this batch must see the position that this batch sets.
  roll(*snapshot, now);
  Timer timer(flush_ns_);
  if (prepared_->flushes.empty()) timer.forget();
  FragmentBuilder builder(services_.table.retention(), *snapshot, batch.rollup_position.value_or(position_),
                          unix_seconds(now.wall));
  for (const FlushedSeries& series : by_id(prepared_->flushes)) {
    if (Status s = builder.add(series, batch.fragments); !s) return s;
  }
  for (const auto& [shard, flush] : prepared_->flushes) {
    for (const ErasedSeries& series : flush.erased) {
      if (Status s = builder.erase(series, batch.fragments); !s) return s;
    }
    batch.flushed.push_back({shard, prepared_->tick, encode_activity(flush.activity)});
  }
  damaged_chunks_.add(builder.damaged());
  fragments_.add(batch.fragments.size());
  for (const StoreBatch::Fragment& f : batch.fragments) fragment_bytes_.add(f.frames.size());
  return Status::ok();
}

void Ticker::roll(StoreSnapshot& snapshot, TickTime now) {
  StoreBatch& batch = prepared_->batch;
  const Status rolled = roller_.step(snapshot, position_, now.wall, batch);
  services_.health.set("rollup", rolled ? "" : rolled.error().message);
  if (rolled) return;
  // Durability does not wait for the rollup: it is tried again by the next tick.
  batch.fragments.clear();
  batch.rollup_position.reset();
  if (rollup_log_.admit(now.steady) >= 0)
    services_.log.error("rollup failed", {{"why", rolled.error().message}});
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
    if (Status s = services_.store.write(prepared_->batch); !s) return s;
    ticks_.add();
  }
  // Not before the store has it: compactions act on it at once.
  Expiry& expiry = services_.store.expiry();
  for (const SeriesId id : prepared_->changed.deleted) expiry.set_class(id, kGone);
  for (const auto& [row, retention] : prepared_->changed.renamed) expiry.set_class(row.id, retention);
  for (const auto& [shard, flush] : prepared_->flushes) services_.table.end_flush(shard);
  if (prepared_->batch.rollup_position) position_ = *prepared_->batch.rollup_position;
  durable_tick_.set(static_cast<int64_t>(prepared_->tick));
  if (services_.rider != nullptr) services_.rider->committed(prepared_->batch);
  for (StoreBatch::Row& row : prepared_->batch.journal) draft_.give_back(std::move(row.bytes));
  prepared_.reset();
  return Status::ok();
}

void Ticker::expire(TickTime now) {
  next_expiry_ = now.steady + options_.expiry_interval;
  const Retention& retention = services_.table.retention();
  const Tiers& tiers = retention.tiers();
  for (TierNo t = 0; t < tiers.count(); ++t) {
    const auto first_kept = [&](const Tiers& kept) {
      const ChunkNo oldest = oldest_kept(kept[t], unix_seconds(now.wall));
      const bool rolls_up = t == 0 && tiers.count() > 1;
      return rolls_up ? std::min(oldest, position_.chunk) : oldest;  // never before its rollup
    };
    for (size_t c = 0; c < retention.class_count(); ++c) {
      const auto of_class = static_cast<RetentionClass>(c);
      services_.store.expiry().set_cutoff(t, of_class, first_kept(retention.tiers(of_class)));
    }
    const ChunkNo oldest = first_kept(longest_);
    if (oldest <= expired_[t]) continue;
    if (Status s = services_.store.expire(t, oldest); !s) {
      services_.log.error("expiry failed", {{"tier_s", tiers[t].step_s}, {"why", s.error().message}});
      continue;
    }
    expired_[t] = oldest;
  }
}

}  // namespace statmill
