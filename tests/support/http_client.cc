#include "tests/support/http_client.h"

#include <strings.h>

#include <charconv>

#include "tests/support/sockets.h"

namespace statmill {
namespace {

std::string request_head(const Endpoint& server, std::string_view method, std::string_view target) {
  std::string out(method);
  out.append(" ").append(target).append(" HTTP/1.1\r\nHost: ").append(server.text());
  return out.append("\r\nConnection: close\r\n");
}

// Joins chunks (RFC 9112 section 7.1); ignores everything after a broken one.
std::string join_chunks(std::string_view in) {
  std::string out;
  while (true) {
    size_t size = 0;
    const auto [end, error] = std::from_chars(in.data(), in.data() + in.size(), size, 16);
    const size_t line_end = in.find("\r\n");
    if (error != std::errc() || size == 0 || line_end == std::string_view::npos) return out;
    in.remove_prefix(line_end + 2);
    out.append(in.substr(0, size));
    if (in.size() < size + 2) return out;
    in.remove_prefix(size + 2);
  }
}

HttpReply parse_reply(std::string_view bytes) {
  HttpReply out;
  const size_t head_end = bytes.find("\r\n\r\n");
  if (!bytes.starts_with("HTTP/1.") || head_end == std::string_view::npos) return out;
  out.headers = bytes.substr(0, head_end + 2);
  out.body = bytes.substr(head_end + 4);
  std::from_chars(bytes.data() + 9, bytes.data() + 12, out.status);
  if (out.header("Transfer-Encoding") == "chunked") out.body = join_chunks(out.body);
  return out;
}

}  // namespace

std::string HttpReply::header(std::string_view name) const {
  for (std::string_view line : split(headers, '\n')) {
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (::strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    line.remove_prefix(name.size() + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with('\r')) line.remove_suffix(1);
    return std::string(line);
  }
  return {};
}

HttpReply http_get(const Endpoint& server, std::string_view target) {
  return http_raw(server, request_head(server, "GET", target) + "\r\n");
}

HttpReply http_post(const Endpoint& server, std::string_view target, std::string_view body) {
  std::string request = request_head(server, "POST", target);
  request.append("Content-Type: text/plain\r\nContent-Length: ").append(std::to_string(body.size()));
  return http_raw(server, request.append("\r\n\r\n").append(body));
}

HttpReply http_raw(const Endpoint& server, std::string_view request) {
  TcpConnection connection = TcpConnection::to(server);
  if (!connection.is_connected()) return {};
  // The server may answer and close before it has read everything: the answer is still valid.
  [[maybe_unused]] const bool sent = connection.send(request);
  return parse_reply(connection.receive_all());
}

}  // namespace statmill
