// Relay: the agent's ports for the lines of its host's programs, the same as a server's, and what gathers
// them on the way to the server.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "agent/relay/relay_options.h"
#include "agent/relay/relay_sink.h"
#include "base/net/repeating_timer.h"
#include "ingest/line_listener.h"

namespace statmill {

// Confined to the thread that runs the io_context; its listeners have threads of their own.
class Relay {
 public:
  struct Services {  // all must outlive it
    boost::asio::io_context& io;
    Registry& registry;
    const Clock& clock;
    Log& log;
    Watchdog* watchdog = nullptr;  // null: nobody watches its ports' loops
  };
  // `hand_over` gets what has been gathered, once a second and in stop(), on the io_context's thread.
  Relay(RelayOptions options, const Services& services, RelaySink::HandOver hand_over);

  // Opens the ports. Errors: LineListener's.
  Status open();
  struct Ports {  // no host: off
    Endpoint line;
    Endpoint graphite;
    Endpoint statsd;
  };
  const Ports& ports() const { return ports_; }  // that open() has opened
  // Takes what the kernel has, closes the ports and hands over everything. Called once at most.
  void stop();

  // Of all ports since the start.
  uint64_t samples_received() const { return count("statmill.samples_received"); }
  uint64_t samples_refused() const { return count("statmill.samples_refused"); }

 private:
  Status open(std::unique_ptr<Dialect> dialect, const LineOptions& options, Endpoint& port);
  void take();
  void take_soon();
  uint64_t count(std::string_view path) const;

  const RelayOptions options_;
  const Services services_;
  const RelaySink::HandOver hand_over_;
  RelaySink sink_;
  Intake intake_;
  ConnectionRegistry connections_;
  RepeatingTimer timer_;
  std::vector<std::unique_ptr<LineListener>> listeners_;
  Ports ports_;
};

}  // namespace statmill
