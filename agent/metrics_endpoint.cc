#include "agent/metrics_endpoint.h"

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_static_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <utility>
#include <vector>

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::string_view kRefused = "statmill.http_refused";
constexpr std::string_view kRefusedHelp = "Connections closed and requests refused, by reason.";
constexpr std::string_view kMetrics = "/metrics";
constexpr std::string_view kHindsight = "/hindsight";

}  // namespace

// One connection. Lives as long as an operation on it is pending.
class MetricsEndpoint::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::ip::tcp::socket socket, MetricsEndpoint& endpoint)
      : stream_(std::move(socket)), endpoint_(endpoint) {
    parser_.header_limit(kRequestBytesMax);
    parser_.body_limit(0);
  }

  void start() {
    stream_.expires_after(kLimit);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](const error_code& error, size_t) {
      if (error) return self->end_badly(error);
      self->answer_request(self->parser_.get());
    });
  }

 private:
  void answer_request(const http::request<http::empty_body>& request) {
    if (request.method() != http::verb::get) return answer(http::status::method_not_allowed);
    const std::string_view target(request.target().data(), request.target().size());
    const std::string_view path = target.substr(0, target.find('?'));
    if (path == kMetrics) return answer(http::status::ok);
    if (path != kHindsight || !endpoint_.answers_.hindsight) return answer(http::status::not_found);
    if (!endpoint_.sends_recording_) return send_recording();
    endpoint_.counters_.recordings_refused.add();
    answer(http::status::service_unavailable);
  }

  // Errors of the connection are not reported.
  void end_badly(const error_code& error) {
    if (error == beast::error::timeout) {
      endpoint_.counters_.late.add();
    } else if (error.category() == http::make_error_code(http::error::bad_version).category() &&
               error != http::error::end_of_stream) {
      return answer(http::status::bad_request);
    }
    end();
  }

  void answer(http::status status) {
    const bool is_good = status == http::status::ok;
    if (is_good) endpoint_.counters_.requests.add();
    if (!is_good && status != http::status::service_unavailable) endpoint_.counters_.requests_refused.add();
    response_.result(status);
    response_.set(http::field::content_type, is_good ? "text/plain; version=0.0.4" : "text/plain");
    if (status == http::status::method_not_allowed) response_.set(http::field::allow, "GET");
    response_.body() =
        is_good ? endpoint_.answers_.metrics() : std::string(http::obsolete_reason(status)) + "\n";
    response_.keep_alive(false);
    response_.prepare_payload();
    http::async_write(stream_, response_, [self = shared_from_this()](const error_code& error, size_t) {
      if (error == beast::error::timeout) self->endpoint_.counters_.late.add();
      self->end();
    });
  }

  // The recording is not copied: its blocks are the buffers.
  void send_recording() {
    endpoint_.counters_.requests.add();
    endpoint_.sends_recording_ = sends_recording_ = true;
    recording_ = endpoint_.answers_.hindsight();
    head_.result(http::status::ok);
    head_.set(http::field::content_type, "application/gzip");
    head_.content_length(recording_.bytes);
    head_.keep_alive(false);
    stream_.expires_after(kRecordingLimit);
    http::async_write_header(stream_, head_writer_,
                             [self = shared_from_this()](const error_code& error, size_t) {
                               if (error) return self->end_recording(error);
                               self->send_blocks();
                             });
  }

  void send_blocks() {
    std::vector<asio::const_buffer> buffers;
    buffers.reserve(recording_.pieces.size());
    for (const auto& piece : recording_.pieces) buffers.push_back(asio::buffer(*piece));
    asio::async_write(stream_, buffers, [self = shared_from_this()](const error_code& error, size_t) {
      self->end_recording(error);
    });
  }

  void end_recording(const error_code& error) {
    if (error == beast::error::timeout) endpoint_.counters_.late.add();
    end();
  }

  // Called once, and only while the io_context runs.
  void end() {
    error_code ignored;  // the connection is gone either way
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    stream_.close();
    if (sends_recording_) endpoint_.sends_recording_ = false;
  }

  beast::tcp_stream stream_;
  MetricsEndpoint& endpoint_;
  beast::flat_static_buffer<kRequestBytesMax + 1> buffer_;
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
  bool sends_recording_ = false;
  Recording recording_;
  http::response<http::empty_body> head_;
  http::response_serializer<http::empty_body> head_writer_{head_};
};

MetricsEndpoint::MetricsEndpoint(asio::io_context& io, Registry& registry, Answers answers)
    : answers_(std::move(answers)),
      counters_{registry.counter("statmill.http_requests", "Requests that were answered."),
                registry.counter(kRefused, kRefusedHelp, {{"reason", "connections"}}),
                registry.counter(kRefused, kRefusedHelp, {{"reason", "request"}}),
                registry.counter(kRefused, kRefusedHelp, {{"reason", "recording"}}),
                registry.counter(kRefused, kRefusedHelp, {{"reason", "timeout"}})},
      sessions_(SessionLimit(kConnectionsMax, kConnectionsMax)),
      acceptor_({&io},
                {.limit = sessions_.limit(),
                 .refused = [this](ConnectionRefusal) { counters_.connections_refused.add(); },
                 .accepted = [] {},
                 .adopt =
                     [this](size_t, TcpAcceptor::Accepted accepted) {
                       sessions_.make(std::move(accepted.place), std::move(accepted.socket), *this)->start();
                     }}) {}

Status MetricsEndpoint::open(const Endpoint& listen) {
  if (Status bound = acceptor_.bind("http.listen", listen); !bound) return bound;
  acceptor_.accept();
  return Status::ok();
}

}  // namespace statmill
