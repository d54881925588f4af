// ServerLink: the connection of one Delivery: finds the server, connects, in TLS or plain, and comes back
// after each end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/backoff.h"
#include "agent/delivery/delivery.h"
#include "base/log.h"
#include "base/net/wire.h"
#include "base/text.h"

namespace statmill {

struct ServerLinkOptions {
  Endpoint server;
  boost::asio::ssl::context* tls = nullptr;  // null: plain; must outlive the link
  std::string tls_name{};                    // that the certificate is for; empty: server.host
  Duration backoff_min{250};
  Duration backoff_max{10'000};
  uint64_t seed = 0;  // of the backoff's jitter
};

// Confined to the thread that runs the io_context, which is the spool's. No call blocks, but for the spool's
// own reads. Handlers refer to the link: destroy it only when the io_context runs no more, before the
// io_context.
class ServerLink {
 public:
  static constexpr Duration kConnectLimit{10'000};     // TLS's greeting included
  static constexpr int kUnacknowledgedMsMax = 15'000;  // after which the kernel declares the peer dead

  // Beyond, a difference of the clocks is logged.
  static constexpr Duration kClockAheadMax{5'000};

  // `progressed`: called when the server has said something, or is gone.
  ServerLink(boost::asio::io_context& io, Log& log, const Clock& clock, Delivery& delivery,
             ServerLinkOptions options, std::function<void()> progressed);

  // Begins to connect. Requires: not called before.
  void start();
  // More may be durable in the spool.
  void pump();
  // Ends the connection, and begins no other.
  void stop();

  bool is_welcome() const { return is_connected_ && delivery_.is_welcome(); }
  // The last attempt has failed, and the next one is not due yet.
  bool is_away() const { return is_away_; }
  // Connections after the first.
  uint64_t reconnects() const { return connections_ > 0 ? connections_ - 1 : 0; }
  // A name is being looked up, in a thread that destroying the link waits for.
  bool resolving() const { return resolving_; }

 private:
  using Tcp = boost::asio::ip::tcp;

  void connect();
  void connect_to(const Tcp::resolver::results_type& endpoints);
  void greet(Tcp::socket socket);
  void begin();
  void end(const std::string& reason);
  void read();
  std::string why_it_ended(const boost::system::error_code& fault) const;
  void watch();
  void tell_welcome();
  void tell_refused();
  Moment now() const { return {clock_.wall(), clock_.steady()}; }

  boost::asio::io_context& io_;
  Log& log_;
  const Clock& clock_;
  Delivery& delivery_;
  const ServerLinkOptions options_;
  const std::function<void()> progressed_;
  Backoff backoff_;
  Tcp::resolver resolver_;
  Tcp::socket connecting_;
  std::shared_ptr<Wire> wire_;       // kept by its handlers, too; null: none
  std::vector<char> room_;           // for what the server answers
  boost::asio::steady_timer timer_;  // connect limit, then the delivery's deadline, then backoff
  uint64_t attempt_ = 0;             // handlers of an earlier attempt do nothing
  bool is_connected_ = false;
  bool is_writing_ = false;
  bool is_away_ = false;
  bool is_stopped_ = false;
  bool resolving_ = false;
  std::string told_;  // why the server is away, as logged: one line for each new reason, not one per attempt
  bool has_told_clock_ = false;  // that it differs, since it last did not
  uint64_t told_refused_ = 0;    // lines, as logged
  LogLimiter refused_log_{std::chrono::seconds(60)};
  uint64_t connections_ = 0;
  SteadyTime connected_at_{};
};

}  // namespace statmill
