#include "server/server.h"

namespace statmill {

void Server::register_figures() {
  const auto gauge = [this](std::string_view name, std::string_view help, std::function<double()> read) {
    registry_.gauge_fn(name, help, {}, std::move(read));
  };
  gauge("statmill.series", "Series known.", [this] { return static_cast<double>(table_.series_count()); });
  gauge("statmill.line_connections", "Open TCP connections of senders.",
        [this] { return static_cast<double>(connections_.count()); });
  gauge("statmill.agents", "Agents known.", [this] { return static_cast<double>(agent_registry_.count()); });
  gauge("statmill.agents_connected", "Agents connected.",
        [this] { return static_cast<double>(agent_registry_.connected()); });
  gauge("statmill.agent_clock_difference_seconds",
        "Largest difference of a connected agent's clock from the server's.",
        [this] { return std::chrono::duration<double>(agent_registry_.clock_difference_max()).count(); });
  gauge("statmill.name_bytes", "RAM used by the names of series.",
        [this] { return static_cast<double>(table_.name_bytes()); });
  gauge("statmill.limited_senders", "Senders counted for --limits.series_per_sender.",
        [this] { return static_cast<double>(table_.sender_count()); });
  registry_.counter_fn("statmill.series_created", "Series created by samples since the start.", {},
                       [this] { return table_.series_created(); });
  gauge("statmill.pending_bytes", "RAM used by buckets not yet flushed.",
        [this] { return static_cast<double>(table_.ram_bytes()); });
  gauge("statmill.store_disk_bytes", "Bytes of the store on disk.",
        [this] { return static_cast<double>(store_stats_.stats().bytes_on_disk); });
  gauge("statmill.store_memory_bytes", "Buffers and caches of the store.",
        [this] { return static_cast<double>(store_stats_.stats().memory_bytes); });
  gauge("statmill.store_reserve_bytes", "Bytes of disk reserved for a start when the disk is full.",
        [this] { return static_cast<double>(store_->reserve_bytes()); });
  gauge("statmill.store_ready", "1: the last tick is in the store. 0: samples wait in memory, see /readyz.",
        [this] { return health_.problems().contains("store") ? 0.0 : 1.0; });
  registry_.counter_fn("statmill.store_reopenings", "Times the store was reopened after a disk fault.", {},
                       [this] { return store_stats_.stats().reopenings; });
  registry_.counter_fn("statmill.kind_mismatches",
                       "Samples whose kind differs from the kind of their series.", {},
                       [this] { return table_.kind_mismatches(); });
  registry_.counter_fn("statmill.expired_rows",
                       "Chunks dropped by compactions because their retention has ended.", {},
                       [this] { return store_stats_.stats().expired_rows; });
  gauge("statmill.tick_age_seconds", "How long the current tick has been running; 0: none is running.",
        [this] { return std::chrono::duration<double>(tick_time_.age(clock_.steady())).count(); });
  registry_.counter_fn("statmill.damaged_frames", "Stored frames whose checksum was wrong in a merge.", {},
                       [this] { return store_stats_.stats().damaged_frames; });
}

}  // namespace statmill
