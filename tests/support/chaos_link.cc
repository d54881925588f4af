#include "tests/support/chaos_link.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <string_view>

namespace statmill {

namespace asio = boost::asio;

namespace {

constexpr std::array<std::string_view, static_cast<size_t>(NetworkFault::kCount)> kTexts = {
    "none", "end", "reset", "deaf client", "deaf server", "pause", "flip", "refusal"};

}  // namespace

std::string FaultPlan::text() const {
  std::string out(kTexts[static_cast<size_t>(kind)]);
  if (kind != NetworkFault::kNone && kind != NetworkFault::kRefusal)
    out += " after " + std::to_string(after) + (is_upward ? " bytes up" : " bytes down");
  if (lasts > Duration(0)) out += " for " + std::to_string(lasts.count()) + " ms";
  return out + ", delay " + std::to_string(delay.count()) + " ms";
}

ChaosLink::ChaosLink(Tcp::socket client, const FaultPlan& plan)
    : client_(std::move(client)),
      server_(client_.get_executor()),
      plan_(plan),
      timer_(client_.get_executor()),
      up_(client_, server_, plan.is_upward),
      down_(server_, client_, !plan.is_upward) {}

void ChaosLink::start(const Endpoint& server) {
  if (plan_.kind == NetworkFault::kRefusal) return reset();
  const Tcp::endpoint address(asio::ip::make_address(server.host), server.port);
  server_.async_connect(address, [self = shared_from_this()](const Fault& fault) {
    if (fault || !self->client_.is_open()) return self->reset();
    Fault ignored;  // without it, bytes only arrive later
    self->client_.set_option(Tcp::no_delay(true), ignored);
    self->server_.set_option(Tcp::no_delay(true), ignored);
    self->read(self->up_);
    self->read(self->down_);
  });
}

void ChaosLink::read(Flow& flow) {
  if (!flow.from.is_open()) return;
  flow.from.async_read_some(asio::buffer(flow.bytes),
                            [self = shared_from_this(), &flow](const Fault& fault, size_t size) {
                              if (self->is_over_ || fault == asio::error::operation_aborted) return;
                              if (fault == asio::error::eof) return self->end();
                              if (fault) return self->reset();
                              self->pass(flow, size);
                            });
}

// Forwards the bytes after the delay, or after the pause if that ends later.
void ChaosLink::pass(Flow& flow, size_t size) {
  const SteadyTime now = std::chrono::steady_clock::now();
  flow.timer.expires_at(std::max(now + plan_.delay, paused_until_));
  flow.timer.async_wait([self = shared_from_this(), &flow, size](const Fault& stopped) {
    if (stopped || self->is_over_) return;
    const bool is_now = flow.is_counted && !self->has_failed_ && self->plan_.kind != NetworkFault::kNone &&
                        flow.passed + size > self->plan_.after;
    if (!is_now) return self->write(flow, 0, size);
    self->has_failed_ = true;
    const auto before = static_cast<size_t>(self->plan_.after - flow.passed);
    asio::async_write(flow.to, asio::buffer(flow.bytes.data(), before),
                      [self, &flow, before, size](const Fault& fault, size_t) {
                        if (self->is_over_) return;
                        if (fault) return self->reset();
                        self->apply_fault(flow, before, size);
                      });
  });
}

void ChaosLink::write(Flow& flow, size_t begin, size_t end) {
  asio::async_write(flow.to, asio::buffer(flow.bytes.data() + begin, end - begin),
                    [self = shared_from_this(), &flow, end](const Fault& fault, size_t) {
                      if (self->is_over_) return;
                      if (fault) return self->reset();
                      flow.passed += end;
                      self->read(flow);
                    });
}

// Applies the fault before flow.bytes[begin, end) are forwarded.
void ChaosLink::apply_fault(Flow& flow, size_t begin, size_t end) {
  switch (plan_.kind) {
    case NetworkFault::kEnd:
      return this->end();
    case NetworkFault::kDeafClient:
      return deafen(server_);
    case NetworkFault::kDeafServer:
      return deafen(client_);
    case NetworkFault::kPause:
      return pause(flow, begin, end);
    case NetworkFault::kFlip:
      flow.bytes[begin] = static_cast<char>(flow.bytes[begin] ^ (1 << (plan_.after % 8)));
      return write(flow, begin, end);
    default:
      return reset();
  }
}

void ChaosLink::pause(Flow& flow, size_t begin, size_t end) {
  paused_until_ = std::chrono::steady_clock::now() + plan_.lasts;
  flow.timer.expires_at(paused_until_);
  flow.timer.async_wait([self = shared_from_this(), &flow, begin, end](const Fault& stopped) {
    if (!stopped) self->write(flow, begin, end);
  });
}

// Resets one side now, and the other one when the deafness ends.
void ChaosLink::deafen(Tcp::socket& notified) {
  is_over_ = true;
  reset(notified);
  timer_.expires_after(plan_.lasts);
  timer_.async_wait([self = shared_from_this()](const Fault&) { self->reset(); });
}

// Ends both streams. Closing at once would reset a side with unread bytes.
void ChaosLink::end() {
  is_over_ = true;
  Fault ignored;  // the side may have closed already
  client_.shutdown(Tcp::socket::shutdown_send, ignored);
  server_.shutdown(Tcp::socket::shutdown_send, ignored);
  timer_.expires_after(kLinger);
  timer_.async_wait([self = shared_from_this()](const Fault&) { self->reset(); });
}

void ChaosLink::reset() {
  is_over_ = true;
  up_.timer.cancel();
  down_.timer.cancel();
  timer_.cancel();
  reset(client_);
  reset(server_);
}

void ChaosLink::reset(Tcp::socket& socket) {
  Fault ignored;  // it may be closed already
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

}  // namespace statmill
