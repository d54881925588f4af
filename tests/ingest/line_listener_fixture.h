// LineListenerTest: listeners with real sockets and a clock of the test.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "ingest/line_listener.h"
#include "ingest/statsd/dialect.h"
#include "tests/ingest/ingest_fixture.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sockets.h"

namespace statmill {

// Sends datagrams to the unix socket at a path.
class LocalSender {
 public:
  explicit LocalSender(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    is_connected_ =
        ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  bool is_connected() const { return is_connected_; }
  bool send(std::string_view datagram) const {
    return ::send(socket_.get(), datagram.data(), datagram.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(datagram.size());
  }

 private:
  Descriptor socket_;
  bool is_connected_ = false;
};

class LineListenerTest : public testing::Test, protected IngestFixture {
 protected:
  std::unique_ptr<LineListener> listen(std::unique_ptr<Dialect> dialect) {
    auto listener = std::make_unique<LineListener>(
        options_, std::move(dialect), LineListener::Services{intake, registry, *connections_, clock_, log_});
    const Status opened = listener->open();
    EXPECT_TRUE(opened) << opened.error().message;
    return listener;
  }
  // Returns after the listener has closed the connection, so the table has all samples.
  static void send(const LineListener& listener, std::string_view lines) {
    TcpConnection connection = TcpConnection::to(listener.endpoint());
    ASSERT_TRUE(connection.send(lines));
    connection.finish_sending();
    EXPECT_EQ(connection.receive_all(), "") << "listeners never answer";
  }
  std::unique_ptr<Dialect> statsd() {
    return std::make_unique<StatsdDialect>(StatsdLimits{}, intake, registry);
  }
  uint64_t refused_connections(std::string_view listener, std::string_view reason) {
    return registry
        .counter("statmill.line_connections_refused", "",
                 {{"listener", std::string(listener)}, {"reason", std::string(reason)}})
        .value();
  }
  uint64_t counter(std::string_view name, std::string_view listener) {
    return registry.counter(name, "", {{"listener", std::string(listener)}}).value();
  }

  LineOptions options_{.listen = {"127.0.0.1", 0}};

  ManualClock clock_;
  Log log_{LogLevel::kError};
  Log warnings_{LogLevel::kWarn};
  std::unique_ptr<ConnectionRegistry> connections_ = std::make_unique<ConnectionRegistry>(SessionLimit(100));
};

}  // namespace statmill
