// HttpExchange: one request over a connection of its own, plain or TLS, and its answer. HTTP/1.1, no
// redirects.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/net/name_lookups.h"
#include "base/net/tls_context.h"
#include "base/result.h"

namespace statmill {

// Confined to the thread of the loop. Must live until run() has ended.
class HttpExchange {
 public:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;

  struct Peer {
    std::string host;  // a name or an address, without brackets
    std::string port;  // 1 to 65535
    bool uses_tls = false;
  };
  struct Limits {
    Duration timeout;  // of the whole exchange
    size_t body_bytes_max;
    // Called with the bytes in RAM of the body so far; the exchange ends with its error. Empty: no other
    // limit.
    std::function<Status(size_t bytes)> charge = {};
  };
  // The loop, `names`, which must be of this loop, and `tls` must outlive it. Null: TLS fails.
  HttpExchange(boost::asio::io_context& loop, NameLookups& names, TlsContext* tls, Peer peer, Limits limits);

  // Call it once. Errors: kUnavailable (nobody answers in time, or it was cancelled), kInvalid (no TLS),
  // kLimit (the answer is too long), and those of `charge`.
  boost::asio::awaitable<Result<Response>> run(Request request);
  // Ends run() soon.
  void cancel();

 private:
  using Stream = boost::beast::tcp_stream;

  boost::asio::awaitable<Result<NameLookups::Addresses>> addresses(
      std::chrono::steady_clock::time_point deadline);
  template <class AnyStream>
  boost::asio::awaitable<Result<Response>> exchange(AnyStream& stream, const Request& request);

  NameLookups& names_;
  TlsContext* const tls_;
  const Peer peer_;
  const Limits limits_;
  Stream stream_;
  std::unique_ptr<NameLookups::Lookup> lookup_;  // null: none is under way
  boost::asio::steady_timer lookup_timer_;       // expires when the lookup takes too long
  bool is_cancelled_ = false;
};

}  // namespace statmill
