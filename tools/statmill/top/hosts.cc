#include "tools/statmill/top/hosts.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace statmill {
namespace {

constexpr Unit kPercentUnit{Unit::Kind::kPercent};
constexpr Unit kNanoseconds{Unit::Kind::kSeconds, 1e-9};
constexpr Unit kLagUnit{Unit::Kind::kSeconds};
constexpr Unit kPerSecond{Unit::Kind::kNumber, 1, true};
constexpr Unit kBytesPerSecond{Unit::Kind::kBytes, 1, true};
constexpr double kMs = 1e6;  // in nanoseconds

// How the values of several series of a host, like its disks, become one.
enum class Joined { kLargest, kSum };

// A series of a host, PREFIX.BEGIN*END or PREFIX.BEGIN if END is empty, and the figure that it is part of.
struct Source {
  Figure figure;
  std::string_view begin;
  std::string_view end;
  double factor;  // to the figure's unit
  Joined joined = Joined::kLargest;
};

constexpr std::array<Source, 12> kAverages = {{
    {Figure::kCpuBusy, "cpu.busy", "", 1},
    {Figure::kCpuPressure, "psi.cpu.some_us", "", 1e-4},  // us per second to percent
    {Figure::kMemoryPressure, "psi.memory.some_us", "", 1e-4},
    {Figure::kMemoryKills, "vmstat.oom_kill", "", 1},
    {Figure::kMemoryKills, "reclaim.oom_kills", "", 1},
    {Figure::kDiskBusy, "disk.", ".io_ms", 0.1},  // ms per second to percent
    {Figure::kDiskErrors, "block.", ".errors", 1, Joined::kSum},
    {Figure::kNetworkBytes, "network.", ".rx_bytes", 1, Joined::kSum},
    {Figure::kNetworkBytes, "network.", ".tx_bytes", 1, Joined::kSum},
    {Figure::kNetworkErrors, "network.", ".rx_errors", 1, Joined::kSum},
    {Figure::kNetworkErrors, "network.", ".tx_errors", 1, Joined::kSum},
    {Figure::kNetworkErrors, "net.tx_timeouts", "", 1, Joined::kSum},
}};
constexpr std::array<Source, 3> kPercentiles = {{
    {Figure::kCpuWait, "sched.runqueue_wait_ns", "", 1},
    {Figure::kDiskLatency, "block.", ".read.latency_ns", 1},
    {Figure::kDiskLatency, "block.", ".write.latency_ns", 1},
}};
constexpr std::string_view kPresence = ".cpu.busy";
constexpr std::string_view kMemoryTotal = "memory.total";
constexpr std::string_view kMemoryAvailable = "memory.available";

void add_patterns(UrlParameters& out, std::span<const Source> sources) {
  for (const Source& s : sources) {
    std::string pattern = "*." + std::string(s.begin);
    if (!s.end.empty()) pattern.append("*").append(s.end);
    out.emplace_back("series", std::move(pattern));
  }
}

UrlParameters last_minute(std::string_view stats) {
  return {{"from", "-1m"}, {"until", "now"}, {"step", "10s"}, {"stats", std::string(stats)}};
}

const Values* stat_column(const SeriesColumns& series, std::string_view stat) {
  const auto found = std::find_if(series.columns.begin(), series.columns.end(),
                                  [&](const auto& c) { return c.first == stat; });
  return found != series.columns.end() ? &found->second : nullptr;
}

// Returns the average of the slots, without the one under way if there are others.
std::optional<double> mean(const Values* values) {
  double sum = 0;
  int count = 0;
  for (size_t i = 0; values != nullptr && i < values->size(); ++i) {
    const bool is_open = i + 1 == values->size();
    if (!(*values)[i] || (is_open && count > 0)) continue;
    sum += *(*values)[i];
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> highest_value(const Values* values) {
  std::optional<double> out;
  for (size_t i = 0; values != nullptr && i < values->size(); ++i) {
    const std::optional<double>& value = (*values)[i];
    if (value && (!out || *value > *out)) out = value;
  }
  return out;
}

// The hosts by prefix. The prefix of one host may be the begin of another's.
class Hosts {
 public:
  HostRow& host(const std::string& prefix) {
    HostRow& row = rows_[prefix];
    row.prefix = prefix;
    return row;
  }
  // Returns the host of a series and the rest of its name; nullptr if it is of no host.
  std::pair<HostRow*, std::string_view> host_of(std::string_view name) {
    for (size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0;
         dot = name.rfind('.', dot - 1)) {
      const auto found = rows_.find(name.substr(0, dot));
      if (found != rows_.end()) return {&found->second, name.substr(dot + 1)};
    }
    return {nullptr, {}};
  }
  std::vector<HostRow> all() {
    std::vector<HostRow> out;
    out.reserve(rows_.size());
    for (auto& [prefix, row] : rows_) out.push_back(std::move(row));
    return out;
  }

 private:
  std::map<std::string, HostRow, std::less<>> rows_;
};

void add(HostRow& host, const Source& source, double value) {
  std::optional<Measure>& measure = host.figures.at(static_cast<size_t>(source.figure));
  const double scaled = value * source.factor;
  if (!measure) {
    measure = Measure{scaled};
  } else {
    measure->value =
        source.joined == Joined::kSum ? measure->value + scaled : std::max(measure->value, scaled);
  }
}

bool is_of(const Source& source, std::string_view rest) {
  if (source.end.empty()) return rest == source.begin;
  return rest.size() > source.begin.size() + source.end.size() && rest.starts_with(source.begin) &&
         rest.ends_with(source.end);
}

template <class Value>
void add_all(Hosts& hosts, const QueryResult& result, std::string_view stat, std::span<const Source> sources,
             const Value& value_of) {
  for (const SeriesColumns& series : result.series) {
    const auto [host, rest] = hosts.host_of(series.name);
    const std::optional<double> value = host != nullptr ? value_of(stat_column(series, stat)) : std::nullopt;
    if (!value) continue;
    for (const Source& source : sources) {
      if (is_of(source, rest)) add(*host, source, *value);
    }
  }
}

void add_memory(Hosts& hosts, const QueryResult& result) {
  std::map<HostRow*, std::pair<std::optional<double>, std::optional<double>>> memory;
  for (const SeriesColumns& series : result.series) {
    const auto [host, rest] = hosts.host_of(series.name);
    if (rest == kMemoryTotal) memory[host].first = mean(stat_column(series, "avg"));
    if (rest == kMemoryAvailable) memory[host].second = mean(stat_column(series, "avg"));
  }
  for (const auto& [host, sizes] : memory) {
    const auto& [total, available] = sizes;
    if (!total || !available || *total <= 0) continue;
    host->figures.at(static_cast<size_t>(Figure::kMemoryUsed)) = Measure{100 * (1 - *available / *total)};
  }
}

void judge(HostRow& host) {
  for (const FigureRule& rule : figure_rules()) {
    std::optional<Measure>& measure = host.figures.at(static_cast<size_t>(rule.figure));
    if (!measure || rule.aspect == Aspect::kTraffic) continue;
    if (measure->value > 0 && measure->value >= rule.warning) measure->level = Level::kWarning;
    if (measure->value >= rule.critical) measure->level = Level::kCritical;
    host.level = std::max(host.level, measure->level);
  }
  if (host.away_since_s) host.level = Level::kCritical;
}

// What rows are ordered by, the smallest first.
auto rank(const HostRow& host) {
  int critical = host.away_since_s ? 1 : 0;
  int warnings = 0;
  std::array<double, 2> highest = {0, 0};  // saturation and utilisation, as parts of their limits
  for (const FigureRule& rule : figure_rules()) {
    const std::optional<Measure>& measure = host.figures.at(static_cast<size_t>(rule.figure));
    if (!measure) continue;
    critical += measure->level == Level::kCritical ? 1 : 0;
    warnings += measure->level == Level::kWarning ? 1 : 0;
    if (rule.aspect != Aspect::kSaturation && rule.aspect != Aspect::kUtilisation) continue;
    double& most = highest.at(rule.aspect == Aspect::kSaturation ? 0 : 1);
    most = std::max(most, measure->value / rule.critical);
  }
  return std::tuple(-critical, -warnings, -highest[0], -highest[1], std::string_view(host.prefix));
}

}  // namespace

const std::array<FigureRule, kFigureCount>& figure_rules() {
  static constexpr std::array<FigureRule, kFigureCount> kRules = {{
      {Figure::kCpuBusy, Aspect::kUtilisation, "cpu", kPercentUnit, 80, 95},
      {Figure::kCpuWait, Aspect::kSaturation, "wait p99", kNanoseconds, 10 * kMs, 100 * kMs},
      {Figure::kCpuPressure, Aspect::kSaturation, "press", kPercentUnit, 10, 40},
      {Figure::kMemoryUsed, Aspect::kUtilisation, "mem", kPercentUnit, 80, 95},
      {Figure::kMemoryPressure, Aspect::kSaturation, "press", kPercentUnit, 10, 40},
      {Figure::kMemoryKills, Aspect::kErrors, "kills", kPerSecond, 0, 1},
      {Figure::kDiskBusy, Aspect::kUtilisation, "disk", kPercentUnit, 80, 95},
      {Figure::kDiskLatency, Aspect::kSaturation, "p99", kNanoseconds, 20 * kMs, 80 * kMs},
      {Figure::kDiskErrors, Aspect::kErrors, "errors", kPerSecond, 0, 1},
      {Figure::kNetworkBytes, Aspect::kTraffic, "net", kBytesPerSecond, 0, 0},
      {Figure::kNetworkErrors, Aspect::kErrors, "errors", kPerSecond, 0, 1},
      {Figure::kLag, Aspect::kSaturation, "lag", kLagUnit, 5, 30},
  }};
  return kRules;
}

UrlParameters averages_request() {
  UrlParameters out = last_minute("avg");
  add_patterns(out, kAverages);
  out.emplace_back("series", "*." + std::string(kMemoryTotal));
  out.emplace_back("series", "*." + std::string(kMemoryAvailable));
  return out;
}

UrlParameters percentiles_request() {
  UrlParameters out = last_minute("p99");
  add_patterns(out, kPercentiles);
  return out;
}

UrlParameters history_request() {
  return {{"from", "-1h"},
          {"until", "now"},
          {"step", "2m"},
          {"stats", "avg"},
          {"series", "*" + std::string(kPresence)}};
}

std::vector<HostRow> rank_hosts(const HostAnswers& answers) {
  Hosts hosts;
  for (const ListedAgent& agent : answers.agents.agents) {
    HostRow& host = hosts.host(agent.host);
    if (!agent.is_connected) host.away_since_s = agent.seen_s;
    if (const auto lag = parse_integer(agent.lag_s, 0, INT64_MAX); lag && agent.is_connected)
      host.figures.at(static_cast<size_t>(Figure::kLag)) = Measure{static_cast<double>(*lag)};
  }
  for (const SeriesColumns& series : answers.averages.series) {
    if (series.name.ends_with(kPresence))
      hosts.host(series.name.substr(0, series.name.size() - kPresence.size()));
  }
  add_all(hosts, answers.averages, "avg", kAverages, mean);
  add_all(hosts, answers.percentiles, "p99", kPercentiles, highest_value);
  add_memory(hosts, answers.averages);
  for (const SeriesColumns& series : answers.history.series) {
    const auto [host, rest] = hosts.host_of(series.name);
    if (host == nullptr || rest != kPresence.substr(1)) continue;
    if (const Values* values = stat_column(series, "avg")) host->cpu_busy = *values;
  }
  std::vector<HostRow> rows = hosts.all();
  for (HostRow& row : rows) judge(row);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return rows;
}

}  // namespace statmill
