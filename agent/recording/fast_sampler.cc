#include "agent/recording/fast_sampler.h"

#include <memory>
#include <utility>

#include "agent/collectors/make_collectors.h"
#include "agent/host_name.h"

namespace statmill {
namespace {

AgentConfig with_fast_collectors(AgentConfig config) {
  config.collectors = std::move(config.hindsight.fast);
  config.removes_cells = false;  // the other sampler may not have reported them yet
  return config;
}

}  // namespace

FastSampler::FastSampler(const AgentConfig& config, Log& log, const Clock& clock)
    : schedule_(config.hindsight.fast_interval, config.host),
      clock_(clock),
      proc_(config.proc_root),
      containers_(std::make_unique<ContainerReader>(config.filesystem_root), clock, log),
      builder_(host_tags(config.host, config.tags)),
      collection_(make_collectors({with_fast_collectors(config), proc_, clock, log, containers_}), log) {}

LineBatch FastSampler::collect() {
  builder_.begin(clock_.wall());
  collection_.read(clock_.steady(), builder_);
  return builder_.finish();
}

}  // namespace statmill
