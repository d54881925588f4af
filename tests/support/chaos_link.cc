#include "tests/support/chaos_link.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <string_view>

namespace statmill {

namespace asio = boost::asio;

namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Mishap::kCount_)> kTexts = {
    "none", "end", "reset", "deaf client", "deaf server", "pause", "flip", "refusal"};

}  // namespace

std::string Fate::text() const {
  std::string out(kTexts[static_cast<size_t>(mishap)]);
  if (mishap != Mishap::kNone && mishap != Mishap::kRefusal)
    out += " after " + std::to_string(after) + (is_upward ? " bytes up" : " bytes down");
  if (lasts > Duration(0)) out += " for " + std::to_string(lasts.count()) + " ms";
  return out + ", delay " + std::to_string(delay.count()) + " ms";
}

ChaosLink::ChaosLink(Tcp::socket client, const Fate& fate)
    : client_(std::move(client)),
      server_(client_.get_executor()),
      fate_(fate),
      timer_(client_.get_executor()),
      up_(client_, server_, fate.is_upward),
      down_(server_, client_, !fate.is_upward) {}

void ChaosLink::start(const Endpoint& server) {
  if (fate_.mishap == Mishap::kRefusal) return reset();
  const Tcp::endpoint address(asio::ip::make_address(server.host), server.port);
  server_.async_connect(address, [self = shared_from_this()](const Fault& fault) {
    if (fault || !self->client_.is_open()) return self->reset();
    Fault ignored;  // bytes that wait for others only come later
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

// After the delay, or the pause if that is longer.
void ChaosLink::pass(Flow& flow, size_t size) {
  const SteadyTime now = std::chrono::steady_clock::now();
  flow.timer.expires_at(std::max(now + fate_.delay, paused_until_));
  flow.timer.async_wait([self = shared_from_this(), &flow, size](const Fault& stopped) {
    if (stopped || self->is_over_) return;
    const bool is_now = flow.is_fated && !self->has_befallen_ && self->fate_.mishap != Mishap::kNone &&
                        flow.passed + size > self->fate_.after;
    if (!is_now) return self->write(flow, 0, size);
    self->has_befallen_ = true;
    const auto before = static_cast<size_t>(self->fate_.after - flow.passed);
    asio::async_write(flow.to, asio::buffer(flow.bytes.data(), before),
                      [self, &flow, before, size](const Fault& fault, size_t) {
                        if (self->is_over_) return;
                        if (fault) return self->reset();
                        self->befall(flow, before, size);
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

// bytes[begin, end) are next.
void ChaosLink::befall(Flow& flow, size_t begin, size_t end) {
  switch (fate_.mishap) {
    case Mishap::kEnd:
      return this->end();
    case Mishap::kDeafClient:
      return deafen(server_);
    case Mishap::kDeafServer:
      return deafen(client_);
    case Mishap::kPause:
      return pause(flow, begin, end);
    case Mishap::kFlip:
      flow.bytes[begin] = static_cast<char>(flow.bytes[begin] ^ (1 << (fate_.after % 8)));
      return write(flow, begin, end);
    default:
      return reset();
  }
}

void ChaosLink::pause(Flow& flow, size_t begin, size_t end) {
  paused_until_ = std::chrono::steady_clock::now() + fate_.lasts;
  flow.timer.expires_at(paused_until_);
  flow.timer.async_wait([self = shared_from_this(), &flow, begin, end](const Fault& stopped) {
    if (!stopped) self->write(flow, begin, end);
  });
}

// One side learns of it now, the other when it is over.
void ChaosLink::deafen(Tcp::socket& told) {
  is_over_ = true;
  reset(told);
  timer_.expires_after(fate_.lasts);
  timer_.async_wait([self = shared_from_this()](const Fault&) { self->reset(); });
}

// Both sides read the end; a close at once would be a reset where bytes are unread.
void ChaosLink::end() {
  is_over_ = true;
  Fault ignored;  // of a side that is gone
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
  Fault ignored;  // it is closed already
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

}  // namespace statmill
