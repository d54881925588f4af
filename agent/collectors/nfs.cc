// The nfs collector: calls of this host to NFS servers, also by operation, from /proc/net/rpc/nfs. A host
// whose kernel has no client of NFS loaded has no such file.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/host_text.h"
#include "agent/collectors/nfs_operations.h"
#include "agent/collectors/wrapping_total.h"

namespace statmill {
namespace {

class NfsCollector final : public Collector {
 public:
  explicit NfsCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "nfs"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("net/rpc/nfs");
    if (!text && text.error().code == ErrorCode::kNotFound) return {};
    if (!text) return CollectorStatus::unavailable(text.error().message);
    const NfsCounts counts = parse_nfs(*text);
    if (!counts.calls) return CollectorStatus::unavailable("net/rpc/nfs has an unknown format");
    sink.total("host.nfs.calls", calls_.advance(*counts.calls));
    if (counts.retransmits) sink.total("host.nfs.retransmits", retransmits_.advance(*counts.retransmits));
    if (counts.auth_refreshes)
      sink.total("host.nfs.auth_refreshes", auth_refreshes_.advance(*counts.auth_refreshes));
    report(kNfs3Operations, "3", counts.version_3, version_3_, sink);
    report(kNfs4Operations, "4", counts.version_4, version_4_, sink);
    return {};
  }

 private:
  // Operations that the kernel has beyond those with names are together in op=other.
  static void report(std::span<const std::string_view> names, std::string_view version,
                     std::span<const uint32_t> counts, std::vector<WrappingTotal>& totals, MetricSink& sink) {
    totals.resize(names.size() + 1);
    uint32_t others = 0;
    for (size_t i = names.size(); i < counts.size(); ++i) others += counts[i];
    for (size_t i = 0; i < std::min(names.size(), counts.size()); ++i)
      if (counts[i] != 0)
        sink.total("host.nfs.operations", {names[i], version}, totals[i].advance(counts[i]));
    if (others != 0) sink.total("host.nfs.operations", {"other", version}, totals.back().advance(others));
  }

  ProcReader& proc_;
  WrappingTotal calls_;
  WrappingTotal retransmits_;
  WrappingTotal auth_refreshes_;
  std::vector<WrappingTotal> version_3_;  // by operation, and one for all others
  std::vector<WrappingTotal> version_4_;
};

}  // namespace

std::unique_ptr<Collector> make_nfs_collector(const HostSources& sources) {
  return std::make_unique<NfsCollector>(sources.proc);
}

}  // namespace statmill
