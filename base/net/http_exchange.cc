#include "base/net/http_exchange.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <utility>
#include <vector>

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

HttpExchange::HttpExchange(asio::io_context& loop, TlsContext* tls, Peer peer, Limits limits)
    : tls_(tls), peer_(std::move(peer)), limits_(std::move(limits)), stream_(loop), resolver_(loop) {}

void HttpExchange::cancel() {
  is_cancelled_ = true;
  resolver_.cancel();
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
  stream_.expires_after(limits_.timeout);
  std::vector<tcp::endpoint> addresses;
  const auto literal = asio::ip::make_address(peer_.host, error);
  if (!error) {
    addresses.emplace_back(literal, static_cast<uint16_t>(*parse_integer(peer_.port, 1, 65535)));
  } else {
    for (const auto& found : co_await resolver_.async_resolve(peer_.host, peer_.port, token))
      addresses.emplace_back(found.endpoint());
    if (error) co_return unreachable(error);
  }
  if (is_cancelled_) co_return unreachable(asio::error::operation_aborted);
  co_await stream_.async_connect(addresses, token);
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
