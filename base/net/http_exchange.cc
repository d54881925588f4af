#include "base/net/http_exchange.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// Limits the bytes that are received and not parsed yet. The parser limits the head of an answer to 8 KiB,
// but not the text that may follow the size of a chunk.
constexpr size_t kUnreadBytesMax = size_t{64} << 10;

Error unreachable(const error_code& why) {
  if (why == beast::error::timeout) return {ErrorCode::kUnavailable, "timeout"};
  return {ErrorCode::kUnavailable, why.message()};
}

}  // namespace

HttpExchange::HttpExchange(asio::io_context& loop, NameLookups& names, TlsContext* tls, Peer peer,
                           Limits limits)
    : names_(names),
      tls_(tls),
      peer_(std::move(peer)),
      limits_(std::move(limits)),
      stream_(loop),
      lookup_timer_(loop) {}

void HttpExchange::cancel() {
  is_cancelled_ = true;
  lookup_timer_.cancel();
  stream_.close();
}

// g++ 12 inlines the operator new of a coroutine's frame but not its operator delete, and warns of a
// mismatch.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
asio::awaitable<Result<HttpExchange::Response>> HttpExchange::run(Request request) {
  error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  const auto deadline = std::chrono::steady_clock::now() + limits_.timeout;
  const auto found = co_await addresses(deadline);
  if (!found) co_return found.error();
  stream_.expires_at(deadline);
  co_await stream_.async_connect(*found, token);
  if (error) co_return unreachable(error);
  if (!peer_.uses_tls) co_return co_await exchange(stream_, request);
  if (tls_ == nullptr) co_return Error{ErrorCode::kInvalid, "TLS is not set up"};
  asio::ssl::stream<Stream&> tls(stream_, *tls_);
  SSL_set_tlsext_host_name(tls.native_handle(), peer_.host.c_str());  // fails for an address
  tls.set_verify_mode(asio::ssl::verify_peer);
  tls.set_verify_callback(asio::ssl::host_name_verification(peer_.host));
  co_await tls.async_handshake(asio::ssl::stream_base::client, token);
  if (error) co_return unreachable(error);
  co_return co_await exchange(tls, request);
}

asio::awaitable<Result<NameLookups::Addresses>> HttpExchange::addresses(
    std::chrono::steady_clock::time_point deadline) {
  error_code error;
  std::optional<Result<NameLookups::Addresses>> found;
  const auto literal = asio::ip::make_address(peer_.host, error);
  if (!error) {
    const auto port = static_cast<uint16_t>(*parse_integer(peer_.port, 1, 65535));
    found = NameLookups::Addresses{tcp::endpoint(literal, port)};
  } else if (!is_cancelled_) {
    lookup_ = names_.start(peer_.host, peer_.port, [&](Result<NameLookups::Addresses> addresses) {
      found = std::move(addresses);
      lookup_timer_.cancel();
    });
    lookup_timer_.expires_at(deadline);
    co_await lookup_timer_.async_wait(asio::redirect_error(asio::use_awaitable, error));
    lookup_.reset();
  }
  if (is_cancelled_) co_return unreachable(asio::error::operation_aborted);
  if (!found) co_return Error{ErrorCode::kUnavailable, "timeout of the lookup of " + peer_.host};
  co_return *std::move(found);
}
#pragma GCC diagnostic pop

template <class AnyStream>
asio::awaitable<Result<HttpExchange::Response>> HttpExchange::exchange(AnyStream& stream,
                                                                       const Request& request) {
  error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  co_await http::async_write(stream, request, token);
  if (error) co_return unreachable(error);
  beast::flat_buffer buffer(kUnreadBytesMax);
  http::response_parser<http::string_body> parser;
  parser.body_limit(limits_.body_bytes_max);
  while (!parser.is_done()) {
    co_await http::async_read_some(stream, buffer, parser, token);
    if (error == http::error::body_limit)
      co_return Error{ErrorCode::kLimit,
                      "the answer is longer than " + std::to_string(limits_.body_bytes_max) + " bytes"};
    if (error) co_return unreachable(error);
    if (!limits_.charge) continue;
    if (Status s = limits_.charge(parser.get().body().capacity()); !s) co_return s.error();
  }
  co_return parser.release();
}

}  // namespace statmill
