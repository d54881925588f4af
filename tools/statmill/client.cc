// See client.h.
#include "tools/statmill/client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/url.hpp>

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// Runs one asynchronous step of `stream` to its end, within `timeout`: Beast's time limits work on those
// only.
template <class Start>
error_code finish(asio::io_context& context, beast::tcp_stream& stream, Duration timeout,
                  const Start& start) {
  error_code outcome;
  stream.expires_after(timeout);
  start([&outcome](error_code error, const auto&...) { outcome = error; });
  context.restart();
  context.run();
  return outcome;
}

Error unreachable(const std::string& host, const std::string& port, const error_code& why) {
  return {ErrorCode::kUnavailable, "cannot reach " + host + ":" + port + ": " + why.message()};
}

}  // namespace

Result<Client> Client::to(std::string_view server, Duration timeout) {
  const auto url = boost::urls::parse_uri(server);
  const auto wrong = [&](std::string_view why) {
    return Error{ErrorCode::kInvalid, "server URL \"" + std::string(server) + "\" " + std::string(why)};
  };
  if (!url || url->scheme() != "http") return wrong("is not of the form http://HOST:PORT");
  if (url->host().empty()) return wrong("has no host");
  if (!url->port().empty() && url->port_number() == 0) return wrong("has no port from 1 to 65535");
  if (url->has_query() || url->has_fragment() || url->has_userinfo())
    return wrong("has more than host, port and path");
  std::string prefix(url->encoded_path());
  while (prefix.ends_with('/')) prefix.pop_back();
  std::string port(url->port());
  return Client(std::string(url->host_address()), port.empty() ? "80" : port, std::move(prefix), timeout);
}

Client::Client(std::string host, std::string port, std::string prefix, Duration timeout)
    : host_(std::move(host)), port_(std::move(port)), prefix_(std::move(prefix)), timeout_(timeout) {}

Result<HttpAnswer> Client::get(std::string_view path, const UrlParameters& parameters) const {
  std::string target = prefix_ + std::string(path);
  char separator = '?';
  for (const auto& [name, value] : parameters) {
    // Unreserved only: '+' would be read as a blank by some.
    target.append(1, separator).append(name).append("=");
    target.append(boost::urls::encode(value, boost::urls::unreserved_chars));
    separator = '&';
  }
  return exchange(false, std::move(target), {});
}

Result<HttpAnswer> Client::post(std::string_view path, std::string body) const {
  return exchange(true, prefix_ + std::string(path), std::move(body));
}

Result<HttpAnswer> Client::exchange(bool post, std::string target, std::string body) const {
  asio::io_context context(1);
  beast::tcp_stream stream(context);
  error_code error;
  const auto addresses = tcp::resolver(context).resolve(host_, port_, error);
  if (error) return unreachable(host_, port_, error);
  error = finish(context, stream, timeout_, [&](auto done) { stream.async_connect(addresses, done); });
  if (error) return unreachable(host_, port_, error);

  http::request<http::string_body> request(post ? http::verb::post : http::verb::get, target, 11,
                                           std::move(body));
  request.set(http::field::host,
              host_.find(':') == std::string::npos ? host_ + ":" + port_ : "[" + host_ + "]:" + port_);
  request.set(http::field::user_agent, "statmill");
  request.set(http::field::connection, "close");
  if (post) request.set(http::field::content_type, "text/plain");
  request.prepare_payload();
  error = finish(context, stream, timeout_, [&](auto done) { http::async_write(stream, request, done); });
  // A server that refuses a request may answer before it has read all of it; its answer says more than ours.
  if (error && error != asio::error::broken_pipe && error != asio::error::connection_reset) {
    return unreachable(host_, port_, error);
  }

  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kAnswerBytesMax);
  error =
      finish(context, stream, timeout_, [&](auto done) { http::async_read(stream, buffer, parser, done); });
  if (!error) return HttpAnswer{parser.get().result_int(), std::move(parser.get().body())};
  if (error == http::error::body_limit) {
    return Error{ErrorCode::kLimit,
                 "the answer is larger than " + std::to_string(kAnswerBytesMax) + " bytes"};
  }
  const bool is_gone = error == beast::error::timeout || error == http::error::end_of_stream ||
                       error.category() == asio::error::get_system_category();
  if (is_gone) return unreachable(host_, port_, error);
  return Error{ErrorCode::kIo, "no HTTP answer from " + host_ + ":" + port_ + ": " + error.message()};
}

}  // namespace statmill
