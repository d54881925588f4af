// ChaosLink: one connection of a ChaosProxy: passes bytes on, late, until its fate befalls it.
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

enum class Mishap : uint8_t {
  kNone,
  kEnd,         // both sides read the end
  kReset,       // both sides are reset
  kDeafClient,  // the server's side is reset; the client is not told, and hears no more
  kDeafServer,  // the other way round
  kPause,       // nothing passes for a while, then all of it
  kFlip,        // one bit is another
  kRefusal,     // reset at once
  kCount_,      // how many there are; not a mishap
};

// What happens to a connection, once.
struct Fate {
  Mishap mishap = Mishap::kNone;
  bool is_upward = true;  // counts the bytes from client to server; else those from server to client
  uint64_t after = 0;     // so many bytes
  Duration lasts{0};      // of a pause; of deafness, which ends in a reset
  Duration delay{0};      // of all bytes, always

  std::string text() const;
};

// Confined to the thread of its sockets. Lives as long as something is under way.
class ChaosLink : public std::enable_shared_from_this<ChaosLink> {
 public:
  using Tcp = boost::asio::ip::tcp;

  ChaosLink(Tcp::socket client, const Fate& fate);

  // Connects to the server; where nobody listens the client is reset.
  void start(const Endpoint& server);
  void reset();

 private:
  using Fault = boost::system::error_code;
  static constexpr Duration kLinger = std::chrono::milliseconds(50);  // between the end and the close

  struct Flow {
    Flow(Tcp::socket& source, Tcp::socket& sink, bool counts)
        : from(source), to(sink), is_fated(counts), timer(source.get_executor()) {}

    Tcp::socket& from;
    Tcp::socket& to;
    const bool is_fated;
    boost::asio::steady_timer timer;
    std::array<char, 64 * 1024> bytes{};
    uint64_t passed = 0;
  };

  void read(Flow& flow);
  void pass(Flow& flow, size_t size);
  void write(Flow& flow, size_t begin, size_t end);
  void befall(Flow& flow, size_t begin, size_t end);
  void pause(Flow& flow, size_t begin, size_t end);
  void end();
  void deafen(Tcp::socket& told);
  static void reset(Tcp::socket& socket);

  Tcp::socket client_;
  Tcp::socket server_;
  const Fate fate_;
  bool has_befallen_ = false;
  bool is_over_ = false;       // nothing passes any more; what is still read is lost
  SteadyTime paused_until_{};  // both ways
  boost::asio::steady_timer timer_;
  Flow up_;
  Flow down_;
};

}  // namespace statmill
