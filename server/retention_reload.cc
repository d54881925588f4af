#include "server/retention_reload.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "base/running.h"

namespace statmill {
namespace {

// Returns the times of a class as text, which also tells whether they differ.
std::string times_of(const Retention& retention, size_t c) {
  return retention.tiers(static_cast<RetentionClass>(c)).text();
}

bool are_equal(const Retention& one, const Retention& other) {
  for (size_t c = 0; c < one.class_count(); ++c) {
    if (times_of(one, c) != times_of(other, c)) return false;
  }
  return true;
}

// Returns true if `one` keeps any tier of any class for less time.
bool is_shorter(const Retention& one, const Retention& other) {
  for (size_t c = 0; c < one.class_count(); ++c) {
    const Tiers& tiers = one.tiers(static_cast<RetentionClass>(c));
    const Tiers& others = other.tiers(static_cast<RetentionClass>(c));
    for (TierNo t = 0; t < tiers.stored_count(); ++t) {
      if (tiers[t].retention_s < others[t].retention_s) return true;
    }
  }
  return false;
}

// `outlook`: of the class; null if it is unknown.
void log_class(const Retention& before, const Retention& now, RetentionClass c, const ClassOutlook* outlook,
               Log& log) {
  const std::string_view rule = c == kDefaultRetention ? "none" : before.glob(c);
  if (outlook == nullptr || outlook->affected_series == 0) {
    return log.info("retention changed",
                    {{"rule", rule}, {"before", times_of(before, c)}, {"now", times_of(now, c)}});
  }
  uint64_t bytes = 0;
  bool are_least = false;
  for (const TierOutlook& tier : outlook->tiers) {
    bytes += tier.dropped_bytes;
    are_least = are_least || tier.are_least;
  }
  log.warn("retention changed, and data are dropped",
           {{"rule", rule},
            {"before", times_of(before, c)},
            {"now", times_of(now, c)},
            {"series", outlook->affected_series},
            {are_least ? "at_least_bytes" : "about_bytes", bytes}});
}

}  // namespace

RetentionReload reload_retention(const OutlookSources& sources, AgentRegistry& agents, const Retention& next,
                                 Log& log) {
  const Running running("the reload of the retention");
  const Retention& before = sources.table.retention();
  if (const Status allowed = before.differs_in_times_only(next); !allowed) {
    log.warn("the retention stays as it was, since a reload changes only its times",
             {{"reason", allowed.error().message}});
    return RetentionReload::kNeedsRestart;
  }
  if (are_equal(before, next)) return RetentionReload::kInUse;
  const auto outlook = retention_outlook(sources, next);
  if (sources.is_canceled()) {
    log.warn("the retention stays as it was", {{"reason", "the server is stopping"}});
    return RetentionReload::kNeedsRestart;
  }
  if (!outlook && is_shorter(next, before)) {
    log.error("the retention stays as it was, since it is unknown what a shorter one drops",
              {{"reason", outlook.error().message}});
    return RetentionReload::kNeedsRestart;
  }
  const Status changed = sources.on_tick_thread(
      [&next](Ticker& ticker, TickTime now) { return ticker.set_retention(next, now); });
  if (!changed) {
    log.error("the retention stays as it was", {{"reason", changed.error().message}});
    return RetentionReload::kNeedsRestart;
  }
  agents.set_expiry(std::chrono::seconds(next.longest_s()));
  if (!outlook) log.warn("what the new retention drops is unknown", {{"reason", outlook.error().message}});
  for (size_t c = 0; c < next.class_count(); ++c) {
    if (times_of(before, c) == times_of(next, c)) continue;
    log_class(before, next, static_cast<RetentionClass>(c), outlook ? &(*outlook)[c] : nullptr, log);
  }
  return RetentionReload::kInUse;
}

RetentionReloader::RetentionReloader(Services services) : services_(std::move(services)) {
  services_.sources.is_canceled = [this] { return is_canceled_.load(std::memory_order_relaxed); };
}

RetentionReloader::~RetentionReloader() {
  cancel();
  thread_.join();
}

void RetentionReloader::start(Retention next, Done done) {
  SM_CHECK(!is_busy());
  thread_ = Thread(services_.log, "reload", [this, next = std::move(next), done = std::move(done)] {
    const RetentionReload result = reload_retention(services_.sources, services_.agents, next, services_.log);
    services_.post([this, done, result] {
      thread_.join();
      done(result);
    });
  });
}

}  // namespace statmill
