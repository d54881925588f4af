// See line_session.h.
#include "server/ingest/line_session.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace statmill {
namespace {

std::string peer_text(const boost::asio::ip::tcp::socket& socket) {
  boost::system::error_code error;
  const auto peer = socket.remote_endpoint(error);
  return error ? "?" : peer.address().to_string() + ":" + std::to_string(peer.port());
}

}  // namespace

LineSession::LineSession(boost::asio::ip::tcp::socket socket, const Services& services)
    : socket_(std::move(socket)),
      services_(services),
      book_id_(services.book.add(peer_text(socket_), services.clock.wall())),
      parser_(services.dialect.make_parser()) {}

LineSession::~LineSession() { services_.book.remove(book_id_); }

void LineSession::start() {
  boost::system::error_code ignored;  // a socket that cannot do it fails at its first read
  socket_.non_blocking(true, ignored);
  wait();
}

// Waits and then reads, rather than reading ahead: when drain() comes in between, every byte is still in the
// kernel.
void LineSession::wait() {
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_read,
                     [self = shared_from_this()](const boost::system::error_code&) {
                       if (self->open_ && self->read()) self->wait();
                     });
}

bool LineSession::read() {
  const auto space = buffer_.space();
  boost::system::error_code error;
  const size_t bytes = socket_.read_some(boost::asio::buffer(space.data(), space.size()), error);
  if (error == boost::asio::error::would_block) return true;
  if (error) {
    close(last_line_after(error));
    return false;
  }
  take(bytes);
  return true;
}

void LineSession::take(size_t bytes) {
  services_.account.bytes.add(bytes);
  buffer_.commit(bytes, *parser_);
  settle();
}

void LineSession::settle() {
  Batch& batch = parser_->batch();
  for (const Metadata& m : batch.metadata) {
    if (!services_.book.set(book_id_, m.key, m.text)) batch.refuse(Refusal::kMetadataLimit);
  }
  parser_->hand_in(services_.intake, services_.account, services_.clock.wall());
}

void LineSession::drain() {
  if (!open_) return;
  boost::system::error_code error;
  socket_.non_blocking(true, error);
  for (size_t drained = 0; !error && drained < kDrainBytesMax;) {
    const auto space = buffer_.space();
    const size_t bytes = socket_.read_some(boost::asio::buffer(space.data(), space.size()), error);
    if (!error) take(bytes);
    drained += bytes;
  }
  close(last_line_after(error));
}

LastLine LineSession::last_line_after(const boost::system::error_code& error) const {
  const bool ended_by_sender = error == boost::asio::error::eof;
  return ended_by_sender && services_.dialect.traits().end_ends_line ? LastLine::kTake : LastLine::kRefuse;
}

void LineSession::close(LastLine last_line) {
  open_ = false;
  buffer_.end(*parser_, last_line);
  settle();
  boost::system::error_code ignored;  // it is gone either way
  socket_.close(ignored);
}

}  // namespace statmill
