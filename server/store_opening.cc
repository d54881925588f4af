#include "server/store_opening.h"

#include <optional>
#include <utility>

#include "base/process_hash.h"

namespace statmill {
namespace {

Result<std::unique_ptr<RocksStore>> open_rocks(const ServerConfig& config, const StoreOpening& to) {
  RocksOptions options = config.store;
  options.warn = [&clock = to.clock, &log = to.log,
                  limiter = std::make_shared<LogLimiter>(std::chrono::seconds(1))](std::string_view what) {
    if (limiter->admit(clock.steady()) >= 0) log.warn("rocksdb", {{"message", what}});
  };
  return RocksStore::open(options, config.retention.tiers());
}

struct SalvageGauges {
  explicit SalvageGauges(Registry& registry)
      : log_bytes(registry.gauge("statmill.salvage_log_bytes", "Bytes of the log lost at this start.")),
        journal_entries(registry.gauge("statmill.salvage_journal_entries",
                                       "Buckets of the journal lost at this start.")) {}

  Gauge& log_bytes;
  Gauge& journal_entries;
};

void report_losses(const LogDrops& dropped, const SalvageLosses& losses, const StoreOpening& to,
                   const SalvageGauges& salvage) {
  if (!losses.any() && dropped.places == 0)
    return to.log.warn("nothing was lost: no need for --salvage at the next start", {});
  to.log.error("salvaged", {{"log_places", dropped.places},
                            {"log_bytes", dropped.bytes},
                            {"journal_rows_damaged", losses.rows_damaged},
                            {"journal_gaps", losses.gaps},
                            {"journal_entries_lost", losses.entries + losses.entries_of_unknown_series},
                            {"activity_rows_lost", losses.activity_rows}});
  salvage.log_bytes.set(static_cast<int64_t>(dropped.bytes));
  salvage.journal_entries.set(static_cast<int64_t>(losses.entries + losses.entries_of_unknown_series));
}

std::optional<Fault> restore_agents(RocksStore& store, const ServerConfig& config, const StoreOpening& to) {
  auto rows = store.snapshot()->agents();
  if (rows && rows->damaged > 0 && !config.store.salvage)
    rows = Error{ErrorCode::kCorrupt, std::to_string(rows->damaged) + " damaged"};
  if (!rows) return store_fault(rows.error(), "agent rows in store.path " + config.store.path);
  // An agent whose row is lost sends everything in its spool again, and part of that counts twice.
  if (rows->damaged > 0) to.log.error("salvaged", {{"agent_rows_damaged", rows->damaged}});
  to.agents.restore(std::move(*rows));
  return std::nullopt;
}

}  // namespace

Fault store_fault(Error error, std::string_view context) {
  if (error.code == ErrorCode::kCorrupt) {
    error.message += "; restore a backup, or start with --salvage to keep what can be read";
  }
  return data_fault(std::move(error).with(context));
}

std::variant<RecoveredStore, Fault> open_store(const ServerConfig& config, const StoreOpening& to) {
  const SteadyTime start = to.clock.steady();
  const SalvageGauges salvage(to.registry);
  auto opened = open_rocks(config, to);
  if (!opened) return store_fault(opened.error(), "store.path");
  RecoveredStore result{std::move(*opened), nullptr, {}};
  if (const std::optional<Error>& fault = result.store->fault()) {
    to.log.error("the store is read-only; samples wait in memory", {{"reason", fault->message}});
    to.health.set("store", fault->message);
  }
  if (to.layer) {
    auto layer = to.layer(*result.store);
    if (!layer) return store_fault(layer.error(), "store.path " + config.store.path);
    result.layer = std::move(*layer);
  }
  Store& store = result.layer ? *result.layer : *result.store;
  const Damage damage = config.store.salvage ? Damage::kSalvage : Damage::kRefuse;
  auto recovery = recover(store, to.table, damage, random_secret());
  if (!recovery) return store_fault(recovery.error(), "store.path " + config.store.path);
  result.recovery = *recovery;
  to.log.info(
      "store open",
      {{"path", config.store.path},
       {"series", result.recovery.series},
       {"journal_rows", result.recovery.journal_rows},
       {"journal_entries", result.recovery.journal_entries},
       {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(to.clock.steady() - start).count()}});
  if (recovery->family_rows_damaged > 0) {
    to.log.error("units and help are damaged and unknown until senders send them again",
                 {{"families", recovery->family_rows_damaged}});
  }
  if (damage == Damage::kSalvage)
    report_losses(result.store->log_drops(), result.recovery.losses, to, salvage);
  if (auto fault = restore_agents(*result.store, config, to)) return std::move(*fault);
  return result;
}

}  // namespace statmill
