#include "tests/tools/fake_server.h"

#include <cstdlib>
#include <utility>

namespace statmill {
namespace {

// Reads one request. Returns an empty string if the peer closes the connection before its end.
std::string read_request(TcpConnection& connection) {
  std::string bytes;
  while (true) {
    const size_t head_end = bytes.find("\r\n\r\n");
    if (head_end != std::string::npos) {
      const size_t length_at = bytes.find("Content-Length: ");
      const size_t length = length_at < head_end ? std::strtoul(&bytes[length_at + 16], nullptr, 10) : 0;
      if (bytes.size() >= head_end + 4 + length) return bytes;
    }
    const std::string part = connection.receive();
    if (part.empty()) return {};
    bytes += part;
  }
}

std::string in_short(const std::string& request) {
  const std::string line = request.substr(0, request.find(" HTTP/1.1"));
  const std::string body = request.substr(request.find("\r\n\r\n") + 4);
  return body.empty() ? line : line + " " + body;
}

}  // namespace

FakeServer::FakeServer(int status, std::string body)
    : FakeServer("HTTP/1.1 " + std::to_string(status) + " -\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body) {}

FakeServer::FakeServer(std::string bytes) : answer_(std::move(bytes)), thread_([this] { serve(); }) {}

FakeServer::~FakeServer() {
  listener_.stop();
  thread_.join();
}

std::vector<std::string> FakeServer::requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

void FakeServer::serve() {
  while (true) {
    TcpConnection connection = listener_.accept();
    if (!connection.is_connected()) return;
    const std::string request = read_request(connection);
    if (request.empty()) continue;
    {
      MutexLock lock(mutex_);
      requests_.push_back(in_short(request));
    }
    if (!connection.send(answer_)) continue;
    connection.finish_sending();
  }
}

}  // namespace statmill
