// See line_session.h.
#include "server/ingest/line_session.h"

#include <boost/asio/buffer.hpp>

#include "server/ingest/peer.h"

namespace statmill {
namespace {

LineSender peer_of(const boost::asio::ip::tcp::socket& socket) {
  boost::system::error_code gone;  // then it goes by 0.0.0.0
  const auto peer = socket.remote_endpoint(gone);
  return line_sender(peer.address(), peer.port());
}

}  // namespace

LineSession::LineSession(boost::asio::ip::tcp::socket socket, const Services& services)
    : socket_(std::move(socket)),
      services_(services),
      book_id_(services.book.add(peer_of(socket_).text(), services.clock.wall())) {
  batch_.set_sender(peer_of(socket_));
}

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
    close();
    return false;
  }
  take(bytes);
  return true;
}

void LineSession::take(size_t bytes) {
  services_.account.bytes.add(bytes);
  buffer_.commit(bytes, batch_);
  settle();
}

void LineSession::settle() {
  for (const Metadata& m : batch_.metadata) {
    if (!services_.book.set(book_id_, m.key, m.text)) batch_.refuse(Refusal::kMetadataLimit, m.key);
  }
  services_.intake.take(batch_, services_.account, services_.clock.wall());
  batch_.clear();
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
  close();
}

void LineSession::close() {
  open_ = false;
  buffer_.end(batch_);
  settle();
  boost::system::error_code ignored;  // it is gone either way
  socket_.close(ignored);
}

}  // namespace statmill
