// What the server tells of itself in /metrics.
#include "server/server.h"

namespace statmill {

void Server::register_figures() {
  const auto gauge = [this](std::string_view name, std::string_view help, std::function<double()> read) {
    registry_.gauge_fn(name, help, {}, std::move(read));
  };
  gauge("statmill.series", "Series known.", [this] { return static_cast<double>(table_.series_count()); });
  gauge("statmill.line_connections", "TCP connections of senders now open.",
        [this] { return static_cast<double>(connections_.count()); });
  gauge("statmill.agents", "Agents known.", [this] { return static_cast<double>(agent_registry_.count()); });
  gauge("statmill.agents_connected", "Agents connected.",
        [this] { return static_cast<double>(agent_registry_.connected()); });
  gauge("statmill.agent_clock_difference_seconds",
        "By how much the clock of a connected agent differs from this host's, at most.",
        [this] { return std::chrono::duration<double>(agent_registry_.clock_difference_max()).count(); });
  gauge("statmill.name_bytes", "RAM of the names of series.",
        [this] { return static_cast<double>(table_.name_bytes()); });
  gauge("statmill.limited_senders", "Senders counted for --limits.series_per_sender.",
        [this] { return static_cast<double>(table_.sender_count()); });
  registry_.counter_fn("statmill.series_made", "Series that samples have made since the start.", {},
                       [this] { return table_.series_created(); });
  gauge("statmill.pending_bytes", "RAM of buckets not yet in fragments.",
        [this] { return static_cast<double>(table_.ram_bytes()); });
  gauge("statmill.store_disk_bytes", "Bytes of the store on disk.",
        [this] { return static_cast<double>(store_figures_.stats().bytes_on_disk); });
  gauge("statmill.store_memory_bytes", "Buffers and caches of the store.",
        [this] { return static_cast<double>(store_figures_.stats().memory_bytes); });
  gauge("statmill.store_reserve_bytes", "Bytes of the disk that are kept for a start when it is full.",
        [this] { return static_cast<double>(store_->reserve_bytes()); });
  gauge("statmill.store_ready", "1: the last tick is in the store. 0: samples wait in memory, see /readyz.",
        [this] { return health_.problems().contains("store") ? 0.0 : 1.0; });
  registry_.counter_fn("statmill.store_reopenings",
                       "Times the store was opened anew after a fault of the disk.", {},
                       [this] { return store_figures_.stats().reopenings; });
  registry_.counter_fn("statmill.kind_mismatches", "Samples written as another kind than their series has.",
                       {}, [this] { return table_.kind_mismatches(); });
  registry_.counter_fn("statmill.expired_rows",
                       "Chunks of series dropped by compactions because their retention is over.", {},
                       [this] { return store_figures_.stats().expired_rows; });
  gauge("statmill.tick_age_seconds", "How long the tick under way has taken; 0: none is under way.",
        [this] { return std::chrono::duration<double>(tick_time_.age(clock_.steady())).count(); });
  registry_.counter_fn("statmill.damaged_frames", "Stored frames that failed their check in a merge.", {},
                       [this] { return store_figures_.stats().damaged_frames; });
}

}  // namespace statmill
