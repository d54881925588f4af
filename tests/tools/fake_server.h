// FakeServer: an HTTP server that sends the same answer to every request and records the requests.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "tests/support/sockets.h"

namespace statmill {

// Serves from construction to destruction, one connection at a time.
class FakeServer {
 public:
  FakeServer(int status, std::string body);
  // Sends `bytes` unchanged and closes the connection. For answers that are not HTTP.
  explicit FakeServer(std::string bytes);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::string url() const { return "http://" + listener_.endpoint().text(); }
  // Returns "GET /path?query" or "POST /path BODY" for each request answered so far.
  std::vector<std::string> requests() const;

 private:
  void serve();

  const std::string answer_;
  TcpListener listener_;
  mutable Mutex mutex_;
  std::vector<std::string> requests_ GUARDED_BY(mutex_);
  std::thread thread_;  // last, since it uses the members above
};

}  // namespace statmill
