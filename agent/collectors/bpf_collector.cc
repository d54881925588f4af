#include "agent/collectors/bpf_collector.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace statmill {
namespace {

CollectorStatus status_of(std::span<const BpfHook> hooks) {
  std::string missing;
  for (const BpfHook& hook : hooks) {
    if (!hook.missing.empty())
      missing.append(", ").append(hook.attach_point).append(": ").append(hook.missing);
  }
  return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded(missing.substr(2));
}

}  // namespace

class SeriesFromZero::Sink final : public MetricSink {
 public:
  void begin(MetricSink& to) {
    // Names that were missing in the previous reading were forgotten by `to`, too.
    std::erase_if(known_, [&](const auto& entry) { return entry.second != number_; });
    to_ = &to;
    ++number_;
  }
  void add_gauge(const HostSeries& series, double value) override { to_->add_gauge(series, value); }
  void add_total(const HostSeries& series, uint64_t total) override {
    if (is_new(series.name)) to_->add_total(series, 0);
    to_->add_total(series, total);
  }
  void add_distribution(const HostSeries& series, const Distribution& total) override {
    if (is_new(series.name))
      to_->add_distribution(series, {.grouping_power = total.grouping_power, .counts = {}, .sum = 0});
    to_->add_distribution(series, total);
  }
  void keep(std::string_view name_prefix) override {
    for (auto it = known_.lower_bound(name_prefix); it != known_.end() && it->first.starts_with(name_prefix);
         ++it)
      it->second = number_;
    to_->keep(name_prefix);
  }
  void lines(std::string_view lines) override { to_->lines(lines); }

 private:
  bool is_new(std::string_view name) {
    const auto it = known_.find(name);
    if (it != known_.end()) {
      it->second = number_;
      return false;
    }
    known_.emplace(name, number_);
    return number_ > 1;
  }

  MetricSink* to_ = nullptr;
  uint64_t number_ = 0;                                 // the number of the current reading
  std::map<std::string, uint64_t, std::less<>> known_;  // each name with the last reading that contained it
};

SeriesFromZero::SeriesFromZero() : sink_(std::make_unique<Sink>()) {}
SeriesFromZero::~SeriesFromZero() = default;

MetricSink& SeriesFromZero::reading(MetricSink& to) {
  sink_->begin(to);
  return *sink_;
}

bool has_program(const BpfProbe& probe, std::string_view program) {
  const std::span<const BpfHook> hooks = probe.hooks();
  return std::none_of(hooks.begin(), hooks.end(),
                      [&](const BpfHook& hook) { return hook.program == program && !hook.missing.empty(); });
}

BpfCollector::BpfCollector(std::string_view name, LoadedProbe probe) : name_(name), probe_(std::move(probe)) {
  if (probe_) hooks_status_ = status_of((*probe_)->hooks());
}

CollectorStatus BpfCollector::collect(MetricSink& sink) {
  if (!probe_) return CollectorStatus::unavailable(probe_.error().message);
  MetricSink& from_zero = series_.reading(sink);
  const std::vector<BpfUse> uses = (*probe_)->uses();
  uint64_t missed = 0;
  for (const BpfUse& use : uses) missed += use.misses;
  const bool is_known = std::any_of(uses.begin(), uses.end(), [](const BpfUse& use) { return use.is_known; });
  if (is_known) from_zero.total("host.agent.ebpf_missed", {name_}, missed);
  report_cpu_time(uses, sink);
  CollectorStatus status = report(**probe_, from_zero);
  return status.level == CollectorStatus::Level::kOk ? hooks_status_ : status;
}

// The times grow only while the kernel measures, for a moment or from now on: otherwise they are not known,
// and not 0.
void BpfCollector::report_cpu_time(std::span<const BpfUse> uses, MetricSink& sink) {
  uint64_t run_ns = 0;
  for (const BpfUse& use : uses) run_ns += use.run_ns;
  if (std::exchange(run_ns_, run_ns) >= run_ns) return;
  const std::span<const BpfHook> hooks = (*probe_)->hooks();
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].is_known) sink.total("host.agent.program_cpu_ns", {name_, hooks[i].program}, uses[i].run_ns);
  }
}

}  // namespace statmill
