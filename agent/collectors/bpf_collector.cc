// See bpf_collector.h.
#include "agent/collectors/bpf_collector.h"

#include <utility>

namespace statmill {
namespace {

CollectorStatus status_of(std::span<const BpfHook> hooks) {
  std::string missing;
  for (const BpfHook& hook : hooks) {
    if (!hook.missing.empty()) missing.append(", ").append(hook.place).append(": ").append(hook.missing);
  }
  return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded(missing.substr(2));
}

}  // namespace

BpfCollector::BpfCollector(std::string_view name, LoadedProbe probe) : name_(name), probe_(std::move(probe)) {
  if (probe_) hooks_status_ = status_of((*probe_)->hooks());
}

CollectorStatus BpfCollector::collect(SampleSink& sink) {
  if (!probe_) return CollectorStatus::unavailable(probe_.error().message);
  uint64_t missed = 0;
  for (const BpfUse& use : (*probe_)->uses()) missed += use.misses;
  sink.total(std::string(name_) + ".missed", missed);
  CollectorStatus status = report(**probe_, sink);
  return status.level == CollectorStatus::Level::kOk ? hooks_status_ : status;
}

}  // namespace statmill
