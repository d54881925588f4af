// The vmstat collector: paging, out-of-memory kills, context switches and new processes.
#include <span>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

struct VmstatField {
  std::string_view key;
  std::string_view series;
};
constexpr VmstatField kVmstatFields[] = {{"pgfault", "vmstat.pgfault"},  {"pgmajfault", "vmstat.pgmajfault"},
                                         {"pgpgin", "vmstat.pgpgin"},    {"pgpgout", "vmstat.pgpgout"},
                                         {"pswpin", "vmstat.pswpin"},    {"pswpout", "vmstat.pswpout"},
                                         {"oom_kill", "vmstat.oom_kill"}};
constexpr VmstatField kStatFields[] = {{"ctxt", "vmstat.ctxt"}, {"processes", "vmstat.processes"}};

class VmstatCollector final : public Collector {
 public:
  explicit VmstatCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "vmstat"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    const size_t found =
        read("vmstat", kVmstatFields, sink, missing) + read("stat", kStatFields, sink, missing);
    if (found == 0) return CollectorStatus::unavailable("missing:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  // Returns how many of the fields the file has; appends the others to `missing`.
  size_t read(const std::string& file, std::span<const VmstatField> fields, MetricSink& sink,
              std::string& missing) {
    const Result<std::string_view> text = proc_.read(file);
    if (!text) {
      missing.append(" ").append(text.error().message);
      return 0;
    }
    size_t found = 0;
    for (const VmstatField& field : fields) {
      if (const std::optional<uint64_t> value = find_number(*text, field.key)) {
        sink.total(field.series, *value);
        ++found;
      } else {
        missing.append(" ").append(field.key);
      }
    }
    return found;
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_vmstat_collector(ProcReader& proc) {
  return std::make_unique<VmstatCollector>(proc);
}

}  // namespace statmill
