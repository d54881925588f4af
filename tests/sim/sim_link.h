// SimLink: one agent's connection to one server, like ServerLink but without sockets.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/backoff.h"
#include "agent/delivery/delivery.h"
#include "tests/sim/connection.h"
#include "tests/sim/sim_server.h"
#include "tests/sim/stage.h"
#include "tests/support/faulty_spool_directory.h"

namespace statmill::sim {

// Called with each new connection.
using ConnectionWatch = std::function<void(const std::shared_ptr<Connection>&)>;

class SimLink final : public std::enable_shared_from_this<SimLink> {
 public:
  struct Uses {  // all must outlive it
    Stage& stage;
    FaultySpoolDirectory& directory;
    SimServer& server;
    const ConnectionWatch& watch;
    std::function<Timestamp()> wall;  // the agent's clock
    // Called after the delivery has sent or received something. nullopt: no refusal on this connection.
    std::function<void(std::optional<RefuseReason> refused)> progressed;
    std::function<void()> left_before_welcome;  // called when a connection ends before the server welcomed it
  };
  SimLink(const Uses& uses, Spool& spool, DeliveryOptions options);

  void start() { connect(); }
  // Call when more batches may be durable in the spool.
  void pump();
  // The host sleeps for this time, and its connections are lost.
  void sleep(Duration time);
  // The process ends. If silent, the server does not notice.
  void die(bool is_silent);

  const Delivery& delivery() const { return delivery_; }

 private:
  ClockReadings now() const { return {uses_.wall(), uses_.stage.schedule.now()}; }
  void connect();
  void begin();
  void read(std::string_view bytes);
  void note_end();
  void note_refusal(std::string_view bytes);
  void end(const std::string& reason);
  void watch();
  void check_acknowledged();
  void check_gap(std::string_view output);

  const Uses uses_;
  Spool& spool_;
  Delivery delivery_;
  Backoff backoff_;
  std::shared_ptr<Connection> connection_;  // null: none
  uint64_t attempt_ = 0;                    // events of earlier attempts do nothing
  SteadyTime watched_{};                    // when the deadline will be checked
  std::string received_;                    // an incomplete frame
  std::optional<RefuseReason> refused_;     // on this connection
};

}  // namespace statmill::sim
