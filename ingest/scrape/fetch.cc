#include "ingest/scrape/fetch.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ingest/scrape/scraped_values.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// The formats that Prometheus asks for.
constexpr const char* kAccept =
    "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

// Limits the bytes that are received and not parsed yet. The parser limits the head of an answer to 8 KiB,
// but not the text that may follow the size of a chunk.
constexpr size_t kUnreadBytesMax = size_t{64} << 10;

Error unreachable(const error_code& why) {
  if (why == beast::error::timeout) return {ErrorCode::kUnavailable, "timeout"};
  return {ErrorCode::kUnavailable, why.message()};
}

http::request<http::empty_body> request_of(const ScrapeTarget& target) {
  http::request<http::empty_body> request(http::verb::get, target.path, 11);
  request.set(http::field::host, target.address());
  request.set(http::field::user_agent, "statmill/" STATMILL_VERSION);
  request.set(http::field::accept, kAccept);
  request.set("X-Prometheus-Scrape-Timeout-Seconds",
              std::to_string(static_cast<double>(target.timeout.count()) / 1000));
  request.set(http::field::connection, "close");
  return request;
}

class FetchInLoop final : public Fetch, public std::enable_shared_from_this<FetchInLoop> {
 public:
  using Done = std::function<void(Result<ScrapedBody>)>;
  FetchInLoop(const FetchServices& services, const ScrapeTarget& target, Done done)
      : services_(services), target_(target), done_(std::move(done)), stream_(services.loop) {}
  ~FetchInLoop() override { services_.budget.used -= charged_; }

  void start() {
    stream_.expires_after(target_.timeout);
    asio::co_spawn(services_.loop, run(),
                   [self = shared_from_this()](const std::exception_ptr& fault, Result<ScrapedBody> body) {
                     if (fault) std::rethrow_exception(fault);
                     self->done_(std::move(body));
                   });
  }
  void cancel() override {
    is_cancelled_ = true;
    resolver_.cancel();
    stream_.close();
  }

 private:
  using Stream = beast::tcp_stream;

  asio::awaitable<Result<ScrapedBody>> run() {
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    std::vector<tcp::endpoint> addresses;
    const auto literal = asio::ip::make_address(target_.host, error);
    if (!error) {
      addresses.emplace_back(literal, static_cast<uint16_t>(*parse_integer(target_.port, 1, 65535)));
    } else {
      for (const auto& found : co_await resolver_.async_resolve(target_.host, target_.port, token))
        addresses.emplace_back(found.endpoint());
      if (error) co_return unreachable(error);
    }
    if (is_cancelled_) co_return unreachable(asio::error::operation_aborted);
    co_await stream_.async_connect(addresses, token);
    if (error) co_return unreachable(error);
    if (!target_.uses_tls) co_return co_await exchange(stream_);
    if (services_.tls == nullptr) co_return Error{ErrorCode::kInvalid, "TLS is not set up"};
    asio::ssl::stream<Stream&> tls(stream_, *services_.tls);
    SSL_set_tlsext_host_name(tls.native_handle(), target_.host.c_str());  // fails for an address
    tls.set_verify_mode(asio::ssl::verify_peer);
    tls.set_verify_callback(asio::ssl::host_name_verification(target_.host));
    co_await tls.async_handshake(asio::ssl::stream_base::client, token);
    if (error) co_return unreachable(error);
    co_return co_await exchange(tls);
  }

  template <class AnyStream>
  asio::awaitable<Result<ScrapedBody>> exchange(AnyStream& stream) {
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    const auto request = request_of(target_);
    co_await http::async_write(stream, request, token);
    if (error) co_return unreachable(error);
    beast::flat_buffer buffer(kUnreadBytesMax);
    http::response_parser<http::string_body> parser;
    parser.body_limit(services_.body_bytes_max);
    while (!parser.is_done()) {
      co_await http::async_read_some(stream, buffer, parser, token);
      if (error == http::error::body_limit) co_return too_long();
      if (error) co_return unreachable(error);
      if (!charge(parser.get().body().capacity()))
        co_return Error{ErrorCode::kLimit, "there is no memory for the answer (--scrape.all_body_bytes)"};
    }
    co_return read(parser.release());
  }

  static Result<ScrapedBody> read(http::response<http::string_body> answer) {
    if (answer.result() != http::status::ok)
      return Error{ErrorCode::kInvalid, "answers with status " + std::to_string(answer.result_int())};
    const auto coding = answer[http::field::content_encoding];
    if (!coding.empty() && coding != "identity")
      return Error{ErrorCode::kInvalid, "answers with the Content-Encoding " + visible_text(coding)};
    const auto format = exposition_format(answer[http::field::content_type]);
    if (!format) return format.error();
    return ScrapedBody{std::move(answer.body()), *format};
  }

  Error too_long() const {
    return {ErrorCode::kLimit,
            "the answer is longer than " + std::to_string(services_.body_bytes_max) + " bytes"};
  }
  bool charge(size_t bytes) {
    services_.budget.used += bytes - charged_;
    charged_ = bytes;
    return services_.budget.used <= services_.budget.max;
  }

  const FetchServices services_;
  const ScrapeTarget target_;
  const Done done_;
  Stream stream_;
  tcp::resolver resolver_{services_.loop};
  bool is_cancelled_ = false;
  size_t charged_ = 0;
};

}  // namespace

std::shared_ptr<Fetch> fetch(const FetchServices& services, const ScrapeTarget& target,
                             std::function<void(Result<ScrapedBody>)> done) {
  const auto out = std::make_shared<FetchInLoop>(services, target, std::move(done));
  out->start();
  return out;
}

}  // namespace statmill
