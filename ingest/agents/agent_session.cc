#include "ingest/agents/agent_session.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/running.h"

namespace statmill {
namespace {

std::string reason_of(const Wire::Fault& fault) {
  return fault == boost::asio::error::eof ? "it closed the connection" : fault.message();
}

}  // namespace

AgentSession::AgentSession(Wire wire, const LineSender& peer, AgentBuffers& buffers, const Services& services)
    : wire_(std::move(wire)),
      peer_(peer.text()),
      buffers_(buffers),
      services_(services),
      stream_(services.stream, peer),
      deadline_timer_(wire_.socket().get_executor()),
      room_timer_(wire_.socket().get_executor()),
      accepted_(services.clock.steady()),
      last_read_(accepted_) {}

AgentSession::~AgentSession() {
  if (!stream_.has_opened()) services_.handshake_failures.add();
}

void AgentSession::start() {
  boost::system::error_code ignored;  // a socket that fails here also fails at its first read
  wire_.socket().non_blocking(true, ignored);
  wire_.socket().set_option(Wire::Tcp::no_delay(true), ignored);
  stream_.set_observer(weak_from_this());
  watch_deadline();
  wire_.accept([self = shared_from_this()](const Wire::Fault& fault) {
    if (fault) {
      if (self->is_open_) self->services_.handshake_log.failed(self->peer_, fault);
      return self->close({});
    }
    self->read();
  });
}

// A read does not move the timer: when it fires, it looks when the last read was. It does not keep the
// session alive.
void AgentSession::watch_deadline() {
  const auto time = deadline();
  if (!time) return;
  deadline_timer_.expires_after(*time - services_.clock.steady());
  deadline_timer_.async_wait([weak = weak_from_this()](const Wire::Fault& fault) {
    const auto self = weak.lock();
    if (!fault && self && self->is_open_) self->close_if_late();
  });
}

void AgentSession::close_if_late() {
  if (const auto time = deadline(); !time || services_.clock.steady() < *time) return watch_deadline();
  services_.idle.add();
  close("it was silent for too long");
}

// Bytes do not move the deadline of the hello: a stranger could send one now and then.
std::optional<SteadyTime> AgentSession::deadline() const {
  if (!stream_.has_opened()) return accepted_ + services_.hello_timeout;
  if (services_.idle_timeout <= Duration(0)) return std::nullopt;
  return last_read_ + services_.idle_timeout;
}

void AgentSession::read() {
  if (!is_open_) return;
  const std::span<char> room = std::span(buffers_.bytes).last(AgentBuffers::kReadBytes);
  wire_.read(room, [self = shared_from_this()](const Wire::Fault& fault, std::string_view bytes) {
    if (!self->is_open_) return;
    if (fault) return self->close(reason_of(fault));
    self->last_read_ = self->services_.clock.steady();
    self->services_.bytes.add(bytes.size());
    self->process(bytes);
  });
}

// Copies the unread bytes to just before those that were read, so that frames are parsed in place. What was
// read is copied only if TLS decrypted it elsewhere.
void AgentSession::process(std::string_view bytes) {
  const Running running("batches of an agent");
  char* const room = buffers_.bytes.data() + (buffers_.bytes.size() - AgentBuffers::kReadBytes);
  if (bytes.data() != room) std::copy(bytes.begin(), bytes.end(), room);
  const std::string_view unread = unread_.text();
  char* const begin = room - unread.size();
  std::copy(unread.begin(), unread.end(), begin);
  const std::string_view all(begin, unread.size() + bytes.size());
  const bool had_opened = stream_.has_opened();
  unread_.assign(all.substr(stream_.receive(all, now())));
  if (stream_.has_opened() != had_opened) {
    services_.log.connected(stream_.visitor(), peer_);
    watch_deadline();  // a different limit applies from now on
  }
  proceed();
}

void AgentSession::process_unread() {
  unread_.drop(stream_.receive(unread_.text(), now()));
  proceed();
}

void AgentSession::proceed() {
  write();
  if (stream_.waits_for_room()) return wait_for_room();
  if (!stream_.is_over()) read();
}

// Nothing is read until then, so the socket's buffers fill and the agent waits.
void AgentSession::wait_for_room() {
  last_read_ = services_.clock.steady();
  room_timer_.expires_after(services_.room_poll);
  room_timer_.async_wait([self = shared_from_this()](const Wire::Fault& fault) {
    if (!fault && self->is_open_) self->process_unread();
  });
}

void AgentSession::write() {
  if (!is_open_ || !writing_.empty()) return;
  writing_ = stream_.pop_output();
  if (writing_.empty()) {
    if (stream_.is_over()) close({});
    return;
  }
  wire_.write(writing_, [self = shared_from_this()](const Wire::Fault& fault) {
    self->writing_.clear();
    if (fault) return self->close(reason_of(fault));
    self->write();
  });
}

void AgentSession::on_durable(AckFrame ack) {
  boost::asio::post(wire_.socket().get_executor(), [self = shared_from_this(), ack] {
    self->stream_.on_durable(ack);
    self->write();
  });
}

void AgentSession::on_ended(RefuseReason reason) {
  boost::asio::post(wire_.socket().get_executor(), [self = shared_from_this(), reason] {
    self->stream_.refuse(reason);
    self->write();
  });
}

void AgentSession::stop() {
  if (!is_open_) return;  // a timer would only keep the thread from ending
  is_stopping_ = true;
  stream_.refuse(RefuseReason::kStopping, "the server is stopping");
  room_timer_.expires_after(kStopTimeout);
  room_timer_.async_wait([self = shared_from_this()](const Wire::Fault& fault) {
    if (!fault) self->close({});
  });
  write();
}

void AgentSession::close(std::string_view why) {
  if (!std::exchange(is_open_, false)) return;
  if (!is_stopping_) write_log(why);
  deadline_timer_.cancel();
  room_timer_.cancel();
  stream_.close();
  wire_.close();
}

// A stranger that leaves without a hello has no line.
void AgentSession::write_log(std::string_view why) {
  const AgentLog::Visitor& agent = stream_.visitor();
  const auto& refusal = stream_.refusal();
  if (refusal) services_.log.refused(agent, peer_, {refusal->first, refusal->second});
  if (!stream_.has_opened()) return;
  const Duration stayed = std::chrono::duration_cast<Duration>(services_.clock.steady() - accepted_);
  services_.log.left(agent, peer_, refusal ? "refused" : why, stayed);
}

}  // namespace statmill
