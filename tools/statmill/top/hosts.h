// The hosts of a server, the worst first: utilisation, saturation and errors of CPU, memory, disks and
// network over the last minute.
//
// Everything here is pure: answers of the server in, rows out.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tools/statmill/answer.h"
#include "tools/statmill/chart/chart.h"
#include "tools/statmill/chart/units.h"
#include "tools/statmill/client.h"

namespace statmill {

enum class Level { kOk, kWarning, kCritical };

enum class Aspect { kUtilisation, kSaturation, kErrors, kTraffic };

// The columns of the table, in reading order.
enum class Figure : size_t {
  kCpuBusy,
  kCpuWait,
  kCpuPressure,
  kMemoryUsed,
  kMemoryPressure,
  kMemoryKills,
  kDiskBusy,
  kDiskLatency,
  kDiskErrors,
  kNetworkBytes,
  kNetworkErrors,
  kLag,
};
constexpr size_t kFigureCount = 12;

struct FigureRule {
  Figure figure;
  Aspect aspect;
  const char* title;
  Unit unit;
  double warning = 0;   // this and more; 0: any
  double critical = 0;  // this and more
};
const std::array<FigureRule, kFigureCount>& figure_rules();

struct Measure {
  double value = 0;
  Level level = Level::kOk;
};

struct HostRow {
  std::string host;  // the tag `host` of its series
  std::array<std::optional<Measure>, kFigureCount> figures = {};
  std::optional<int64_t> away_since_s = std::nullopt;  // its agent is not connected
  Level level = Level::kOk;                            // the worst of its figures; away is critical
  Values cpu_busy = {};                                // percent over the last hour
};

// The answers that rows are made of.
struct HostAnswers {
  KnownAgents agents;
  QueryResult averages;     // for averages_request()
  QueryResult percentiles;  // for percentiles_request()
  QueryResult history;      // for history_request()
};

// The parameters of /api/v1/query for them.
UrlParameters averages_request();
UrlParameters percentiles_request();
UrlParameters history_request();

// Returns a row per agent and per host with a series host.cpu.busy_percent. The order: most critical figures,
// most warnings, largest saturation, largest utilisation, name.
std::vector<HostRow> rank_hosts(const HostAnswers& answers);

}  // namespace statmill
