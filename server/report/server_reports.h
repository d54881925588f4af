// ServerReports: the reports of a running server.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/net/watchdog.h"
#include "ingest/connection_registry.h"
#include "ingest/refusal_log.h"
#include "server/agents/agent_registry.h"
#include "server/disk_forecast.h"
#include "server/health.h"
#include "server/minute_count.h"
#include "server/report/reports.h"
#include "server/store_stats_cache.h"
#include "server/table/table.h"
#include "server/write_rate.h"
#include "statmill/registry.h"

namespace statmill {

// Thread-safe.
class ServerReports final : public Reports {
 public:
  struct Sources {  // all must outlive it
    const Table& table;
    const StoreStatsCache& store_stats;
    const DiskForecast& forecast;
    const WriteRate& writes;
    const RefusalLog& refusals;
    const MinuteCount& new_series;
    const ConnectionRegistry& connections;
    const AgentRegistry& agents;
    const Registry& registry;
    const Health& health;
    const Watchdog& watchdog;
    const Clock& clock;
    SteadyTime started;
    std::string_view build;           // of the page
    bool is_demo = false;             // the data are made up
    std::string_view recording = {};  // name of the file that the data come from; empty: they do not
  };
  explicit ServerReports(const Sources& sources) : sources_(sources) {}

  // Sets what status() says of the ports. Call it before any report is asked for.
  void set_listeners(std::vector<ListenerAddress> listeners) { listeners_ = std::move(listeners); }

  std::string status(const Reader& reader) const override;
  std::string rejects() const override;
  std::vector<Refused> refused_with(const std::vector<std::string>& words, size_t limit) const override;
  std::string cardinality(size_t parts) const override;
  std::string agents(const AgentFilter& filter) const override;
  std::string retention(const std::string& name) const override;
  std::string hosts() const override;
  bool makes_progress() const override { return sources_.watchdog.makes_progress(); }

 private:
  const Sources sources_;
  std::vector<ListenerAddress> listeners_;
};

}  // namespace statmill
