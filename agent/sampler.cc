#include "agent/sampler.h"

#include <utility>

#include "agent/catalogue/family_lines.h"
#include "agent/collectors/make_collectors.h"
#include "agent/host_name.h"

namespace statmill {

Sampler::Sampler(const AgentConfig& config, Log& log, const Clock& clock)
    : schedule_(config.interval, config.host),
      clock_(clock),
      proc_(config.proc_root),
      containers_(std::make_unique<ContainerReader>(config.filesystem_root), clock, log),
      builder_(host_tags(config.host, config.tags), config.hindsight.fast),
      triggers_(config.http_listen ? static_cast<MetricSink&>(latest_) : builder_, config.hindsight.when,
                config.hindsight.length),
      collection_(make_collectors({config, proc_, clock, log, containers_}), log),
      self_report_(proc_) {
  self_report_.add_total("host.agent.total_resets", [this] { return builder_.resets(); });
}

LineBatch Sampler::collect() {
  const SteadyTime now = clock_.steady();
  const Timestamp wall = clock_.wall();
  builder_.begin(wall);
  latest_.begin();
  if (std::exchange(announces_, false)) builder_.lines(family_lines());
  MetricSink& sink = triggers_.sink();
  triggers_.begin(now);
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

std::string Sampler::prometheus_text() const { return statmill::prometheus_text(latest_.readings()); }

}  // namespace statmill
