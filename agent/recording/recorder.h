// Recorder: the agent as a program that records this host into one file and sends nothing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/config.h"
#include "agent/recording/fast_sampler.h"
#include "agent/recording/recording_writer.h"
#include "agent/sampler.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/net/repeating_timer.h"

namespace statmill {

// Confined to one thread. It waits for the disk, since it has nothing else to do: what a slow disk delays is
// in the next collection.
class Recorder {
 public:
  // `log` and `clock` must outlive it.
  Recorder(const AgentConfig& config, Log& log, const Clock& clock);

  // Records until config.record.length has passed or a signal ends it, and then completes the file. Requires:
  // prepare_service() was called before the recorder was constructed. Returns nullopt on success.
  std::optional<Fault> run();

 private:
  std::optional<Error> open();
  void write(std::string_view bytes);
  void show_progress(std::string_view end);
  void stop() { loop_.stop(); }

  const AgentConfig config_;
  Log& log_;
  const Clock& clock_;
  Descriptor file_;
  boost::asio::io_context loop_{1};
  Sampler sampler_;
  std::optional<FastSampler> fast_sampler_;
  RecordingWriter writer_;
  RepeatingTimer timer_;
  RepeatingTimer fast_timer_;
  RepeatingTimer progress_timer_;
  boost::asio::steady_timer deadline_;
  SteadyTime begin_{};
  uint64_t bytes_ = 0;
  std::optional<Error> failure_;  // of the first write that failed; then it stops
};

}  // namespace statmill
