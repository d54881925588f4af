// Hindsight: keeps the newest past of this host in memory, and writes it to a file when somebody asks, or
// when a trigger fires.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string_view>

#include "agent/batch_builder.h"
#include "agent/config.h"
#include "agent/recording/fast_sampler.h"
#include "agent/recording/recording_files.h"
#include "agent/recording/recording_ring.h"
#include "agent/self_report.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/net/repeating_timer.h"

namespace statmill {

// Confined to the thread that runs the loop.
class Hindsight {
 public:
  struct Services {  // all must outlive it
    boost::asio::io_context& loop;
    Log& log;
    const Clock& clock;
  };
  // Adds its figures to `report`. Requires: config.hindsight.is_on().
  Hindsight(const AgentConfig& config, const Services& services, SelfReport& report);

  // Starts the fast collectors.
  void start();
  void stop();
  // Waits for the files that are being written, for at most `limit`, and logs what has become of them. `done`
  // is called on the loop, at once if there is none. Call it at most once.
  void finish(Duration limit, std::function<void()> done);
  // Returns whether a file is still being written; its disk may hang, and the destructor waits for it.
  bool is_writing() {
    files_.look();
    return files_.is_busy();
  }
  // Adds a collection.
  void add(const LineBatch& batch);
  // Begins to write a file with all that is held. `reason` is for the log.
  void save(std::string_view reason);
  // Returns all that is held, as a recording.
  Recording recording() { return ring_.recording(); }

 private:
  void look_at_the_last();

  const Services services_;
  RecordingRing ring_;
  RecordingFiles files_;
  std::optional<FastSampler> fast_sampler_;
  RepeatingTimer fast_timer_;
  SteadyTime finish_until_{};
  std::function<void()> finished_;
  bool is_finished_ = false;  // nothing waits for further files
  RepeatingTimer finish_timer_;
};

}  // namespace statmill
