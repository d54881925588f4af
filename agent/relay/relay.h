// Relay: the agent's ports for lines from programs of this host. They accept what a server's ports accept,
// and aggregate it on the way to the server.
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

// Confined to the thread that runs the io_context. Its listeners have threads of their own.
class Relay {
 public:
  struct Services {  // all must outlive the relay
    boost::asio::io_context& io;
    Registry& registry;
    const Clock& clock;
    Log& log;
    Watchdog* watchdog = nullptr;  // null: the listeners' loops are not watched
  };
  // `batch_sink` gets the aggregated lines once a second and in stop(), on the io_context's thread.
  Relay(RelayOptions options, const Services& services, RelaySink::BatchSink batch_sink);

  // Opens the ports. Errors: those of LineListener.
  Status open();
  struct Ports {  // an empty host: off
    Endpoint line;
    Endpoint graphite;
    Endpoint pickle;
    Endpoint statsd;
  };
  const Ports& ports() const { return ports_; }  // as opened by open()
  // Reads what the kernel has buffered, closes the ports and hands everything over. Call at most once.
  void stop();

  // Sums over all ports since the start.
  uint64_t samples_received() const { return count("statmill.samples_received"); }
  uint64_t samples_refused() const { return count("statmill.samples_refused"); }

 private:
  Status open(std::unique_ptr<Dialect> dialect, const LineOptions& options, Endpoint& port);
  void drain();
  void drain_soon();
  uint64_t count(std::string_view path) const;

  const RelayOptions options_;
  const Services services_;
  const RelaySink::BatchSink batch_sink_;
  RelaySink sink_;
  Intake intake_;
  ConnectionRegistry connections_;
  RepeatingTimer timer_;
  std::vector<std::unique_ptr<LineListener>> listeners_;
  Ports ports_;
};

}  // namespace statmill
