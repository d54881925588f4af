// What the ticker does with data past their retention, and with series that have no others.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/running.h"
#include "proto/family.h"
#include "server/tick/ticker.h"

namespace statmill {

ChunkNo Ticker::first_kept(TierNo tier, const Tiers& kept, const RollupPosition& position) const {
  const ChunkNo oldest = clock_->oldest_kept(kept[tier]);
  const bool rolls_up = tier == 0 && kept.count() > 1;
  return rolls_up ? std::min(oldest, position.chunk) : oldest;
}

Ticker::Cutoffs Ticker::cutoffs(const Retention& retention) const { return cutoffs(retention, position_); }

Ticker::Cutoffs Ticker::cutoffs(const Retention& retention, const RollupPosition& position) const {
  Cutoffs out(retention.class_count());
  for (size_t c = 0; c < out.size(); ++c) {
    const Tiers& kept = retention.tiers(static_cast<RetentionClass>(c));
    for (TierNo t = 0; t < kept.stored_count(); ++t) out[c][t] = first_kept(t, kept, position);
  }
  return out;
}

// Returns the row that the store must have before this retention is used; nullopt if it has that already.
std::optional<WholeRow> Ticker::new_whole_row(const Retention& retention,
                                              const RollupPosition& position) const {
  const Cutoffs kept_from = cutoffs(retention, position);
  WholeRow row;
  ChunkNo highest = 0;
  for (size_t c = 0; c < kept_from.size(); ++c) {
    const auto retention_class = static_cast<RetentionClass>(c);
    const std::string_view glob = c == kDefaultRetention ? "" : retention.glob(retention_class);
    row.classes.push_back({std::string(glob), std::max(highest_cutoff_[c], kept_from[c][0])});
    highest = std::max(highest, row.classes.back().whole_from);
  }
  const bool is_stored = stored_whole_ ? row == *stored_whole_ : highest == 0;
  return is_stored ? std::nullopt : std::optional(std::move(row));
}

void Ticker::note_whole_row(WholeRow row) {
  for (size_t c = 0; c < row.classes.size(); ++c) {
    stored_cutoff_[c] = row.classes[c].whole_from;
    highest_cutoff_[c] = std::max(highest_cutoff_[c], stored_cutoff_[c]);
  }
  stored_whole_ = std::move(row);
}

// Requires: no tick waits to be written again, since the store would take this batch for a sign that it has
// that tick.
Status Ticker::write_whole_row(const Retention& retention) {
  StoreBatch batch;
  batch.whole = new_whole_row(retention, position_);
  if (!batch.whole) return Status::ok();
  const Running running("the write of what is whole");
  if (Status s = services_.store.write(batch); !s) return s;
  note_whole_row(*std::move(batch.whole));
  return Status::ok();
}

// What was dropped of a series is missing in its new class, too.
void Ticker::raise_whole_of_renamed() {
  Expiry& expiry = services_.store.expiry();
  for (const auto& [row, retention] : prepared_->changed.renamed) {
    const RetentionClass before = expiry.class_of(row.id);
    if (before == kGone || highest_cutoff_[before] <= highest_cutoff_[retention]) continue;
    highest_cutoff_[retention] = highest_cutoff_[before];
    expiry.set_whole_from(retention, std::max(expiry.whole_from(retention), highest_cutoff_[retention]));
  }
}

// The table has the retention before the store has its cutoffs: a query that has read a new cutoff finds the
// new retention when it ends, and starts again.
Status Ticker::set_retention(Retention next, TickTime now) {
  read_clock(now);
  if (prepared_) {
    if (Status done = finish(now); !done)
      return Error{ErrorCode::kUnavailable, "the store refuses ticks at present: " + done.error().message};
  }
  if (Status s = write_whole_row(next); !s) return s;
  services_.table.set_retention(std::move(next));
  const Retention& retention = services_.table.retention();
  longest_ = retention.longest();
  clock_->set_uncounted_max(uncounted_max(retention));
  set_cutoffs();
  next_expiry_ = now.steady;
  return Status::ok();
}

// Called after each tick, so that queries and flushes use the same cutoffs. Those of the finest tier are in
// the store first: what they let compactions drop must be known after a restart.
void Ticker::set_cutoffs() {
  const Retention& retention = services_.table.retention();
  Expiry& expiry = services_.store.expiry();
  const Cutoffs kept_from = cutoffs(retention);
  for (size_t c = 0; c < kept_from.size(); ++c) {
    const auto retention_class = static_cast<RetentionClass>(c);
    const Tiers& kept = retention.tiers(retention_class);
    for (TierNo t = 0; t < kept.stored_count(); ++t)
      expiry.set_cutoff(t, retention_class,
                        t == 0 ? std::min(stored_cutoff_[c], kept_from[c][t]) : kept_from[c][t]);
    kept_from_[c] = std::numeric_limits<Slot>::max();
    for (TierNo t = 0; t < kept.stored_count(); ++t) {
      const int64_t from_s = expiry.cutoff(t, retention_class) * kept[t].chunk_span_s();
      kept_from_[c] = std::min(kept_from_[c], kept.finest().slot_of(from_s));
    }
    expiry.set_whole_from(retention_class, std::max(highest_cutoff_[c], clock_->oldest_whole(kept.finest())));
  }
}

void Ticker::expire(TickTime now) {
  const Running running("the expiry");
  next_expiry_ = now.steady + options_.expiry_interval;
  for (TierNo t = 0; t < longest_.stored_count(); ++t) {
    const ChunkNo oldest = first_kept(t, longest_, position_);
    if (oldest != dropped_below_[t]) drop_below(t, oldest);
  }
}

void Ticker::drop_below(TierNo tier, ChunkNo oldest) {
  const Tier& of = longest_[tier];
  const auto fail = [&](const Error& why) {
    services_.log.error("expiry failed", {{"tier_s", of.step_s}, {"reason", why.message}});
  };
  const auto first = services_.store.snapshot()->oldest_chunk(tier);
  if (!first) return fail(first.error());
  if (*first && **first < oldest) {
    const auto bytes = services_.store.expire(tier, oldest);
    if (!bytes) return fail(bytes.error());
    services_.log.info("dropped data past their retention", {{"tier_s", of.step_s},
                                                             {"from_s", **first * of.chunk_span_s()},
                                                             {"until_s", oldest * of.chunk_span_s()},
                                                             {"bytes", *bytes}});
  }
  dropped_below_[tier] = oldest;
}

FlushRules Ticker::flush_rules() const {
  const Tier& finest = services_.table.tiers().finest();
  const auto slot_ago = [&](int64_t seconds) {
    return finest.slot_of(std::max<int64_t>(0, clock_->now_s(seconds) - seconds));
  };
  return {kept_from_, kSilentMax - silent_.size(), slot_ago(kActiveS), slot_ago(Series::kIdleS)};
}

// Removes from `silent_` the names of the series that this tick deletes.
std::vector<std::string> Ticker::pop_silent() {
  std::vector<std::string> out;
  out.reserve(kExpiredMax);  // `path` is a part of its last text
  // The search for other series of a family would index all names that are new.
  if (services_.table.unindexed_count() > kNamesIndexedMax) return out;
  std::string_view path;
  size_t families = 0;
  while (!silent_.empty() && out.size() < kExpiredMax) {
    const std::string_view next = path_of(*silent_.begin());
    if (next != path && services_.table.families().has_path(next) && ++families > kExpiredFamiliesMax) break;
    std::string name = std::move(silent_.extract(silent_.begin()).value());
    if (!services_.table.summary(name)) continue;  // deleted or renamed since: its family is not concerned
    out.push_back(std::move(name));
    path = path_of(out.back());
  }
  return out;
}

}  // namespace statmill
