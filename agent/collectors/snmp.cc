// The snmp collector: the statistics of the kernel's network protocols (RFC 4293, 4022, 4113 and its own),
// from /proc/net/snmp and /proc/net/netstat.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

// The fields for errors, and for the total traffic.
struct Group {
  std::string_view name;  // "Tcp"
  std::string_view fields;
};
constexpr Group kSnmp[] = {
    {"Ip", "InReceives InHdrErrors InAddrErrors InDiscards OutRequests OutDiscards OutNoRoutes ReasmFails"},
    {"Icmp", "InMsgs InErrors OutMsgs InDestUnreachs"},
    {"Tcp",
     "ActiveOpens PassiveOpens AttemptFails EstabResets InSegs OutSegs RetransSegs InErrs OutRsts "
     "InCsumErrors"},
    {"Udp", "InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors MemErrors"},
};
constexpr Group kNetstat[] = {
    {"TcpExt",
     "SyncookiesSent SyncookiesFailed ListenOverflows ListenDrops PruneCalled TW TCPTimeouts TCPLossProbes "
     "TCPLostRetransmit TCPFastRetrans TCPSlowStartRetrans TCPSynRetrans TCPSpuriousRTOs TCPDSACKRecv "
     "TCPOFOQueue TCPBacklogDrop TCPRcvQDrop TCPZeroWindowDrop TCPAbortOnTimeout TCPAbortOnMemory "
     "TCPAbortOnData TCPAbortOnClose TCPMemoryPressures TCPReqQFullDrop TCPReqQFullDoCookies"},
    {"IpExt", "InOctets OutOctets InNoRoutes InTruncatedPkts InCsumErrors"},
};

// Returns whether `word` is one of the blank-separated `words`.
bool has_word(std::string_view words, std::string_view word) {
  for (std::string_view one = next_word(words); !one.empty(); one = next_word(words)) {
    if (one == word) return true;
  }
  return false;
}

class SnmpCollector final : public Collector {
 public:
  explicit SnmpCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "snmp"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    const size_t found =
        read("net/snmp", kSnmp, sink, missing) + read("net/netstat", kNetstat, sink, missing);
    if (found == 0) return CollectorStatus::unavailable("missing:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  // Reads pairs of lines with the same first word: names, then numbers. Returns how many
  // numbers were reported.
  template <size_t N>
  size_t read(const std::string& file, const Group (&groups)[N], MetricSink& sink, std::string& missing) {
    const Result<std::string_view> text = proc_.read(file);
    if (!text) {
      missing.append(" ").append(text.error().message);
      return 0;
    }
    size_t found = 0;
    std::string_view rest = *text;
    while (!rest.empty()) {
      std::string_view names = next_line(rest);
      if (rest.empty()) break;
      std::string_view numbers = next_line(rest);
      const std::string_view title = next_word(names);
      if (next_word(numbers) != title || !title.ends_with(':')) continue;
      const std::string_view name = title.substr(0, title.size() - 1);
      const Group* const group = std::find_if(std::begin(groups), std::end(groups),
                                              [&](const Group& one) { return one.name == name; });
      if (group != std::end(groups)) found += report(*group, names, numbers, sink);
    }
    if (found == 0) missing.append(" ").append(file).append(" is not as expected");
    return found;
  }

  // The line of names is the same each time, so its meaning is cached.
  struct Columns {
    std::string names;
    std::vector<std::string> series;  // the series of each column; empty: not reported
  };

  size_t report(const Group& group, std::string_view names, std::string_view numbers, MetricSink& sink) {
    Columns& columns = columns_[group.name];
    if (columns.names != names) columns = {std::string(names), series_of(group, names)};
    size_t found = 0;
    for (const std::string& series : columns.series) {
      const std::string_view word = next_word(numbers);
      if (series.empty()) continue;
      const std::optional<uint64_t> value = parse_as<uint64_t>(word);
      if (!value) continue;
      sink.total(series, *value);
      ++found;
    }
    return found;
  }

  static std::vector<std::string> series_of(const Group& group, std::string_view names) {
    std::vector<std::string> series;
    for (std::string_view name = next_word(names); !name.empty(); name = next_word(names)) {
      const bool is_wanted = has_word(group.fields, name);
      series.push_back(is_wanted ? "snmp." + series_part(group.name) + "." + series_part(name) : "");
    }
    return series;
  }

  ProcReader& proc_;
  std::map<std::string_view, Columns> columns_;  // by group name
};

}  // namespace

std::unique_ptr<Collector> make_snmp_collector(ProcReader& proc) {
  return std::make_unique<SnmpCollector>(proc);
}

}  // namespace statmill
