// What the ticker does with data past their retention, and with series that have no others.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/running.h"
#include "proto/family.h"
#include "server/tick/ticker.h"

namespace statmill {

ChunkNo Ticker::first_kept(TierNo tier, const Tiers& kept) const {
  const ChunkNo oldest = clock_->oldest_kept(kept[tier]);
  const bool rolls_up = tier == 0 && kept.count() > 1;
  return rolls_up ? std::min(oldest, position_.chunk) : oldest;
}

Ticker::Cutoffs Ticker::cutoffs(const Retention& retention) const {
  Cutoffs out(retention.class_count());
  for (size_t c = 0; c < out.size(); ++c) {
    const Tiers& kept = retention.tiers(static_cast<RetentionClass>(c));
    for (TierNo t = 0; t < kept.stored_count(); ++t) out[c][t] = first_kept(t, kept);
  }
  return out;
}

// The table has the retention before the store has its cutoffs: a query that has read a new cutoff finds the
// new retention when it ends, and starts again.
void Ticker::set_retention(Retention next, TickTime now) {
  read_clock(now);
  services_.table.set_retention(std::move(next));
  const Retention& retention = services_.table.retention();
  longest_ = retention.longest();
  clock_->set_uncounted_max(uncounted_max(retention));
  set_cutoffs();
  next_expiry_ = now.steady;
}

// Called after each tick, so that queries and flushes use the same cutoffs.
void Ticker::set_cutoffs() {
  const Retention& retention = services_.table.retention();
  Expiry& expiry = services_.store.expiry();
  const Cutoffs kept_from = cutoffs(retention);
  for (size_t c = 0; c < kept_from.size(); ++c) {
    const auto retention_class = static_cast<RetentionClass>(c);
    const Tiers& kept = retention.tiers(retention_class);
    for (TierNo t = 0; t < kept.stored_count(); ++t) expiry.set_cutoff(t, retention_class, kept_from[c][t]);
    highest_cutoff_[c] = std::max(highest_cutoff_[c], expiry.cutoff(0, retention_class));
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
    const ChunkNo oldest = first_kept(t, longest_);
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
