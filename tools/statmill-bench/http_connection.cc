#include "tools/statmill-bench/http_connection.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <utility>

namespace statmill {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

}  // namespace

struct HttpConnection::Socket {
  std::string host;
  asio::io_context context{1};
  asio::ip::tcp::socket stream{context};
  boost::beast::flat_buffer buffer;
};

HttpConnection::HttpConnection(std::unique_ptr<Socket> socket) : socket_(std::move(socket)) {}
HttpConnection::HttpConnection(HttpConnection&&) noexcept = default;
HttpConnection::~HttpConnection() = default;

Result<HttpConnection> HttpConnection::open(const Endpoint& server) {
  auto socket = std::make_unique<Socket>();
  socket->host = server.text();
  error_code error;
  const auto addresses =
      asio::ip::tcp::resolver(socket->context).resolve(server.host, std::to_string(server.port), error);
  if (!error) asio::connect(socket->stream, addresses, error);
  if (!error) socket->stream.set_option(asio::ip::tcp::no_delay(true), error);
  if (error) return Error{ErrorCode::kUnavailable, server.text() + ": " + error.message()};
  return HttpConnection(std::move(socket));
}

Status HttpConnection::write(const std::string& target, size_t count) {
  const std::string request = "GET " + target + " HTTP/1.1\r\nHost: " + socket_->host + "\r\n\r\n";
  std::string all;
  all.reserve(request.size() * count);
  for (size_t i = 0; i < count; ++i) all += request;
  error_code error;
  asio::write(socket_->stream, asio::buffer(all), error);
  if (error) return Error{ErrorCode::kUnavailable, socket_->host + ": " + error.message()};
  return Status::ok();
}

Result<HttpAnswer> HttpConnection::read() {
  http::response_parser<http::string_body> parser;
  parser.body_limit(Client::kAnswerBytesMax);
  error_code error;
  http::read(socket_->stream, socket_->buffer, parser, error);
  if (!error) return HttpAnswer{parser.get().result_int(), std::move(parser.get().body())};
  const bool is_gone =
      error == http::error::end_of_stream || error.category() == asio::error::get_system_category();
  return Error{is_gone ? ErrorCode::kUnavailable : ErrorCode::kIo, socket_->host + ": " + error.message()};
}

Result<HttpAnswer> HttpConnection::get(const std::string& target) {
  if (Status s = write(target, 1); !s) return s.error();
  return read();
}

Result<HttpAnswer> HttpConnection::post(const std::string& target, const HttpFields& fields,
                                        const std::string& body) {
  std::string head = "POST " + target + " HTTP/1.1\r\nHost: " + socket_->host + "\r\n";
  for (const auto& [name, value] : fields) head.append(name).append(": ").append(value).append("\r\n");
  head += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  const std::array<asio::const_buffer, 2> request = {asio::buffer(head), asio::buffer(body)};
  error_code error;
  asio::write(socket_->stream, request, error);
  if (error) return Error{ErrorCode::kUnavailable, socket_->host + ": " + error.message()};
  return read();
}

Result<HttpAnswer> HttpConnection::get_pipelined(const std::string& target, size_t count) {
  constexpr unsigned kOk = 200;
  if (Status s = write(target, count); !s) return s.error();
  for (size_t i = 1; i < count; ++i) {
    const Result<HttpAnswer> answer = read();
    if (!answer) return answer.error();
    if (answer->status != kOk) return Error{ErrorCode::kIo, "status " + std::to_string(answer->status)};
  }
  return read();
}

}  // namespace statmill
