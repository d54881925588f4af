// ChaosLink: one connection of a ChaosProxy. It forwards bytes with a delay until its fault occurs.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/text.h"

namespace statmill {

enum class NetworkFault : uint8_t {
  kNone,
  kEnd,         // both sides read the end of the stream
  kReset,       // both sides are reset
  kDeafClient,  // the server's side is reset; the client does not notice, and receives nothing more
  kDeafServer,  // the client's side is reset; the server does not notice, and receives nothing more
  kPause,       // no bytes pass for a while, then all of them
  kFlip,        // one bit is flipped
  kRefusal,     // reset at once
  kCount,       // not a fault: the number of kinds
};

// When a connection fails, and how. A connection has at most one fault.
struct FaultPlan {
  NetworkFault kind = NetworkFault::kNone;
  bool is_upward = true;  // whether `after` counts bytes to the server, not those to the client
  uint64_t after = 0;     // the number of bytes before the fault
  Duration lasts{0};      // the length of a pause or of deafness; deafness ends in a reset
  Duration delay{0};      // of all bytes, even without a fault

  std::string text() const;
};

// Use it only on the thread of its sockets. Lives until all its operations have ended.
class ChaosLink : public std::enable_shared_from_this<ChaosLink> {
 public:
  using Tcp = boost::asio::ip::tcp;

  ChaosLink(Tcp::socket client, const FaultPlan& plan);

  // Connects to the server. If nobody listens there, resets the client.
  void start(const Endpoint& server);
  void reset();

 private:
  using Fault = boost::system::error_code;
  static constexpr Duration kLinger = std::chrono::milliseconds(50);  // between end of stream and close

  struct Flow {
    Flow(Tcp::socket& source, Tcp::socket& sink, bool counts)
        : from(source), to(sink), is_counted(counts), timer(source.get_executor()) {}

    Tcp::socket& from;
    Tcp::socket& to;
    const bool is_counted;
    boost::asio::steady_timer timer;
    std::array<char, 64 * 1024> bytes{};
    uint64_t passed = 0;
  };

  void read(Flow& flow);
  void pass(Flow& flow, size_t size);
  void write(Flow& flow, size_t begin, size_t end);
  void apply_fault(Flow& flow, size_t begin, size_t end);
  void pause(Flow& flow, size_t begin, size_t end);
  void end();
  void deafen(Tcp::socket& notified);
  static void reset(Tcp::socket& socket);

  Tcp::socket client_;
  Tcp::socket server_;
  const FaultPlan plan_;
  bool has_failed_ = false;
  bool is_over_ = false;       // nothing is forwarded any more; what is still read is discarded
  SteadyTime paused_until_{};  // in both directions
  boost::asio::steady_timer timer_;
  Flow up_;
  Flow down_;
};

}  // namespace statmill
