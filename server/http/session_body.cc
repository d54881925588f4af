// The part of Session that reads the body of a request.
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <chrono>

#include "server/http/session.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

// Refuses a request that its body cannot make valid before it waits for the body.
void Session::check_body() {
  const auto announced = parser_->content_length();  // none if it comes in chunks
  const bool is_short = announced && *announced <= kStrayBodyBytesMax;
  if (!is_short || !parser_->get()[http::field::expect].empty()) {
    // Chunks may turn out to be empty.
    const bool has_body = announced && *announced > 0;
    auto refusal = context_.router.refusal_before_body(request_, has_body);
    if (refusal) return respond(*std::move(refusal), false);
  }
  const size_t body_max = context_.router.body_bytes_max(request_.method, request_.target);
  if (announced && *announced > body_max) return refuse(HttpRefusal::kBodyTooLarge);
  parser_->body_limit(body_max);
  check_expectation();
}

void Session::check_expectation() {
  const auto expectation = parser_->get()[http::field::expect];
  if (expectation.empty()) return read_body();
  if (!boost::beast::iequals(expectation, "100-continue")) return refuse(HttpRefusal::kBadExpectation);
  if (buffer_.size() > 0) return read_body();  // the peer did not wait for "100 Continue"
  set_deadline(context_.options.write_timeout, HttpRefusal::kWriteTimeout);
  asio::async_write(stream_, asio::buffer(kContinue), [self = shared_from_this()](error_code error, size_t) {
    if (error) return self->close();
    self->read_body();
  });
}

void Session::read_body() {
  const HttpOptions& options = context_.options;
  const Duration whole =
      is_stopping_ ? std::min(options.body_timeout, options.stop_grace) : options.body_timeout;
  pace_.emplace(BodyPaceLimits{whole, options.body_step, options.body_step_bytes},
                std::chrono::steady_clock::now());
  watch_pace();
  body_share_ = context_.budget.reserve(0);
  parser_->get().body().share = &*body_share_;
  parser_->eager(true);  // parses all bytes that have arrived, also of several chunks
  read_piece();
}

// Closes the connection if the body comes too slowly.
void Session::watch_pace() {
  deadline_.expires_at(pace_->next_check());
  deadline_.async_wait([self = shared_from_this()](error_code error) {
    const auto now = std::chrono::steady_clock::now();
    // The body may be complete, or the timer set again, before this handler ran.
    if (error || self->deadline_.expiry() > now || !self->parser_ || self->parser_->is_done()) return;
    if (self->pace_->is_kept(now, self->parser_->get().body().text.size())) return self->watch_pace();
    self->context_.counters.refused(HttpRefusal::kBodyTimeout).add();
    self->close();
  });
}

void Session::read_piece() {
  http::async_read_some(stream_, buffer_, *parser_,
                        [self = shared_from_this()](error_code error, size_t) { self->on_piece(error); });
}

void Session::on_piece(error_code error) {
  if (error == http::error::body_limit) return refuse(HttpRefusal::kBodyTooLarge);
  if (error == boost::system::errc::not_enough_memory) return refuse(HttpRefusal::kMemoryLimit);
  const bool is_http = error.category() == make_error_code(http::error::bad_chunk).category();
  if (error && is_http && error != http::error::partial_message) return refuse(HttpRefusal::kBadBody);
  if (error) return close();
  if (parser_->is_done()) return answer();
  read_piece();
}

}  // namespace statmill
