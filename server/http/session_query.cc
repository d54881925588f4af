// The part of Session that runs queries on the threads of the pool, and sends their answers in pieces.
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
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

// Enough for the next requests of a client that does not wait for answers; more stays in the kernel.
constexpr size_t kReadAheadMax = size_t{32} << 10;

}  // namespace

// Keeps the session and its event loop alive while a thread runs the query.
class Session::QueryTask final : public QueryJob {
 public:
  explicit QueryTask(std::shared_ptr<Session> session)
      : run_(session->query_->run), loop_(session->stream_.get_executor()), session_(std::move(session)) {}

  void run(QueryLane lane) override {
    const bool is_done = run_->run(lane);
    // Moves the last reference to the session, so that it is destroyed on its own strand.
    asio::post(loop_.get_executor(), [session = std::move(session_), run = std::move(run_), is_done] {
      session->on_query_ran(is_done);
    });
  }

 private:
  std::shared_ptr<QueryRun> run_;
  asio::executor_work_guard<HttpSocket::executor_type> loop_;
  std::shared_ptr<Session> session_;
};

void Session::start_query(bool keep_alive) {
  Router::Checked checked = context_.router.check(request_);
  if (checked.route == nullptr) return respond(std::move(checked.refusal), keep_alive);
  const auto wake = [weak = weak_from_this(), loop = stream_.get_executor()] {
    asio::post(loop, [weak] {
      if (const auto self = weak.lock()) self->write_pieces();
    });
  };
  QueryRun::Request request{*checked.route, std::move(checked.url),
                            is_local_peer_ && peer_.host.empty() ? "unix" : peer_.text(), coding(),
                            std::move(checked.work)};
  query_.emplace();
  query_->keep_alive = keep_alive;
  query_->is_head = request_.method == "HEAD";
  query_->run = std::make_shared<QueryRun>(*context_.queries, context_.counters, std::move(request), wake);
  release_body();
  post_query(QueryLane::kSmall);
}

void Session::post_query(QueryLane lane) {
  QueryService& service = *context_.queries;
  query_->job = std::make_shared<QueryTask>(shared_from_this());
  if (!is_stopping_ && service.pool().post(lane, query_->job)) {
    watch_peer();
    deadline_.expires_after(service.pool().options().waiting_timeout);
    deadline_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->deadline_.expiry() > std::chrono::steady_clock::now() || !self->query_) return;
      if (self->context_.queries->pool().withdraw(self->query_->job.get())) self->refuse_query();
    });
    return;
  }
  refuse_query();
}

// No thread will run the query.
void Session::refuse_query() {
  context_.queries->count_busy();
  query_->is_running = false;
  query_->job.reset();
  HttpResponse busy = query_->run->route().refuse(
      503, is_stopping_ ? "the server stops" : "too many queries wait for a thread: try again");
  busy.may_retry = true;
  query_->run->stream().finish(std::move(busy));
}

// The thread has ended its work for the query, or (not `is_done`) a heavy one needs another thread.
void Session::on_query_ran(bool is_done) {
  if (!query_) return;
  query_->job.reset();
  if (!is_done && query_->is_open) return post_query(QueryLane::kHeavy);
  query_->is_running = false;
  if (!query_->is_open || query_->is_answered) return end_query();
  write_pieces();
}

// Reads on while the query runs. What comes is the next request, or the end of the connection.
void Session::watch_peer() {
  if (query_->is_watching || !query_->is_open || buffer_.size() > kReadAheadMax) return;
  query_->is_watching = true;
  stream_.async_read_some(buffer_.prepare(kWatchBytes),
                          [self = shared_from_this()](error_code error, size_t size) {
                            self->buffer_.commit(size);
                            self->query_->is_watching = false;
                            if (self->query_->is_answered || !self->query_->is_open) return self->end_query();
                            if (!error) return self->watch_peer();
                            // A client may finish sending once the answer is on its way.
                            if (self->query_->is_running) self->close();
                          });
}

void Session::write_pieces() {
  if (!query_ || query_->is_writing || query_->is_answered || !query_->is_open) return;
  std::optional<AnswerStream::Piece> piece = query_->run->stream().take();
  if (!piece) return;
  query_->is_writing = true;
  if (piece->end == AnswerStream::End::kCut) return cut_answer();
  if (!piece->head) return write_block(*std::move(piece));
  if (piece->end == AnswerStream::End::kMore) return write_query_head(*piece->head);
  answer_share_ = context_.budget.reserve_answer(piece->head->body.size());
  if (!answer_share_) return refuse(HttpRefusal::kMemoryLimit);
  write(*std::move(piece->head), query_->keep_alive);
}

void Session::write_query_head(const HttpResponse& response) {
  note_answer(response.status);
  const unsigned version = parser_->get().version();
  query_->is_chunked = version >= 11;
  query_->keep_alive = query_->keep_alive && query_->is_chunked && !is_stopping_;
  stream_head_.emplace(static_cast<http::status>(response.status), version);
  fill_head(*stream_head_, response);
  stream_head_->keep_alive(query_->keep_alive);
  if (query_->is_chunked) stream_head_->chunked(true);
  stream_serializer_.emplace(*stream_head_);
  set_deadline(context_.options.write_timeout, HttpRefusal::kWriteTimeout);
  http::async_write_header(stream_, *stream_serializer_,
                           [self = shared_from_this()](error_code error, size_t) {
                             self->stream_serializer_.reset();
                             self->stream_head_.reset();
                             self->query_->is_writing = false;
                             if (error) return self->close();
                             if (!self->query_->is_head) return self->write_pieces();
                             self->query_->run->stream().abandon();  // nobody needs the rest
                             self->on_answered(true);
                           });
}

void Session::write_block(AnswerStream::Piece piece) {
  QueryInFlight& query = *query_;
  const bool is_last = piece.end == AnswerStream::End::kWhole;
  query.block = std::move(piece.block);
  const bool has_chunk = query.is_chunked && !query.block.empty();
  query.block_size = has_chunk ? chunk_line(query.block.size()) : std::string();
  const std::string_view chunk_end = has_chunk ? kChunkEnd : std::string_view();
  const std::array<asio::const_buffer, 4> buffers = {
      asio::buffer(query.block_size), asio::buffer(query.block), asio::buffer(chunk_end),
      asio::buffer(is_last && query.is_chunked ? kLastChunk : std::string_view())};
  set_deadline(context_.options.write_timeout, HttpRefusal::kWriteTimeout);
  asio::async_write(stream_, buffers, [self = shared_from_this(), is_last](error_code error, size_t) {
    self->query_->is_writing = false;
    if (error) return self->close();
    if (is_last) return self->on_answered(true);
    if (!self->is_stopping_) self->deadline_.expires_at(asio::steady_timer::time_point::max());
    self->write_pieces();
  });
}

// Ends the connection so that no client takes what it got for the whole answer: without the last chunk, and
// with a reset, since HTTP/1.0 has no chunks.
void Session::cut_answer() {
  error_code ignored;
  stream_.socket().set_option(HttpSocket::linger(true, 0), ignored);
  query_->is_writing = false;
  close();
}

void Session::on_answered(bool is_open) {
  query_->is_writing = false;
  query_->is_answered = true;
  if (!is_open) return close();
  if (query_->is_watching) {
    error_code ignored;
    stream_.socket().cancel(ignored);  // ends the read, so that the next request starts it again
  }
  end_query();
}

// Begins the next request once nothing of this one is under way. After a close, only forgets the query.
void Session::end_query() {
  if (!stream_.is_open() && query_->is_open) {
    query_->is_open = false;
    query_->run->stream().abandon();
    if (query_->job && context_.queries->pool().withdraw(query_->job.get())) {
      query_->job.reset();
      query_->is_running = false;
    }
  }
  if (query_->is_running || query_->is_watching || query_->is_writing) return;
  const bool is_open = query_->is_open;
  const bool keep_alive = query_->keep_alive && !is_stopping_;
  query_.reset();
  if (is_open) begin_next(true, keep_alive);
}

}  // namespace statmill
