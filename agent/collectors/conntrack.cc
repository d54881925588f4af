// The conntrack collector: how full the table of tracked connections is, and what it had to drop, from
// /proc/sys/net/netfilter and /proc/net/stat/nf_conntrack. A host that tracks none has neither.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/host_text.h"
#include "agent/collectors/proc_text.h"
#include "agent/collectors/wrapping_total.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, 5> kConntrackColumns = {"drop", "early_drop", "insert_failed",
                                                               "invalid", "search_restart"};
constexpr EventFamily kConntrackFamilies[kConntrackColumns.size()] = {
    "host.conntrack.drops", "host.conntrack.early_drops", "host.conntrack.insert_failures",
    "host.conntrack.invalid", "host.conntrack.search_restarts"};

class ConntrackCollector final : public Collector {
 public:
  explicit ConntrackCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "conntrack"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    const bool is_on = report_number("nf_conntrack_count", "host.conntrack.entries", sink, missing);
    if (!is_on && missing.empty()) return {};  // the kernel tracks no connections
    report_number("nf_conntrack_max", "host.conntrack.entries_max", sink, missing);
    const size_t found = report_table(sink, missing);
    if (!is_on && found == 0) return CollectorStatus::unavailable("missing:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  // Returns false if the file is not there, or, with a reason in `missing`, not readable.
  bool report_number(const char* file, GaugeFamily family, MetricSink& sink, std::string& missing) {
    const Result<std::string_view> text = proc_.read(std::string("sys/net/netfilter/") + file);
    if (!text && text.error().code == ErrorCode::kNotFound) return false;
    std::string_view line = text ? *text : std::string_view();
    if (!line.empty()) line = next_line(line);
    const std::optional<uint64_t> number = parse_as<uint64_t>(next_word(line));
    if (number) sink.gauge(family, static_cast<double>(*number));
    if (!number) missing.append(" ").append(text ? file : text.error().message);
    return number.has_value();
  }

  size_t report_table(MetricSink& sink, std::string& missing) {
    const Result<std::string_view> table = proc_.read("net/stat/nf_conntrack");
    if (!table) missing.append(" ").append(table.error().message);
    if (!table) return 0;
    size_t found = 0;
    const std::vector<std::optional<uint64_t>> sums = sums_of_columns(*table, kConntrackColumns);
    for (size_t i = 0; i < sums.size(); ++i) {
      // Each CPU counts in 32 bits, so their sum is right in 32 bits, too.
      if (sums[i]) sink.total(kConntrackFamilies[i], totals_[i].advance(static_cast<uint32_t>(*sums[i])));
      if (sums[i]) ++found;
      if (!sums[i]) missing.append(" ").append(kConntrackColumns[i]);
    }
    return found;
  }

  ProcReader& proc_;
  std::array<WrappingTotal, kConntrackColumns.size()> totals_;
};

}  // namespace

std::unique_ptr<Collector> make_conntrack_collector(const HostSources& sources) {
  return std::make_unique<ConntrackCollector>(sources.proc);
}

}  // namespace statmill
