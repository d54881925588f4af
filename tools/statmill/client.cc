#include "tools/statmill/client.h"

#include <sys/un.h>

#include <algorithm>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/url.hpp>
#include <stop_token>
#include <utility>

#include "base/net/tls_context.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Address = asio::generic::stream_protocol::endpoint;

// sun_path also holds the terminating zero.
constexpr size_t kSocketPathBytesMax = sizeof(sockaddr_un::sun_path) - 1;

constexpr const char* kDefaultPort = "8112";  // of a host without scheme and port

// A connection and the limits of each of its steps.
class Connection {
 public:
  Connection(Duration timeout, std::stop_token stop) : timeout_(timeout), stop_(std::move(stop)) {}

  Stream& stream() { return stream_; }

  // Runs one asynchronous step to its end, within the timeout, or until a stop is requested. Beast's time
  // limits only apply to asynchronous steps.
  template <class Start>
  error_code finish(const Start& start) {
    error_code outcome = asio::error::operation_aborted;  // if the step is stopped
    stream_.expires_after(timeout_);
    start([&outcome](error_code error, const auto&...) { outcome = error; });
    context_.restart();
    const std::stop_callback on_stop(stop_, [this] { context_.stop(); });
    context_.run();
    return outcome;
  }

 private:
  const Duration timeout_;
  const std::stop_token stop_;
  asio::io_context context_{1};
  Stream stream_{context_};
};

Error unreachable(const std::string& peer, const error_code& why) {
  return {ErrorCode::kUnavailable, "cannot reach " + peer + ": " + why.message()};
}

// Returns all addresses of the host.
std::vector<Address> resolve(const std::string& host, const std::string& port, error_code& error) {
  asio::io_context context(1);
  std::vector<Address> out;
  for (const auto& found : tcp::resolver(context).resolve(host, port, error))
    out.emplace_back(found.endpoint());
  return out;
}

// Sends a request over a connected stream, plain or TLS, and returns the answer.
template <class AnyStream>
Result<HttpAnswer> answer_to(const http::request<http::string_body>& request, AnyStream& stream,
                             Connection& connection, const std::string& peer) {
  error_code error = connection.finish([&](auto done) { http::async_write(stream, request, done); });
  // A server that refuses a request may answer before it has read all
  // of it; its answer is the better message.
  if (error && error != asio::error::broken_pipe && error != asio::error::connection_reset) {
    return unreachable(peer, error);
  }
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(Client::kAnswerBytesMax);
  error = connection.finish([&](auto done) { http::async_read(stream, buffer, parser, done); });
  if (!error) return HttpAnswer{parser.get().result_int(), std::move(parser.get().body())};
  if (error == http::error::body_limit) {
    return Error{ErrorCode::kLimit,
                 "the answer is larger than " + std::to_string(Client::kAnswerBytesMax) + " bytes"};
  }
  const bool is_gone = error == beast::error::timeout || error == http::error::end_of_stream ||
                       error.category() == asio::error::get_system_category();
  if (is_gone) return unreachable(peer, error);
  return Error{ErrorCode::kIo, "no HTTP answer from " + peer + ": " + error.message()};
}

}  // namespace

std::string url_target(std::string_view path, const UrlParameters& parameters) {
  std::string target(path);
  char separator = '?';
  for (const auto& [name, value] : parameters) {
    // Encodes all but unreserved bytes, since some servers read '+' as a blank.
    target.append(1, separator).append(name).append("=");
    target.append(boost::urls::encode(value, boost::urls::unreserved_chars));
    separator = '&';
  }
  return target;
}

Result<Client> Client::to(std::string_view server, Duration timeout) {
  const bool has_scheme = server.find("://") != std::string_view::npos;
  const std::string text = has_scheme ? std::string(server) : "http://" + std::string(server);
  const auto url = boost::urls::parse_uri(text);
  const auto wrong = [&](std::string_view why) {
    return Error{ErrorCode::kInvalid, "server URL \"" + std::string(server) + "\" " + std::string(why)};
  };
  if (!url || (url->scheme() != "http" && url->scheme() != "https"))
    return wrong("is not of the form HOST:PORT, http://HOST:PORT or https://HOST:PORT");
  if (url->host().empty()) return wrong("has no host");
  // Boost ends a port at the first byte that is no digit.
  const std::string_view path = url->encoded_path();
  if (!path.empty() && path.front() != '/') return wrong("has a port that is no number");
  if (!url->port().empty() && url->port_number() == 0) return wrong("has no port from 1 to 65535");
  if (url->has_query() || url->has_fragment() || url->has_userinfo())
    return wrong("has more than host, port and path");
  std::string prefix(path);
  while (prefix.ends_with('/')) prefix.pop_back();
  std::string port(url->port());
  Client client;
  client.host_ = std::string(url->host_address());
  client.uses_tls_ = url->scheme() == "https";
  client.port_ = !port.empty() ? port : !has_scheme ? kDefaultPort : client.uses_tls_ ? "443" : "80";
  client.prefix_ = std::move(prefix);
  client.peer_ = client.host_ + ":" + client.port_;
  client.timeout_ = timeout;
  return client;
}

Result<Client> Client::at_socket(std::string path, Duration timeout) {
  if (path.empty() || path.size() > kSocketPathBytesMax) {
    return Error{ErrorCode::kInvalid, "a socket's path must have 1 to " +
                                          std::to_string(kSocketPathBytesMax) + " bytes, \"" + path +
                                          "\" has " + std::to_string(path.size())};
  }
  Client client;
  client.host_ = "localhost";
  client.port_ = "80";
  client.peer_ = path;
  client.socket_path_ = std::move(path);
  client.timeout_ = timeout;
  return client;
}

Client Client::until(std::stop_token stop) const {
  Client out = *this;
  out.stop_ = std::move(stop);
  return out;
}

Client Client::within(Duration timeout) const {
  Client out = *this;
  out.timeout_ = std::min(timeout_, timeout);
  return out;
}

Result<HttpAnswer> Client::get(std::string_view path, const UrlParameters& parameters) const {
  return exchange({.target = url_target(prefix_ + std::string(path), parameters)});
}

Result<HttpAnswer> Client::post(std::string_view path, std::string body,
                                const UrlParameters& parameters) const {
  return exchange({.is_post = true,
                   .target = url_target(prefix_ + std::string(path), parameters),
                   .body = std::move(body),
                   .fields = {{"Content-Type", "text/plain"}}});
}

Result<HttpAnswer> Client::post_with(std::string_view path, std::string body,
                                     const HttpFields& fields) const {
  return exchange({.is_post = true,
                   .target = url_target(prefix_ + std::string(path), {}),
                   .body = std::move(body),
                   .fields = fields});
}

Result<HttpAnswer> Client::exchange(Sent sent) const {
  Connection connection(timeout_, stop_);
  Stream& stream = connection.stream();
  error_code error;
  std::vector<Address> addresses;
  if (socket_path_.empty()) {
    addresses = resolve(host_, port_, error);
  } else {
    addresses.emplace_back(asio::local::stream_protocol::endpoint(socket_path_));
  }
  if (error) return unreachable(peer_, error);
  error = connection.finish([&](auto done) { stream.async_connect(addresses, done); });
  if (error) return unreachable(peer_, error);

  http::request<http::string_body> request(sent.is_post ? http::verb::post : http::verb::get, sent.target, 11,
                                           std::move(sent.body));
  request.set(http::field::host,
              host_.find(':') == std::string::npos ? host_ + ":" + port_ : "[" + host_ + "]:" + port_);
  request.set(http::field::user_agent, "statmill");
  if (!token_.empty()) request.set(http::field::authorization, "Bearer " + token_);
  request.set(http::field::connection, "close");
  for (const auto& [name, value] : sent.fields) request.set(name, value);
  request.prepare_payload();
  if (!uses_tls_) return answer_to(request, stream, connection, peer_);

  const auto context = client_tls(authority_);
  if (!context) return context.error();
  asio::ssl::stream<Stream&> tls(stream, **context);
  SSL_set_tlsext_host_name(tls.native_handle(), host_.c_str());  // fails for an address, which has no name
  tls.set_verify_mode(asio::ssl::verify_peer);
  tls.set_verify_callback(asio::ssl::host_name_verification(host_));
  error = connection.finish([&](auto done) { tls.async_handshake(asio::ssl::stream_base::client, done); });
  if (error) return unreachable(peer_, error);
  return answer_to(request, tls, connection, peer_);
}

}  // namespace statmill
