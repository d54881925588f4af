// BpfCollector: what all collectors with eBPF programs have in common: their status, and the events
// that they missed.
#pragma once

#include <memory>
#include <string>

#include "agent/collectors/bpf_probe.h"
#include "agent/collectors/collector.h"

namespace statmill {

// Passes on readings of cells. Before the first reading of a new name it reports 0, the cells' initial value,
// so that the first interval of a device or cgroup that appears is not lost. Names in the very first reading
// are reported as they are: their counts may be older than the agent's first interval.
class SeriesFromZero {
 public:
  // Returns a sink for one reading, which passes it on to `to`. Valid until the next call; `to` must outlive
  // its use.
  MetricSink& reading(MetricSink& to);
  SeriesFromZero();
  ~SeriesFromZero();

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
};

// Degraded, with their names, if hooks are missing. Unavailable for good if nothing could be loaded, because
// the agent drops the privileges for loading once it runs. Total host.agent.ebpf_missed: events that occurred
// while the program already ran on the same CPU. Total host.agent.program_cpu_ns: the CPU time of each
// program, while the kernel measures it.
class BpfCollector : public Collector {
 public:
  // `name` must outlive the collector.
  BpfCollector(std::string_view name, LoadedProbe probe);

  std::string_view name() const final { return name_; }
  CollectorStatus collect(MetricSink& sink) final;
  uint8_t sources() const final { return kSourceEbpf; }
  const BpfProbe* probe() const final { return probe_ ? probe_->get() : nullptr; }

 protected:
  // Reports the current counts to `sink`. Returns what else is wrong, or ok.
  virtual CollectorStatus report(const BpfProbe& probe, MetricSink& sink) = 0;

 private:
  void report_cpu_time(std::span<const BpfUse> uses, MetricSink& sink);

  const std::string_view name_;
  const LoadedProbe probe_;
  uint64_t run_ns_ = 0;           // CPU time of all its programs at the last collect()
  CollectorStatus hooks_status_;  // ok, or the missing hooks
  SeriesFromZero series_;
};

}  // namespace statmill
