// DemoAgent: one host of the demo, which sends its samples as an agent does (proto/PROTOCOL.md, "The agent
// stream"): it numbers its batches, keeps them until they are acknowledged and continues where the server is.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "proto/agent/frames.h"
#include "server/demo/demo_world.h"
#include "server/demo/loopback.h"

namespace statmill {

// Confined to one thread.
class DemoAgent {
 public:
  // `world` must outlive it. `number`: of the host in the fleet.
  DemoAgent(const DemoWorld& world, size_t number, Endpoint server);

  // Sends what is due. Call it some times a second. Requires: `now` does not decrease.
  void tick(Timestamp now, SteadyTime steady);

 private:
  struct Kept {
    uint64_t seq = 0;
    std::string frame;
  };
  void lose_lines();
  bool is_away(Timestamp now) const;
  void connect(Timestamp now);
  void receive(Timestamp now);
  void on_frame(const FrameRead& frame, Timestamp now);
  void send_status(Timestamp now);
  // Returns false if there is no room for it.
  bool make_batch(int64_t report_s, Timestamp now);
  // Returns what the agent reports at `report_s`: the second that begins then.
  std::string lines_of(int64_t report_s, uint32_t& lines) const;
  std::vector<DemoSeries> live_jobs(int64_t report_s) const;
  std::vector<CollectorNote> collector_notes() const;

  static constexpr int64_t kReportSeconds = 1;  // between two reports, as real agents have it
  static constexpr size_t kKeptMax = 300;       // batches that wait for the server; further ones are not made
  static constexpr Duration kRetry = std::chrono::seconds(1);

  const DemoWorld& world_;
  const DemoHost& host_;
  const std::string address_;
  const Endpoint server_;
  std::vector<const DemoSeries*> series_;
  Duration clock_ahead_{};  // how far its clock is ahead of the server's
  Duration line_ahead_{};   // its lines are stamped with times so far in the future
  Duration delay_{};        // how late it reports, so that not all hosts send at once
  LoopbackStream stream_;
  std::string received_;
  bool is_welcome_ = false;
  std::optional<SteadyTime> retry_;
  std::optional<SteadyTime> next_status_;
  int64_t next_report_s_ = 0;
  uint64_t seq_ = 0;
  uint64_t lines_ = 0;  // in all batches so far
  std::deque<Kept> kept_;
};

}  // namespace statmill
