// BpfCollector: what all collectors over eBPF programs do alike: their status, and what they missed.
#pragma once

#include <memory>
#include <string>

#include "agent/collectors/bpf_probe.h"
#include "agent/collectors/collector.h"

namespace statmill {

// Passes on what cells say, and before a name that is new the zero at which its cells began: so nothing of
// a device or cgroup that appears is lost. What is there at the first reading may be older than the agent's
// first interval: it begins with that reading.
class SeriesFromZero {
 public:
  // A sink for one reading, which `to` gets. Valid until the next; `to` must outlive its use.
  MetricSink& reading(MetricSink& to);
  SeriesFromZero();
  ~SeriesFromZero();

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
};

// Degraded, with their names, when hooks are missing; unavailable when nothing could be loaded, which stays
// so: the agent gives up what loading needs once it runs. Total: `<name>.missed`, events that came while
// the program was at work on the same CPU.
class BpfCollector : public Collector {
 public:
  // `name` must outlive the collector.
  BpfCollector(std::string_view name, LoadedProbe probe);

  std::string_view name() const final { return name_; }
  CollectorStatus collect(MetricSink& sink) final;
  const BpfProbe* probe() const final { return probe_ ? probe_->get() : nullptr; }

 protected:
  // What the programs counted so far; what else is wrong, or ok.
  virtual CollectorStatus report(const BpfProbe& probe, MetricSink& sink) = 0;

 private:
  const std::string_view name_;
  const LoadedProbe probe_;
  CollectorStatus hooks_status_;  // ok, or those that are missing
  SeriesFromZero series_;
};

}  // namespace statmill
