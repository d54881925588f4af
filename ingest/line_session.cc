#include "ingest/line_session.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "base/running.h"
#include "base/stage.h"
#include "ingest/foreign_stream.h"
#include "ingest/http_request_line.h"

namespace statmill {
LineSession::LineSession(Socket socket, const LineSender& sender, TlsContext* tls, ReadBuffers& buffers,
                         const Services& services)
    : socket_(std::move(socket)),
      tls_(tls == nullptr ? nullptr : std::make_unique<TlsChannel>(*tls, socket_.native_handle())),
      is_shaking_hands_(tls != nullptr),
      timer_(socket_.get_executor()),
      accepted_(services.clock.steady()),
      last_read_(accepted_),
      sender_(sender),
      services_(services),
      connection_id_(services.connection_registry.add(sender_.text(), services.clock.wall())),
      buffers_(buffers),
      stream_(services.connection_registry.unfinished_bytes()) {
  if (services.streams.has_frames())
    frames_.emplace(services.streams, services.connection_registry.unfinished_bytes());
  boost::system::error_code ignored;  // if this fails, so does the first read
  socket_.non_blocking(true, ignored);
}

LineSession::~LineSession() { services_.connection_registry.remove(connection_id_); }

void LineSession::start() {
  wait();
  watch();
}

// Reads do not move the timer: when it fires, it checks the time of the last
// read. It does not keep the session alive.
void LineSession::watch() {
  const auto time = deadline();
  if (!time) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(*time - services_.clock.steady());
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!error && self && self->open_) self->close_if_late();
  });
}

std::optional<SteadyTime> LineSession::deadline() const {
  if (is_shaking_hands_) return accepted_ + services_.handshake_timeout;
  if (services_.idle_timeout <= Duration(0)) return std::nullopt;
  return last_read_ + services_.idle_timeout;
}

void LineSession::close_if_late() {
  const auto time = deadline();
  if (!time || services_.clock.steady() < *time) return watch();
  (is_shaking_hands_ ? services_.handshake_failures : services_.idle_closed).add();
  drain();
}

// Waits first, then reads, so that at a drain() in between all bytes are still in the kernel.
void LineSession::wait() {
  auto next = [self = shared_from_this()](const boost::system::error_code&) {
    if (self->open_ && self->read()) self->wait();
  };
  if (std::exchange(has_more_, false)) return boost::asio::post(socket_.get_executor(), [next] { next({}); });
  socket_.async_wait(std::exchange(waits_to_write_, false) ? Socket::wait_write : Socket::wait_read,
                     std::move(next));
}

bool LineSession::read() {
  const Running running("lines of a connection");
  if (is_shaking_hands_) {
    if (!handshake()) return false;
    if (is_shaking_hands_) return true;
  }
  const Piece piece = read_piece();
  if (piece.error == boost::asio::error::would_block) return true;
  if (piece.error) {
    close(last_line_after(piece.error));
    return false;
  }
  has_more_ = tls_ && tls_->holds_bytes();
  return parse(piece.bytes);
}

LineSession::Piece LineSession::read_piece() {
  const auto space = buffers_.lines.space();
  Piece piece;
  if (!tls_) {
    piece.bytes = socket_.read_some(boost::asio::buffer(space.data(), space.size()), piece.error);
    return piece;
  }
  const TlsChannel::Outcome outcome = tls_->read(space);
  waits_to_write_ = outcome.state == TlsChannel::State::kWaitWrite;
  const bool waits = outcome.state == TlsChannel::State::kWaitRead || waits_to_write_;
  return {outcome.bytes, waits ? boost::asio::error::would_block : outcome.fault};
}

bool LineSession::handshake() {
  const TlsChannel::Outcome outcome = tls_->handshake();
  if (outcome.state == TlsChannel::State::kFailed) {
    services_.handshake_failures.add();
    services_.handshake_log.failed(sender_.text(), outcome.fault);
    close(LastLine::kRefuse);
    return false;
  }
  waits_to_write_ = outcome.state == TlsChannel::State::kWaitWrite;
  if (outcome.state != TlsChannel::State::kDone) return true;
  is_shaking_hands_ = false;
  watch();  // another limit applies from now on
  return true;
}

bool LineSession::parse(size_t bytes) {
  const InStage stage(Stage::kParse);
  last_read_ = services_.clock.steady();
  services_.account.bytes.add(bytes);
  buffers_.parser->batch().set_sender(sender_);
  const std::string_view fresh(buffers_.lines.space().data(), bytes);
  return frames_ ? parse_frames(fresh) : parse_lines(fresh);
}

bool LineSession::parse_lines(std::string_view fresh) {
  if (!is_first_line_seen_) {
    const std::string beginning = std::string(stream_.unfinished.text().substr(0, kForeignBytes)) +
                                  std::string(fresh.substr(0, kForeignBytes));
    if (may_become_foreign(beginning)) {
      stream_.unfinished.append(fresh);  // so few bytes always have room
      return true;
    }
    if (const std::string_view what = foreign_to_lines(beginning); !what.empty()) {
      buffers_.parser->batch().refuse(Refusal::kWrongProtocol, what);
      stream_.unfinished.clear();
      close_foreign(what);
      return false;
    }
    if (begins_with_http(fresh)) {
      close_http();
      return false;
    }
  }
  buffers_.lines.commit(fresh.size(), stream_, *buffers_.parser);
  submit();
  return true;
}

bool LineSession::parse_frames(std::string_view fresh) {
  Batch& batch = buffers_.parser->batch();
  while (true) {
    const FrameCutter::Found found = frames_->next(fresh);
    std::string_view foreign;
    switch (found.state) {
      case FrameCutter::State::kNeedsMore:
        return true;
      case FrameCutter::State::kWhole:
        buffers_.parser->parse(found.bytes);
        foreign = buffers_.parser->fault();
        break;
      case FrameCutter::State::kNoRoom:
        batch.refuse(Refusal::kMemoryLimit, found.bytes);
        break;
      case FrameCutter::State::kTooLong:
        foreign = foreign_to_frames(found.bytes);
        batch.refuse(foreign.empty() ? Refusal::kLineTooLong : Refusal::kWrongProtocol, found.bytes);
        if (foreign.empty()) foreign = "a frame over the limit";
        break;
    }
    submit();
    if (foreign.empty()) continue;
    close_foreign(foreign);
    return false;
  }
}

// Returns true if the first line of the stream, which `fresh` continues, is a request line. Sets
// is_first_line_seen_ once that line is whole or too long.
bool LineSession::begins_with_http(std::string_view fresh) {
  const size_t end = fresh.find('\n');
  const bool is_whole = end != std::string_view::npos;
  if (!is_whole && stream_.unfinished.text().size() + fresh.size() <= kLineBytesMax) return false;
  is_first_line_seen_ = true;
  const std::string line = std::string(stream_.unfinished.text()) + std::string(fresh.substr(0, end));
  return is_whole ? is_http_request_line(line) : begins_http_request_line(line);
}

void LineSession::close_http() {
  services_.http_closed.add();
  if (const int64_t held_back = services_.http_log.admit(last_read_); held_back >= 0) {
    services_.log.warn("HTTP request at a port for lines; connection closed",
                       {{"setting", services_.dialect.traits().setting},
                        {"sender", sender_.text()},
                        {"held_back", held_back}});
  }
  stream_.unfinished.clear();  // the beginning of the request line is not a line
  close(LastLine::kRefuse);
}

void LineSession::close_foreign(std::string_view what) {
  services_.foreign_closed.add();
  if (const int64_t held_back = services_.foreign_log.admit(last_read_); held_back >= 0) {
    services_.log.warn("what a sender sends is not for this port; connection closed",
                       {{"setting", services_.dialect.traits().setting},
                        {"sender", sender_.text()},
                        {"what", what},
                        {"held_back", held_back}});
  }
  if (frames_) frames_->clear();
  close(LastLine::kRefuse);
}

void LineSession::submit() {
  Batch& batch = buffers_.parser->batch();
  for (const Metadata& m : batch.metadata) {
    if (!services_.connection_registry.set(connection_id_, m.key, m.text))
      batch.refuse(Refusal::kMetadataLimit, m.key);
  }
  buffers_.parser->submit(services_.intake, services_.account, services_.clock.wall());
}

void LineSession::drain() {
  if (!open_) return;
  // The end of the handshake may be in the kernel, with lines after it.
  if (is_shaking_hands_ && !handshake()) return;
  if (is_shaking_hands_) return close(LastLine::kRefuse);
  Piece piece;
  for (size_t drained = 0; !piece.error && drained < kDrainBytesMax; drained += piece.bytes) {
    piece = read_piece();
    if (!piece.error && !parse(piece.bytes)) return;
  }
  close(last_line_after(piece.error));
}

LastLine LineSession::last_line_after(const boost::system::error_code& error) const {
  const bool ended_by_sender = error == boost::asio::error::eof;
  return ended_by_sender && services_.dialect.traits().end_ends_line ? LastLine::kAccept : LastLine::kRefuse;
}

void LineSession::close(LastLine last_line) {
  open_ = false;
  buffers_.parser->batch().set_sender(sender_);
  if (frames_ && frames_->has_unfinished())
    buffers_.parser->batch().refuse(Refusal::kUnterminated, frames_->unfinished());
  LineBuffer::end(stream_, *buffers_.parser, last_line);
  submit();
  boost::system::error_code ignored;  // the socket is closed in any case
  socket_.close(ignored);
}

}  // namespace statmill
