#include "agent/recording/hindsight.h"

#include <chrono>
#include <string>
#include <utility>

#include "agent/host_name.h"
#include "base/running.h"

namespace statmill {
namespace {

constexpr Duration kFinishLook{10};  // between two looks at a file that a stop waits for

RecordingFiles::Options file_options(const AgentConfig& config) {
  const HindsightOptions& options = config.hindsight;
  const std::string& spool = config.outbox.spool_path;
  const bool is_below_spool = options.directory.empty() && !spool.empty();
  return {.directory = is_below_spool ? spool + "/hindsight" : options.directory,
          .host = recording_host(config.host),
          .files_max = options.files};
}

}  // namespace

Hindsight::Hindsight(const AgentConfig& config, const Services& services, SelfReport& report)
    : services_(services),
      ring_(recording_head(config), host_tags(config.host, config.tags),
            {.length = config.hindsight.length, .bytes_max = config.hindsight.bytes}),
      files_(file_options(config), services.log),
      fast_timer_(
          services.loop, [this] { return fast_sampler_->until_next(); },
          [this] {
            const Running running("a fast collection");
            ring_.add(fast_sampler_->collect(), services_.clock.steady());
          }),
      finish_timer_(
          services.loop, [] { return kFinishLook; }, [this] { look_at_the_last(); }) {
  if (!config.hindsight.fast.empty()) fast_sampler_.emplace(config, services.log, services.clock);
  report.add_gauge("host.agent.hindsight_s", [this] {
    return std::chrono::duration<double>(ring_.held(services_.clock.steady())).count();
  });
  report.add_gauge("host.agent.hindsight_bytes", [this] { return static_cast<double>(ring_.bytes()); });
  report.add_total("host.agent.hindsight_lines_refused", [this] { return ring_.lines_refused(); });
  report.add_total("host.agent.hindsight_files", [this] { return files_.written(); });
  report.add_total("host.agent.hindsight_failures", [this] { return files_.failures(); });
}

void Hindsight::start() {
  if (!fast_sampler_) return;
  fast_sampler_->collect();  // reads the first totals
  fast_timer_.start();
}

void Hindsight::stop() { fast_timer_.stop(); }

void Hindsight::finish(Duration limit, std::function<void()> done) {
  files_.look();
  if (!files_.is_busy()) {
    is_finished_ = true;
    return done();
  }
  finish_until_ = services_.clock.steady() + limit;
  finished_ = std::move(done);
  finish_timer_.start();
}

void Hindsight::look_at_the_last() {
  files_.look();
  if (files_.is_busy() && services_.clock.steady() < finish_until_) return;
  if (files_.is_busy())
    services_.log.error("stopping before a recording is written", {{"directory", files_.directory()}});
  finish_timer_.stop();
  is_finished_ = true;
  finished_();
}

void Hindsight::add(const LineBatch& batch) {
  ring_.add(batch, services_.clock.steady());
  files_.look();
}

void Hindsight::save(std::string_view reason) {
  services_.log.info("hindsight", {{"reason", reason}});
  if (is_finished_) return services_.log.error("recording not written", {{"reason", "the agent stops"}});
  if (Status begun = files_.write(ring_.recording(), services_.clock.wall()); !begun)
    services_.log.error("recording not written", {{"reason", begun.error().message}});
}

}  // namespace statmill
