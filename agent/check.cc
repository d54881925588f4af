#include "agent/check.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "agent/collectors/bpf_probe.h"
#include "agent/collectors/bpf_statistics.h"
#include "agent/collectors/container_names.h"
#include "agent/collectors/make_collectors.h"
#include "base/program.h"

namespace statmill {
namespace {

class NoSink final : public MetricSink {
 public:
  void add_gauge(const HostSeries&, double) override {}
  void add_total(const HostSeries&, uint64_t) override {}
  void add_distribution(const HostSeries&, const Distribution&) override {}
  void keep(std::string_view) override {}
  void lines(std::string_view) override {}
};

using Row = std::array<std::string, 7>;
constexpr std::array<bool, 7> kIsRight = {false, false, false, false, true, true, false};

// Columns as wide as their widest cells, separated by two blanks.
std::string table_of(const std::vector<Row>& rows) {
  std::array<size_t, 7> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      line += (kIsRight[i] ? blanks + row[i] : row[i] + blanks) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// One collector, and the statistics of its programs before and after the second.
struct Checked {
  CollectorKind kind;
  bool is_on = false;
  std::unique_ptr<Collector> collector;
  CollectorStatus status;
  std::vector<BpfUse> before;
  std::vector<BpfUse> after;
};

std::vector<Checked> make_all(const Environment& environment) {
  const AgentConfig& config = environment.config;
  std::vector<Checked> all;
  AgentConfig one = config;
  one.once = true;  // a check must not take data from a running agent
  for (const CollectorKind& kind : collector_kinds()) {
    one.collectors = {std::string(kind.name)};
    auto made =
        make_collectors({one, environment.proc, environment.clock, environment.log, environment.containers});
    const auto& on = config.collectors;
    all.push_back({.kind = kind,
                   .is_on = std::find(on.begin(), on.end(), kind.name) != on.end(),
                   .collector = std::move(made.front()),
                   .status = {},
                   .before = {},
                   .after = {}});
  }
  return all;
}

void wait_a_second() {
  timespec rest{1, 0};
  while (::clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) != 0) {
  }
}

std::string ns_per_event(const BpfUse& before, const BpfUse& after) {
  const uint64_t runs = after.runs - before.runs;
  return runs == 0 ? "-" : std::to_string((after.run_ns - before.run_ns) / runs);
}

void add_rows(const Checked& checked, bool is_measured, std::vector<Row>& rows) {
  const std::string name(checked.kind.name);
  const std::string on = checked.is_on ? "on" : "off";
  const std::string status(status_text(checked.status.level));
  const BpfProbe* const probe = checked.collector->probe();
  const bool has_text = checked.kind.source != kEbpfSource;
  if (has_text || probe == nullptr)
    rows.push_back({name, on, std::string(checked.kind.source), status, "", "", checked.status.reason});
  if (probe == nullptr) return;
  const std::span<const BpfHook> hooks = probe->hooks();
  for (size_t i = 0; i < hooks.size(); ++i) {
    const bool is_measurable = is_measured && hooks[i].missing.empty();
    const BpfUse& before = checked.before[i];
    const BpfUse& after = checked.after[i];
    rows.push_back({i == 0 && !has_text ? name : "", i == 0 && !has_text ? on : "", hooks[i].attach_point,
                    hooks[i].missing.empty() ? "ok" : "unavailable",
                    is_measurable ? std::to_string(after.runs - before.runs) : "-",
                    is_measurable ? ns_per_event(before, after) : "-", hooks[i].missing});
  }
}

}  // namespace

std::optional<Fault> check_collectors(const AgentConfig& config, Log& log, const Clock& clock) {
  ProcReader proc(config.proc_root);
  ContainerNames containers(std::make_unique<ContainerReader>(config.filesystem_root), clock, log);
  std::vector<Checked> all = make_all({config, proc, clock, log, containers});
  const auto uses_of = [](const Checked& checked) {
    const BpfProbe* const probe = checked.collector->probe();
    return probe == nullptr ? std::vector<BpfUse>() : probe->uses();
  };
  std::optional<std::string> not_measured;
  {
    const Result<BpfStatistics> statistics = BpfStatistics::begin();
    if (!statistics) not_measured = statistics.error().message;
    for (Checked& checked : all) checked.before = uses_of(checked);
    wait_a_second();
    for (Checked& checked : all) checked.after = uses_of(checked);
  }
  NoSink sink;
  std::vector<Row> rows = {{"collector", "", "reads", "status", "events/s", "ns/event", "reason"}};
  for (Checked& checked : all) {
    checked.status = checked.collector->collect(sink);
    add_rows(checked, !not_measured, rows);
  }
  std::string text = table_of(rows);
  text += not_measured ? "\nEvents are not measured: " + *not_measured + ".\n"
                       : "\nns/event includes the kernel's own measuring, about 60 ns.\n";
  return print(text);
}

}  // namespace statmill
