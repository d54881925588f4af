// The part of Session that sends live streams. Such a stream ends with its connection.
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/write.hpp>
#include <utility>

#include "server/http/chunk.h"
#include "server/http/session.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::string_view kEventStream = "text/event-stream";

}  // namespace

void Session::start_live(bool keep_alive) {
  Router::Checked checked = context_.router.check(request_);
  if (checked.route == nullptr) return respond(std::move(checked.refusal), keep_alive);
  auto buffers = context_.budget.reserve(2 * kLiveBufferBytesMax);  // what waits, and what is being written
  if (!buffers) return refuse(HttpRefusal::kMemoryLimit);
  const auto wake = [weak = weak_from_this(), loop = stream_.get_executor()] {
    asio::post(loop, [weak] {
      if (const auto self = weak.lock()) self->write_live();
    });
  };
  auto feed = context_.live->open(request_.body, wake);
  if (!feed) {
    HttpResponse refused = error_response(feed.error());
    refused.may_retry = refused.status == 503;
    return respond(std::move(refused), keep_alive);
  }
  release_body();
  answer_share_ = std::move(buffers);
  live_.emplace();
  live_->feed = *std::move(feed);
  write_live_head();
  watch_live_peer();
}

void Session::write_live_head() {
  HttpResponse head;
  head.content_type = kEventStream;
  note_answer(head.status);
  const unsigned version = parser_->get().version();
  live_->is_chunked = version >= 11;
  live_->is_writing = true;
  stream_head_.emplace(static_cast<http::status>(head.status), version);
  fill_head(*stream_head_, head);
  stream_head_->keep_alive(false);
  if (live_->is_chunked) stream_head_->chunked(true);
  stream_serializer_.emplace(*stream_head_);
  set_deadline(context_.options.write_timeout, HttpRefusal::kWriteTimeout);
  http::async_write_header(stream_, *stream_serializer_,
                           [self = shared_from_this()](error_code error, size_t) {
                             self->stream_serializer_.reset();
                             self->stream_head_.reset();
                             self->on_live_written(!error);
                           });
}

// Only the end of the connection is of interest: whatever else comes is ignored.
void Session::watch_live_peer() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kWatchBytes),
                          [self = shared_from_this()](error_code error, size_t) {
                            if (!self->live_) return;
                            if (error) return self->close();
                            self->watch_live_peer();
                          });
}

void Session::write_live() {
  if (!live_ || live_->is_writing) return;
  live_->block = live_->feed->take();
  if (live_->block.empty()) {
    if (live_->feed->is_cut()) close();
    return;
  }
  live_->is_writing = true;
  live_->block_size = live_->is_chunked ? chunk_line(live_->block.size()) : std::string();
  const std::array<asio::const_buffer, 3> buffers = {
      asio::buffer(live_->block_size), asio::buffer(live_->block),
      asio::buffer(live_->is_chunked ? kChunkEnd : std::string_view())};
  set_deadline(context_.options.write_timeout, HttpRefusal::kWriteTimeout);
  asio::async_write(stream_, buffers,
                    [self = shared_from_this()](error_code error, size_t) { self->on_live_written(!error); });
}

void Session::on_live_written(bool is_open) {
  if (!live_) return;
  live_->is_writing = false;
  if (!is_open) return close();
  // A stream may be silent; only its pieces have a deadline.
  if (!is_stopping_) deadline_.expires_at(asio::steady_timer::time_point::max());
  write_live();
}

}  // namespace statmill
