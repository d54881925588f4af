#include "tests/server/http/http_peer.h"

#include <boost/asio/post.hpp>
#include <future>

#include "base/check.h"

namespace statmill {

bool HttpPeer::send_get(std::string_view target) {
  return send("GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n");
}

bool HttpPeer::sees_end() {
  if (!received_.empty()) return false;
  const auto begin = std::chrono::steady_clock::now();
  // An empty text means the end of the connection or the time limit of the socket.
  return connection_.receive().empty() && std::chrono::steady_clock::now() - begin < kSocketTimeout;
}

bool HttpPeer::receive_until(size_t size) {
  while (received_.size() < size) {
    const std::string part = connection_.receive();
    if (part.empty()) return false;
    received_ += part;
  }
  return true;
}

PeerReply HttpPeer::receive_answer(bool has_body) {
  PeerReply reply;
  size_t head_end = std::string::npos;
  while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive_until(received_.size() + 1)) return {};
  }
  const std::string head = received_.substr(0, head_end + 2);
  size_t line = head.find("\r\n") + 2;
  while (line < head.size()) {
    const size_t end = head.find("\r\n", line);
    const size_t colon = head.find(": ", line);
    reply.fields[head.substr(line, colon - line)] = head.substr(colon + 2, end - colon - 2);
    line = end + 2;
  }
  const size_t body_begin = head_end + 4;
  if (has_body && reply.fields.contains("Transfer-Encoding")) {
    received_.erase(0, body_begin);
    if (!receive_chunks(reply.body)) return {};
    reply.status = std::stoi(head.substr(9, 3));
    return reply;
  }
  const size_t body_size = has_body && reply.fields.contains("Content-Length")
                               ? static_cast<size_t>(std::stoul(reply.fields["Content-Length"]))
                               : 0;
  if (!receive_until(body_begin + body_size)) return {};
  reply.status = std::stoi(head.substr(9, 3));
  reply.body = received_.substr(body_begin, body_size);
  received_.erase(0, body_begin + body_size);
  return reply;
}

// Returns false if the connection ends before the last chunk.
bool HttpPeer::receive_chunks(std::string& body) {
  for (;;) {
    size_t line_end = std::string::npos;
    while ((line_end = received_.find("\r\n")) == std::string::npos) {
      if (!receive_until(received_.size() + 1)) return false;
    }
    const size_t size = std::stoul(received_.substr(0, line_end), nullptr, 16);
    if (!receive_until(line_end + 2 + size + 2)) return false;
    body += received_.substr(line_end + 2, size);
    received_.erase(0, line_end + 2 + size + 2);
    if (size == 0) return true;
  }
}

RunningServer::RunningServer(FakeServices& fake, HttpOptions options, size_t threads, const KnownHosts* hosts,
                             const Access* access) {
  HttpSite site = fake.site();
  site.hosts = hosts;
  if (access != nullptr) site.access = &access_.emplace(*access);
  auto server = HttpServer::open(io_, {"127.0.0.1", 0}, std::move(site), options);
  SM_CHECK(server.has_value());
  server_ = *std::move(server);
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { io_.run(); });
}

void RunningServer::finish_steps() {
  // Each step queues the next one, through the executor of its connection, too.
  for (int step = 0; step < 20; ++step) {
    std::promise<void> done;
    boost::asio::post(io_, [&done] { done.set_value(); });
    done.get_future().wait();
  }
}

void RunningServer::stop() {
  server_->stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace statmill
