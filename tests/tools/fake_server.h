// FakeServer: an HTTP server that gives every request the same answer and keeps what was asked.
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
  // Gives `bytes` as they are and closes: for answers that are not HTTP.
  explicit FakeServer(std::string bytes);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::string url() const { return "http://" + listener_.endpoint().text(); }
  // "GET /path?query" or "POST /path BODY" of each request answered so far.
  std::vector<std::string> requests() const;

 private:
  void serve();

  const std::string answer_;
  TcpListener listener_;
  mutable Mutex mutex_;
  std::vector<std::string> requests_ GUARDED_BY(mutex_);
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace statmill
