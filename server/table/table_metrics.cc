#include "server/table/table_metrics.h"

namespace statmill {

void register_table_metrics(Registry& registry, const Table& table) {
  registry.gauge_fn("statmill.series", "Series known.", {},
                    [&table] { return static_cast<double>(table.series_count()); });
  registry.gauge_fn("statmill.active_series", "Series with a sample within the last 24 hours.", {},
                    [&table] { return static_cast<double>(table.active_count()); });
  registry.gauge_fn(
      "statmill.idle_series",
      "Series that have had no sample for 20 minutes, of which RAM has little more than the name.", {},
      [&table] { return static_cast<double>(table.idle_count()); });
  registry.gauge_fn("statmill.series_ids", "Ids that series have, or had before they were deleted.", {},
                    [&table] { return static_cast<double>(table.ids_end()); });
  registry.gauge_fn("statmill.name_bytes", "RAM used by series and their names.", {},
                    [&table] { return static_cast<double>(table.name_bytes()); });
  registry.gauge_fn("statmill.unindexed_names", "Names of new series that the index of names lacks yet.", {},
                    [&table] { return static_cast<double>(table.unindexed_count()); });
  registry.counter_fn("statmill.name_index_renewals",
                      "Times that a new index without the removed names replaced the index of names.", {},
                      [&table] { return table.index_renewals(); });
  registry.gauge_fn("statmill.families", "Families (path and kind) whose unit or help is known.", {},
                    [&table] { return static_cast<double>(table.families().size()); });
  registry.gauge_fn("statmill.family_bytes", "Bytes of the paths, units and help texts of families.", {},
                    [&table] { return static_cast<double>(table.families().text_bytes()); });
  registry.counter_fn("statmill.families_refused", "Texts of families that a limit did not allow.", {},
                      [&table] { return table.families().refused(); });
  registry.gauge_fn("statmill.ended_series", "Series whose end is remembered.", {},
                    [&table] { return static_cast<double>(table.ends().size()); });
  registry.counter_fn("statmill.ended_series_forgotten",
                      "Ends of series that are forgotten for --limits.ended_series.", {},
                      [&table] { return table.ends().forgotten(); });
  registry.counter_fn("statmill.exemplars_accepted",
                      "Exemplars that came, and are stored unless a larger one of their series and slot is.",
                      {}, [&table] { return table.exemplars().accepted(); });
  registry.counter_fn("statmill.exemplars_stored", "Exemplars that ticks have written.", {},
                      [&table] { return table.exemplars().stored(); });
  for (size_t i = 0; i < kExemplarRefusalCount; ++i) {
    const auto reason = static_cast<ExemplarRefusal>(i);
    registry.counter_fn("statmill.exemplars_refused", "Exemplars that are not kept.",
                        {{"reason", std::string(exemplar_refusal_label(reason))}},
                        [&table, reason] { return table.exemplars().refused(reason); });
  }
  registry.gauge_fn("statmill.limited_senders", "Senders counted for --limits.series_per_sender.", {},
                    [&table] { return static_cast<double>(table.sender_count()); });
  registry.gauge_fn("statmill.pending_bytes", "RAM used by buckets not yet flushed.", {},
                    [&table] { return static_cast<double>(table.ram_bytes()); });
  registry.counter_fn("statmill.series_expired", "Series deleted because no tier had data of them any more.",
                      {}, [&table] { return table.series_expired(); });
  registry.counter_fn("statmill.series_created", "Series created by samples since the start.", {},
                      [&table] { return table.series_created(); });
}

}  // namespace statmill
