#include "server/http/session.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/write.hpp>

#include "base/running.h"
#include "server/http/request_gate.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr size_t kReadBytes = 4096;
// Enough for a whole header and for the parts that Beast reads of a body.
constexpr size_t kBufferBytesMax = size_t{64} << 10;
// Scripts and styles come from files of this server only, and names of series never become markup.
constexpr std::string_view kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types lit-html";

bool is_local(const std::optional<asio::ip::tcp::endpoint>& peer) {
  if (!peer) return true;
  const asio::ip::address address = peer->address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

// Who opened the other end of a unix socket, as SO_PEERCRED says. The name of the user would need a look-up
// that may wait for the network.
std::string user_of(HttpSocket& socket) {
  ucred user{};
  socklen_t size = sizeof(user);
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &user, &size) != 0 || user.pid == 0)
    return {};
  return "uid " + std::to_string(user.uid) + ", pid " + std::to_string(user.pid);
}

}  // namespace

Session::Session(HttpSocket socket, const std::optional<asio::ip::tcp::endpoint>& peer,
                 SessionContext& context)
    : stream_(std::move(socket), context.tls == nullptr ? nullptr : context.tls->context().get()),
      deadline_(stream_.get_executor()),
      context_(context),
      client_(client_address(peer)),
      peer_(peer ? Endpoint{peer->address().to_string(), peer->port()} : Endpoint{}),
      is_local_peer_(is_local(peer)),
      peer_user_(peer ? std::string() : user_of(stream_.socket())),
      buffer_(kBufferBytesMax),
      idle_since_(context.clock.steady()) {
  error_code ignored;  // only a matter of latency; unix sockets do not have this option
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  context_.counters.connections.add(1);
}

Session::~Session() { context_.counters.connections.add(-1); }

void Session::run() {
  asio::dispatch(stream_.get_executor(), [self = shared_from_this()] {
    self->set_deadline(self->context_.options.header_timeout, HttpRefusal::kHeaderTimeout);
    if (!self->stream_.is_tls()) return self->read_header();
    self->stream_.async_handshake([self](error_code error, size_t) {
      if (!error) return self->read_header();
      self->context_.counters.refused(HttpRefusal::kHandshake).add();
      if (self->context_.handshake_log != nullptr && self->stream_.is_open())
        self->context_.handshake_log->failed(self->peer_.text(), error);
      self->close();
    });
  });
}

void Session::reject(HttpRefusal refusal) {
  asio::dispatch(stream_.get_executor(), [self = shared_from_this(), refusal] { self->refuse(refusal); });
}

std::optional<SteadyTime> Session::idle_since() const {
  const SteadyTime since = idle_since_.load(std::memory_order_relaxed);
  return since == kBusy || since == kClosing ? std::nullopt : std::optional(since);
}

void Session::set_idle() {
  SteadyTime busy = kBusy;
  idle_since_.compare_exchange_strong(busy, context_.clock.steady(), std::memory_order_relaxed);
}

void Session::close_idle() {
  const auto since = idle_since();
  if (!since) return;
  SteadyTime expected = *since;
  idle_since_.compare_exchange_strong(expected, kClosing, std::memory_order_relaxed);
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->idle_since_.load(std::memory_order_relaxed) != kClosing || !self->stream_.is_open()) return;
    self->context_.counters.refused(HttpRefusal::kIdleLimit).add();
    self->close();
  });
}

void Session::stop() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->is_stopping_ = true;
    if (self->is_idle() || self->live_) return self->close();
    if (self->query_) self->query_->run->control().stop(QueryStop::kServer);
    // Nothing would cancel the deadline of a closed session, which would hold the event loop until then.
    if (self->stream_.is_open()) self->set_deadline(self->context_.options.stop_grace, std::nullopt);
  });
}

std::string_view Session::buffered() const {
  const auto bytes = buffer_.data();
  return {static_cast<const char*>(bytes.data()), bytes.size()};
}

void Session::set_deadline(Duration limit, std::optional<HttpRefusal> refusal) {
  deadline_.expires_after(is_stopping_ ? std::min(limit, context_.options.stop_grace) : limit);
  deadline_.async_wait([self = shared_from_this(), refusal](error_code error) {
    // The timer may have expired and been set again before this handler ran.
    if (error || self->deadline_.expiry() > std::chrono::steady_clock::now()) return;
    if (refusal) self->context_.counters.refused(*refusal).add();
    self->close();
  });
}

void Session::close() {
  deadline_.cancel();
  stream_.close();
  live_.reset();
  if (query_) end_query();
}

void Session::read_header() {
  set_idle();
  const HeaderScan scan = scan_header(buffered());
  if (scan.verdict.is_refused()) return refuse(scan.verdict.reason());
  if (scan.size > 0) return parse_header(scan.size);
  stream_.async_read_some(
      buffer_.prepare(kReadBytes), [self = shared_from_this()](error_code error, size_t size) {
        const bool is_first = self->buffer_.size() == 0;
        self->buffer_.commit(size);
        if (error) return self->close();
        // One deadline covers the whole header, in however many pieces it comes.
        if (is_first && self->requests_ > 0) {
          self->set_deadline(self->context_.options.header_timeout, HttpRefusal::kHeaderTimeout);
        }
        self->read_header();
      });
}

void Session::parse_header(size_t size) {
  set_busy();
  begin_ = context_.clock.steady();
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(kHeaderBytesMax));
  parser_->body_limit(boost::none);  // check_body() sets it
  error_code error;
  const size_t used = parser_->put(asio::buffer(buffer_.data(), size), error);
  if (error || !parser_->is_header_done()) return refuse(HttpRefusal::kBadFieldValue);
  buffer_.consume(used);
  const auto& message = parser_->get();
  request_ = {.method = message.method_string(),
              .target = message.target(),
              .body = {},
              .host = message[http::field::host],
              .origin = message[http::field::origin],
              .content_encoding = message[http::field::content_encoding],
              .content_type = message[http::field::content_type],
              .accept_encoding = message[http::field::accept_encoding],
              .if_none_match = message[http::field::if_none_match],
              .if_match = message[http::field::if_match],
              .peer = peer_.host,
              .user = peer_user_};
  // HTTP/1.0 needs no Host; no browser speaks it.
  if (context_.hosts != nullptr && !request_.host.empty() && !context_.hosts->contains(request_.host))
    return refuse(HttpRefusal::kUnknownHost);
  // A browser asks without a token what a page may do.
  const bool is_preflight = request_.method == "OPTIONS";
  if (!is_preflight) {
    if (const auto refusal = check_access(message[http::field::authorization])) return refuse(*refusal);
  }
  if (parser_->is_done()) return answer();
  check_body();
}

// Before the body, so that a client without a token fills no memory.
std::optional<HttpRefusal> Session::check_access(std::string_view authorization) {
  if (context_.access == nullptr) return std::nullopt;
  access_ = context_.access->get();
  const Grant grant = access_->granted(authorization, is_local_peer_);
  request_.role = grant.role;
  request_.user = grant.user;
  if (request_.role >= context_.router.handling(request_.method, request_.target).role) return std::nullopt;
  if (!access_->has_tokens()) return HttpRefusal::kRemoteWrite;
  return request_.role == Role::kNone ? HttpRefusal::kNoToken : HttpRefusal::kLowRole;
}

void Session::answer() {
  ++requests_;
  const bool keep_alive = parser_->keep_alive() && requests_ < context_.options.requests_max;
  request_.body = parser_->get().body().text;
  const auto [lane, name, role, is_logged] = context_.router.handling(request_.method, request_.target);
  if (lane == Lane::kQuery && context_.queries != nullptr) return start_query(keep_alive);
  if (lane == Lane::kLive && context_.live != nullptr) return start_live(keep_alive);
  if (lane == Lane::kLoop || lane == Lane::kLive || lane == Lane::kQuery || context_.workers == nullptr) {
    const Running running(name);
    return respond_when_ready(routed_response(), keep_alive);
  }
  // A worker has no deadline, unless the server is stopping.
  if (!is_stopping_) deadline_.expires_at(asio::steady_timer::time_point::max());
  auto job = [self = shared_from_this(), keep_alive,
              work = make_work_guard(stream_.get_executor())]() mutable {
    HttpResponse response = self->routed_response();
    const auto loop = work.get_executor();
    // Moves the last reference to the session, so that it is destroyed on its own strand.
    asio::post(loop, [self = std::move(self), keep_alive, response = std::move(response)]() mutable {
      self->respond_when_ready(std::move(response), keep_alive);
    });
  };
  context_.workers->post(lane, std::move(job));
}

void Session::respond(HttpResponse response, bool keep_alive) {
  if (response.content_encoding.empty()) compress_body(response, coding());
  release_body();  // before a slow peer reads the answer
  answer_share_ = context_.budget.reserve_answer(response.body.size());
  if (!answer_share_) return refuse(HttpRefusal::kMemoryLimit);
  write(std::move(response), keep_alive);
}

void Session::release_body() {
  request_.body = {};
  std::string().swap(parser_->get().body().text);
  body_share_.reset();
}

HttpResponse Session::routed_response() {
  const SteadyTime begin = context_.clock.steady();
  HttpResponse response = handler_response();
  if (context_.log != nullptr && context_.router.handling(request_.method, request_.target).is_logged)
    context_.log->note(request_, response.status, begin);
  return response;
}

HttpResponse Session::handler_response() {
  try {
    return context_.router.answer(request_);
  } catch (...) {
    // An exception of a handler or a library ends the request, not the server.
    context_.counters.handler_failures.add();
    return error_response(500, "the handler failed");
  }
}

void Session::refuse(HttpRefusal refusal) {
  set_busy();
  if (parser_) release_body();
  context_.counters.refused(refusal).add();
  const HttpRefusalInfo& info = refusal_info(refusal);
  write(error_response(info.status, info.text), false);
}

void Session::note_answer(unsigned status) {
  context_.counters.requests(status).add();
  if (context_.log == nullptr) return;
  if (request_.method.empty()) {  // its header was refused
    request_.peer = peer_.host;
    request_.user = peer_user_;
    begin_ = context_.clock.steady();
  }
  context_.log->access(request_, status, begin_);
}

void Session::write(HttpResponse response, bool keep_alive) {
  note_answer(response.status);
  const bool is_head = parser_ && parser_->get().method() == http::verb::head;
  const unsigned version = parser_ && parser_->is_header_done() ? parser_->get().version() : 11;
  response_.emplace(static_cast<http::status>(response.status), version);
  fill_head(*response_, response);
  response_->body() = std::move(response.body);
  response_->keep_alive(keep_alive && !is_stopping_);
  response_->prepare_payload();
  // That of a 200 would do for a 304; a 204 must not have it (RFC 9110, section 8.6).
  if (response.status == 304 || response.status == 204) response_->erase(http::field::content_length);
  serializer_.emplace(*response_);

  set_deadline(context_.options.write_timeout, HttpRefusal::kWriteTimeout);
  auto done = [self = shared_from_this()](error_code error, size_t) { self->on_written(!error); };
  if (is_head) {
    http::async_write_header(stream_, *serializer_, std::move(done));
  } else {
    http::async_write(stream_, *serializer_, std::move(done));
  }
}

void Session::fill_head(http::fields& fields, const HttpResponse& response) {
  fields.set(http::field::server, "statmill");
  fields.set(http::field::date, http_date(context_.clock.wall()));
  fields.set(http::field::content_type, response.content_type);
  fields.set(http::field::cache_control, response.cache_control);
  if (!response.etag.empty()) fields.set(http::field::etag, response.etag);
  fields.set("Content-Security-Policy", kContentPolicy);
  fields.set("X-Content-Type-Options", "nosniff");
  fields.set("Referrer-Policy", "no-referrer");
  fields.set("Cross-Origin-Resource-Policy", "same-origin");
  if (response.status == 401) fields.set(http::field::www_authenticate, "Bearer");
  if (!response.allow.empty()) fields.set(http::field::allow, response.allow);
  if (response.may_retry) fields.set(http::field::retry_after, "1");
  for (const auto& [name, value] : response.fields) fields.set(name, value);
  if (!response.server_timing.empty()) fields.set("Server-Timing", response.server_timing);
  const bool is_encoded = !response.content_encoding.empty();
  if (is_encoded) fields.set(http::field::content_encoding, response.content_encoding);
  if (is_encoded || response.varies_by_encoding) fields.set(http::field::vary, "Accept-Encoding");
  if (!context_.options.cors_origins.is_empty()) fill_cors(fields);
}

// Says to a browser that a page of another origin may read the answer.
void Session::fill_cors(http::fields& fields) {
  fields.insert(http::field::vary, "Origin");
  const std::string* const origin = context_.options.cors_origins.find(request_.origin);
  if (origin == nullptr) return;
  fields.set(http::field::access_control_allow_origin, *origin);
  fields.set(http::field::access_control_expose_headers, "Retry-After, Server-Timing");
  if (request_.method != "OPTIONS") return;
  fields.set(http::field::access_control_allow_methods, "GET, HEAD, POST");
  fields.set(http::field::access_control_allow_headers, "Authorization, Content-Type");
  fields.set(http::field::access_control_max_age, "600");
}

ContentCoding Session::coding() const {
  const HttpCompression when = context_.options.compression;
  const bool is_off = when == HttpCompression::kOff || (when == HttpCompression::kAuto && is_local_peer_);
  return is_off ? ContentCoding::kNone : accepted_coding(request_.accept_encoding);
}

void Session::on_written(bool is_open) {
  const bool keep_alive = is_open && response_->keep_alive() && !is_stopping_;
  serializer_.reset();
  response_.reset();
  if (query_) {
    query_->keep_alive = keep_alive;
    return on_answered(is_open);
  }
  begin_next(is_open, keep_alive);
}

void Session::begin_next(bool is_open, bool keep_alive) {
  request_ = {};
  parser_.reset();
  body_share_.reset();
  answer_share_.reset();
  if (!is_open) return close();
  if (!keep_alive) {
    stream_.end_writing();
    const HttpOptions& options = context_.options;
    set_deadline(is_stopping_ ? options.stop_linger : options.linger_timeout, std::nullopt);
    return linger();
  }
  if (buffer_.size() == 0) {
    buffer_.shrink_to_fit();  // an idle connection holds no buffer
    set_deadline(context_.options.idle_timeout, std::nullopt);
  } else {
    set_deadline(context_.options.header_timeout, HttpRefusal::kHeaderTimeout);
  }
  read_header();
}

void Session::linger() {
  set_idle();
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kReadBytes), [self = shared_from_this()](error_code error, size_t) {
    if (error) return self->close();
    self->linger();
  });
}

}  // namespace statmill
