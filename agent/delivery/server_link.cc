#include "agent/delivery/server_link.h"

#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "base/check.h"

namespace statmill {

namespace asio = boost::asio;
using WireFault = Wire::Fault;

namespace {

constexpr size_t kReadBytes = 4096;

// If the peer speaks another protocol, OpenSSL's message is about versions, so this adds a hint.
std::string why_no_tls(const WireFault& fault) {
  const bool is_other_protocol =
      fault.category() == asio::error::get_ssl_category() &&
      ERR_GET_REASON(static_cast<unsigned long>(fault.value())) == SSL_R_WRONG_VERSION_NUMBER;
  return "TLS: " + fault.message() + (is_other_protocol ? "; does the server speak TLS?" : "");
}

}  // namespace

ServerLink::ServerLink(const Services& services, Delivery& delivery, ServerLinkOptions options,
                       std::function<void()> progressed)
    : io_(services.io),
      log_(services.log),
      clock_(services.clock),
      names_(services.names),
      delivery_(delivery),
      options_(std::move(options)),
      progressed_(std::move(progressed)),
      backoff_(options_.backoff_min, options_.backoff_max, options_.seed),
      connecting_(io_),
      read_buffer_(kReadBytes),
      timer_(io_) {}

void ServerLink::start() {
  SM_CHECK(is_stopped_);
  is_stopped_ = false;
  backoff_.reset();
  connect();
}

void ServerLink::stop() {
  is_stopped_ = true;
  end("the agent is stopping");
}

void ServerLink::connect() {
  const uint64_t attempt = ++attempt_;
  is_away_ = false;
  timer_.expires_after(kConnectLimit);
  timer_.async_wait([this, self = shared_from_this(), attempt](const WireFault& fault) {
    if (!fault && attempt == attempt_ && !is_connected_) end("no answer in time");
  });
  // An IP address needs no lookup and no thread.
  WireFault not_an_address;
  const asio::ip::address address = asio::ip::make_address(options_.server.host, not_an_address);
  if (!not_an_address) return connect_to({Tcp::endpoint(address, options_.server.port)});
  lookup_ = names_.start(options_.server.host, std::to_string(options_.server.port),
                         [this, attempt](const Result<NameLookups::Addresses>& found) {
                           if (attempt != attempt_) return;
                           found ? connect_to(*found) : end(found.error().message);
                         });
}

void ServerLink::connect_to(const NameLookups::Addresses& addresses) {
  asio::async_connect(
      connecting_, addresses,
      [this, self = shared_from_this(), attempt = attempt_](const WireFault& fault, const Tcp::endpoint&) {
        if (attempt != attempt_) return;
        if (fault) return end(fault.message());
        handshake(std::exchange(connecting_, Tcp::socket(io_)));
      });
}

void ServerLink::handshake(Tcp::socket socket) {
  // Failures of these calls do not matter: the connection works without them, and notices its end later.
  WireFault ignored;
  socket.non_blocking(true, ignored);
  socket.set_option(Tcp::no_delay(true), ignored);
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMsMax,
               sizeof(kUnacknowledgedMsMax));
  wire_ = std::make_shared<Wire>(std::move(socket), options_.tls);
  const std::string& name = options_.tls_name.empty() ? options_.server.host : options_.tls_name;
  wire_->connect(name,
                 [this, self = shared_from_this(), wire = wire_, attempt = attempt_](const WireFault& fault) {
                   if (attempt != attempt_) return;
                   if (fault) return end(why_no_tls(fault));
                   begin();
                 });
}

void ServerLink::begin() {
  is_connected_ = true;
  connected_at_ = clock_.steady();
  ++connections_;
  delivery_.connected(now());
  read();
  pump();
}

void ServerLink::end(const std::string& reason) {
  ++attempt_;
  const bool was_welcome = is_welcome();
  WireFault ignored;
  lookup_.reset();
  connecting_.close(ignored);
  timer_.cancel();
  if (wire_) wire_->close();
  wire_.reset();
  is_writing_ = false;
  // The backoff is only reset after a connection that lasted: a server that accepts and closes at once is
  // treated like one that is away.
  const bool lasted = was_welcome && clock_.steady() - connected_at_ >= options_.backoff_max;
  if (lasted) backoff_.reset();
  if (std::exchange(is_connected_, false)) delivery_.disconnected();
  is_away_ = true;
  if (is_stopped_) return;
  if (logged_reason_ != reason) {
    logged_reason_ = reason;
    warn("server away", {{"server", options_.server.text()}, {"reason", reason}});
  }
  timer_.expires_after(backoff_.next());
  timer_.async_wait([this, self = shared_from_this(), attempt = attempt_](const WireFault& fault) {
    if (!fault && attempt == attempt_) connect();
  });
  progressed_();
}

void ServerLink::read() {
  wire_->read(read_buffer_, [this, self = shared_from_this(), wire = wire_, attempt = attempt_](
                                const WireFault& fault, std::string_view bytes) {
    if (attempt != attempt_) return;
    const bool was_welcome = is_welcome();
    if (!fault) delivery_.receive(bytes, now());
    if (!was_welcome && is_welcome()) log_welcome();
    log_refused();
    if (Status s = delivery_.check(clock_.steady()); !s) return end(s.error().message);
    if (fault) return end(why_it_ended(fault));
    read();
    pump();
    progressed_();
  });
}

void ServerLink::warn(std::string_view message, std::initializer_list<LogField> fields) {
  if (options_.limiter != nullptr && options_.limiter->admit(clock_.steady()) < 0) return;
  log_.warn(message, fields);
}

void ServerLink::log_welcome() {
  logged_reason_.clear();
  const std::initializer_list<LogField> fields{{"server", options_.server.text()},
                                               {"acknowledged", delivery_.acknowledged().position.seq},
                                               {"backlog_batches", delivery_.backlog_batches()}};
  options_.limiter != nullptr ? log_.debug("server connected", fields)
                              : log_.info("server connected", fields);
  const Duration ahead = delivery_.clock_ahead().value_or(Duration(0));
  const bool differs = std::chrono::abs(ahead) > kClockAheadMax;
  if (differs && !is_clock_logged_) {
    warn("the clocks of this host and of the server differ; is one of them wrong?",
         {{"server", options_.server.text()}, {"ahead_ms", ahead.count()}});
  }
  is_clock_logged_ = differs;
}

void ServerLink::log_refused() {
  const uint64_t refused = delivery_.stats().lines_refused;
  if (refused == logged_refused_ || refused_log_.admit(clock_.steady()) < 0) return;
  warn("the server refuses lines: too old, too new or malformed; it counts them by reason",
       {{"server", options_.server.text()}, {"lines", refused - logged_refused_}});
  logged_refused_ = refused;
}

// A TLS server that receives anything else closes the connection without an answer.
std::string ServerLink::why_it_ended(const WireFault& fault) const {
  if (is_welcome() || options_.tls != nullptr) return fault.message();
  return fault.message() + ", before it answered the hello; does it want TLS?";
}

void ServerLink::pump() {
  if (!is_connected_ || is_writing_) return arm_deadline();
  const auto output = delivery_.output(now());
  if (!output) return end(output.error().message);
  if (output->empty()) return arm_deadline();
  is_writing_ = true;
  wire_->write(*output, [this, self = shared_from_this(), wire = wire_, attempt = attempt_,
                         bytes = output->size()](const WireFault& fault) {
    if (attempt != attempt_) return;
    is_writing_ = false;
    if (fault) return end(fault.message());
    delivery_.consume_output(bytes);
    pump();
  });
  arm_deadline();
}

// Sets the timer for the delivery's deadline.
void ServerLink::arm_deadline() {
  if (!is_connected_) return;
  const auto deadline = delivery_.deadline();
  if (!deadline) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(*deadline);
  timer_.async_wait([this, self = shared_from_this(), attempt = attempt_](const WireFault& fault) {
    if (fault || attempt != attempt_) return;
    if (Status s = delivery_.check(clock_.steady()); !s) return end(s.error().message);
    arm_deadline();
  });
}

}  // namespace statmill
