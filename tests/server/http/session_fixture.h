// SessionFixture: a server that starts with the options of the test when its first client connects.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "tests/server/http/http_peer.h"

namespace statmill {

inline std::string post_lines(std::string_view body, std::string_view fields = "") {
  return "POST /api/v1/lines HTTP/1.1\r\nHost: h\r\n" + std::string(fields) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

class SessionFixture : public testing::Test {
 protected:
  // Starts the server on first use, with the current options_.
  HttpPeer connect() {
    if (!server_) server_ = std::make_unique<RunningServer>(fake_, options_);
    return HttpPeer(server_->endpoint());
  }
  // Waits until the counter of this refusal has reached `count`.
  bool refusals_reach(std::string_view reason, double count) {
    const auto deadline = std::chrono::steady_clock::now() + kSocketTimeout;
    while (fake_.reading("statmill.http_refused", reason) < count) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  FakeServices fake_;
  HttpOptions options_;
  std::unique_ptr<RunningServer> server_;  // last: its threads use the others
};

}  // namespace statmill
