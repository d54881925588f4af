#include "tools/statmill/top/hosts.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "proto/family.h"

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

// The series of one path that are part of a figure; with a tag, only those that have it.
struct Source {
  Figure figure;
  std::string_view path;
  double factor;  // to the figure's unit
  Joined joined = Joined::kLargest;
  std::string_view tag = {};  // "op=read"
};

constexpr double kNsPerSecond = 1e-7;  // ns per second to percent

constexpr std::array<Source, 9> kAverages = {{
    {Figure::kCpuBusy, "host.cpu.busy_percent", 1},
    {Figure::kCpuPressure, "host.psi.stalled_ns", kNsPerSecond, Joined::kLargest, "resource=cpu;type=some"},
    {Figure::kMemoryPressure, "host.psi.stalled_ns", kNsPerSecond, Joined::kLargest,
     "resource=memory;type=some"},
    {Figure::kMemoryKills, "host.memory.oom_kills", 1},
    {Figure::kDiskBusy, "host.block.busy_ns", kNsPerSecond},
    {Figure::kDiskErrors, "host.block.errors", 1, Joined::kSum},
    {Figure::kNetworkBytes, "host.net.bytes", 1, Joined::kSum},
    {Figure::kNetworkErrors, "host.net.errors", 1, Joined::kSum},
    {Figure::kNetworkErrors, "host.net.transmit_timeouts", 1, Joined::kSum},
}};
constexpr std::array<Source, 3> kPercentiles = {{
    {Figure::kCpuWait, "host.sched.runqueue_wait_ns", 1},
    {Figure::kDiskLatency, "host.block.latency_ns", 1, Joined::kLargest, "op=read"},
    {Figure::kDiskLatency, "host.block.latency_ns", 1, Joined::kLargest, "op=write"},
}};
constexpr std::string_view kPresence = "host.cpu.busy_percent";
constexpr std::string_view kMemoryTotal = "host.memory.total_bytes";
constexpr std::string_view kMemoryAvailable = "host.memory.available_bytes";

// All series of a path that have tags: those of hosts always have.
std::string pattern_of(std::string_view path) { return std::string(path) + ";*"; }

void add_patterns(UrlParameters& out, std::span<const Source> sources) {
  std::string_view last;
  for (const Source& s : sources) {
    if (s.path != last) out.emplace_back("series", pattern_of(s.path));
    last = s.path;
  }
}

// Returns the value of a tag; empty if the name does not have it.
std::string_view tag_of(std::string_view name, std::string_view key) {
  for (size_t at = name.find(';'); at != std::string_view::npos; at = name.find(';', at + 1)) {
    std::string_view tag = name.substr(at + 1);
    if (!tag.starts_with(key) || tag.size() == key.size() || tag[key.size()] != '=') continue;
    tag.remove_prefix(key.size() + 1);
    return tag.substr(0, tag.find(';'));
  }
  return {};
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

// The hosts by name.
class Hosts {
 public:
  HostRow& host(std::string_view name) {
    HostRow& row = rows_[std::string(name)];
    row.host = name;
    return row;
  }
  // Returns the host of a series; nullptr if it is of none.
  HostRow* host_of(std::string_view series) {
    const auto found = rows_.find(tag_of(series, "host"));
    return found != rows_.end() ? &found->second : nullptr;
  }
  std::vector<HostRow> all() {
    std::vector<HostRow> out;
    out.reserve(rows_.size());
    for (auto& [name, row] : rows_) out.push_back(std::move(row));
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

bool is_of(const Source& source, std::string_view name) {
  if (path_of(name) != source.path) return false;
  for (const std::string_view tag : split(source.tag, ';')) {
    const size_t equals = tag.find('=');
    if (equals != std::string_view::npos && tag_of(name, tag.substr(0, equals)) != tag.substr(equals + 1))
      return false;
  }
  return true;
}

template <class Value>
void add_all(Hosts& hosts, const QueryResult& result, std::string_view stat, std::span<const Source> sources,
             const Value& value_of) {
  for (const SeriesColumns& series : result.series) {
    HostRow* const host = hosts.host_of(series.name);
    const std::optional<double> value = host != nullptr ? value_of(stat_column(series, stat)) : std::nullopt;
    if (!value) continue;
    for (const Source& source : sources) {
      if (is_of(source, series.name)) add(*host, source, *value);
    }
  }
}

void add_memory(Hosts& hosts, const QueryResult& result) {
  std::map<HostRow*, std::pair<std::optional<double>, std::optional<double>>> memory;
  for (const SeriesColumns& series : result.series) {
    HostRow* const host = hosts.host_of(series.name);
    if (host == nullptr) continue;
    if (path_of(series.name) == kMemoryTotal) memory[host].first = mean(stat_column(series, "avg"));
    if (path_of(series.name) == kMemoryAvailable) memory[host].second = mean(stat_column(series, "avg"));
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
  return std::tuple(-critical, -warnings, -highest[0], -highest[1], std::string_view(host.host));
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
  out.emplace_back("series", pattern_of(kMemoryTotal));
  out.emplace_back("series", pattern_of(kMemoryAvailable));
  return out;
}

UrlParameters percentiles_request() {
  UrlParameters out = last_minute("p99");
  add_patterns(out, kPercentiles);
  return out;
}

UrlParameters history_request() {
  return {
      {"from", "-1h"}, {"until", "now"}, {"step", "2m"}, {"stats", "avg"}, {"series", pattern_of(kPresence)}};
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
    const std::string_view host = tag_of(series.name, "host");
    if (path_of(series.name) == kPresence && !host.empty()) hosts.host(host);
  }
  add_all(hosts, answers.averages, "avg", kAverages, mean);
  add_all(hosts, answers.percentiles, "p99", kPercentiles, highest_value);
  add_memory(hosts, answers.averages);
  for (const SeriesColumns& series : answers.history.series) {
    HostRow* const host = hosts.host_of(series.name);
    if (host == nullptr || path_of(series.name) != kPresence) continue;
    if (const Values* values = stat_column(series, "avg")) host->cpu_busy = *values;
  }
  std::vector<HostRow> rows = hosts.all();
  for (HostRow& row : rows) judge(row);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return rows;
}

}  // namespace statmill
