#include "agent/sampler.h"

#include <utility>

#include "agent/catalogue/family_lines.h"
#include "agent/collectors/make_collectors.h"
#include "agent/host_name.h"
#include "base/hash.h"

namespace statmill {
namespace {

// A time within the interval, away from its ends, where a late timer would put two samples into one second
// and none into the next. It differs between hosts, so that they do not all collect at the same instant.
Duration phase_of(const AgentConfig& config) {
  const auto tenth = static_cast<uint64_t>(config.interval.count()) / 10;
  return Duration(static_cast<Duration::rep>(tenth + hash_name(config.host) % (8 * tenth)));
}

}  // namespace

Sampler::Sampler(const AgentConfig& config, Log& log, const Clock& clock)
    : interval_(config.interval),
      phase_(phase_of(config)),
      clock_(clock),
      proc_(config.proc_root),
      containers_(std::make_unique<ContainerReader>(config.filesystem_root), clock, log),
      builder_(host_tags(config.host, config.tags)),
      collection_(make_collectors({config, proc_, clock, log, containers_}), log),
      self_report_(proc_),
      remembers_latest_(config.http_listen.has_value()) {
  self_report_.add_total("host.agent.total_resets", [this] { return builder_.resets(); });
}

LineBatch Sampler::collect() {
  const SteadyTime now = clock_.steady();
  const Timestamp wall = clock_.wall();
  builder_.begin(wall);
  latest_.begin();
  if (std::exchange(announces_, false)) builder_.lines(family_lines());
  MetricSink& sink = remembers_latest_ ? static_cast<MetricSink&>(latest_) : builder_;
  self_report_.report(now, sink);
  collection_.collect(now, wall, sink);
  return builder_.finish();
}

void Sampler::announce_families_hourly() {
  const SteadyTime now = clock_.steady();
  if (announced_at_ && now - *announced_at_ < std::chrono::hours(1)) return;
  announced_at_ = now;
  announces_ = true;
}

// Computed from wall time each time, so that a clock change or a suspend costs at most one interval.
Duration Sampler::until_next() const {
  const Duration now = clock_.wall().time_since_epoch();
  return interval_ - (now - phase_) % interval_;
}

std::string Sampler::prometheus_text() const { return statmill::prometheus_text(latest_.readings()); }

}  // namespace statmill
