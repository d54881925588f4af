// DemoSenders: what the demo's server gets by its other doors: programs at the line, statsd, Graphite and
// HTTP ports, senders whose lines are refused, and people who mark events and save dashboards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "server/demo/demo_documents.h"
#include "server/demo/demo_world.h"
#include "server/demo/loopback.h"

namespace statmill {

// Confined to one thread.
class DemoSenders {
 public:
  struct Ports {  // those with an empty host are not used
    Endpoint line;
    Endpoint graphite;
    Endpoint statsd;
    Endpoint http;
    std::string admin = {};  // the path of the admin socket
  };
  // `world` must outlive it.
  DemoSenders(const DemoWorld& world, Ports ports);

  // Sends what is due. Call it some times a second. Requires: `now` does not decrease.
  void tick(Timestamp now, SteadyTime steady);

 private:
  void send_programs(int64_t slot_begin_s);
  void send_events(int64_t time_s);
  void send_odd_names();
  void send_late(int64_t now_s);
  void send_refused();
  void post(std::string_view lines);
  void request(LoopbackStream& stream, const DemoRequest& request);
  void rename(SteadyTime steady);
  void send_line(LoopbackStream& stream, size_t sender, const Endpoint& to, std::string_view lines);

  static constexpr Duration kRefusedInterval = std::chrono::milliseconds(500);
  // Events have the time of receipt, so what is later than this is left out.
  static constexpr Duration kCatchUpMax = std::chrono::seconds(5);
  static constexpr int64_t kLateInterval = 60;
  static constexpr int64_t kLateBy = 7200;
  static constexpr size_t kUsersAtOnce = 25;
  static constexpr Duration kRenameInterval = std::chrono::seconds(1);

  const DemoWorld& world_;
  const Ports ports_;
  LoopbackStream programs_;
  LoopbackStream odd_;
  LoopbackStream bad_;
  LoopbackStream users_;
  LoopbackStream http_;
  std::string http_answers_;
  LoopbackStream events_;
  LoopbackStream dashboards_;
  LoopbackStream admin_;
  std::string admin_answers_;
  bool is_renamed_ = false;
  SteadyTime next_rename_{};
  int64_t next_slot_s_;
  Timestamp next_events_;
  int64_t next_late_s_;
  SteadyTime next_refused_{};
  uint64_t refused_rounds_ = 0;
  size_t user_ = 0;
};

}  // namespace statmill
