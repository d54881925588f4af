// The deadlines of TLS connections.
#include <gtest/gtest.h>

#include "tests/ingest/line_listener_fixture.h"
#include "tests/support/certificate.h"
#include "tests/support/tls_connection.h"

namespace statmill {
namespace {

class LineListenerTlsTest : public LineListenerTest {
 protected:
  LineListenerTlsTest() {
    options_.tls = {files_.certificate, files_.key};
    options_.idle_timeout = Duration(0);
  }

  const TempDirectory directory_;
  const CertificateFiles files_ = make_certificate(directory_, "IP:127.0.0.1");
};

TEST_F(LineListenerTlsTest, ClosesAConnectionThatDoesNotShakeHands) {
  options_.handshake_timeout = std::chrono::milliseconds(20);
  const auto lines = listen(istatd_dialect());
  TcpConnection silent = TcpConnection::to(lines->endpoint());
  ASSERT_TRUE(wait_until([&] { return connections_->list(1).size() == 1; }));
  clock_.advance(options_.handshake_timeout);
  EXPECT_EQ(silent.receive(), "") << "closed";
  EXPECT_EQ(counter("statmill.line_handshake_failures", "tcp"), 1U);
}

// With the deadline of its handshake, a connection without an idle timeout has lost its only one.
TEST_F(LineListenerTlsTest, AConnectionThatHasShakenHandsMayBeSilentForEver) {
  options_.handshake_timeout = std::chrono::milliseconds(1);
  const auto lines = listen(istatd_dialect());
  TlsConnection sender = TlsConnection::to(lines->endpoint(), files_.certificate);
  ASSERT_TRUE(sender.is_connected());
  clock_.advance(std::chrono::hours(1));
  for (uint64_t i = 1; i <= 50; ++i) {
    ASSERT_TRUE(sender.send("still.here 1\n"));
    ASSERT_TRUE(wait_until([&] { return accepted("tcp") == i; }));
  }
}

}  // namespace
}  // namespace statmill
