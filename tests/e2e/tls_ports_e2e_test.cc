// TLS on the ports for HTTP and lines, networks that may use them, and what SIGHUP reads again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/server_process.h"
#include "tests/support/certificate.h"
#include "tests/support/tls_connection.h"

namespace statmill {
namespace {

using Options = std::vector<std::string>;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kRead = "certificates, tokens and lists of networks read again";

class TlsPortsE2e : public testing::Test {
 protected:
  Options http_tls() const { return {"--http.certificate", own_.certificate, "--http.key", own_.key}; }
  Options line_tls() const { return {"--line.certificate", own_.certificate, "--line.key", own_.key}; }
  static Ended cli(const ServerProcess& server, const std::string& scheme, Options arguments,
                   const std::string& authority, const std::string& token = "") {
    arguments.insert(arguments.end(), {"--server", scheme + "://" + server.http().text()});
    return run_program({std::string(STATMILL_BIN) + "/statmill",
                        std::move(arguments),
                        {{"STATMILL_AUTHORITY", authority}, {"STATMILL_TOKEN", token}}});
  }
  // Returns a value of /metrics, from a server whose HTTP port speaks TLS.
  double metric(const ServerProcess& server, const std::string& name) const {
    TlsConnection connection = TlsConnection::to(server.http(), own_.certificate);
    EXPECT_TRUE(connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
    const std::string text = connection.receive_all();
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size() + 2));
  }
  static void replace(const std::string& file, const std::string& by) {
    std::filesystem::copy_file(by, file, std::filesystem::copy_options::overwrite_existing);
  }

  const TempDirectory directory_;
  const TempDirectory others_;
  const CertificateFiles own_ = make_certificate(directory_, "IP:127.0.0.1");
  const CertificateFiles other_ = make_certificate(others_, "IP:127.0.0.1");
};

TEST_F(TlsPortsE2e, HttpAnswersOverTlsOnly) {
  ServerProcess server(STATMILL_BIN, http_tls());
  server.start();
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += "web.long.enough.for.blocks." + std::to_string(i) + " 1\n";
  server.send(lines);
  const Ended list = cli(server, "https", {"ls", "web.**", "--limit", "20000"}, own_.certificate);
  EXPECT_EQ(list.status, 0) << list.said;
  EXPECT_EQ(std::ranges::count(list.out, '\n'), 20'000 + 1) << "with a line of titles";
  EXPECT_EQ(cli(server, "https", {"status"}, other_.certificate).status, 9);
  EXPECT_EQ(cli(server, "https", {"status"}, "").status, 9) << "the system does not trust it";
  EXPECT_EQ(cli(server, "http", {"status"}, "").status, 9);
  EXPECT_GE(metric(server, "statmill_http_refused_total{reason=\"handshake\"}"), 3);
  EXPECT_EQ(server.stop(), 0);
  EXPECT_THAT(server.process().standard_error(),
              AllOf(HasSubstr("warn TLS handshake failed setting=http.listen peer=127.0.0.1:"),
                    HasSubstr("unknown ca")));
}

TEST_F(TlsPortsE2e, AnAnswerEndsAsTlsWantsIt) {
  ServerProcess server(STATMILL_BIN, http_tls());
  server.start();
  TlsConnection connection = TlsConnection::to(server.http(), own_.certificate);
  ASSERT_TRUE(connection.is_connected());
  ASSERT_TRUE(connection.send("GET /healthz HTTP/1.0\r\n\r\n"));
  bool is_cut = true;
  EXPECT_THAT(connection.receive_all(&is_cut), HasSubstr(" 200 OK"));
  EXPECT_FALSE(is_cut);
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(TlsPortsE2e, PlainHttpBeyondTheLoopbackNeedsAFlag) {
  for (const char* address : {"0.0.0.0:0", "[::]:0"}) {
    const Options options = {"--store.path",   (directory_.path() / "data").string(),
                             "--line.listen",  "127.0.0.1:0",
                             "--agent.listen", "127.0.0.1:0",
                             "--http.listen",  address};
    const Ended refused = run_program({std::string(STATMILL_BIN) + "/statmilld", options, {}});
    EXPECT_EQ(refused.status, 2) << address;
    EXPECT_THAT(refused.said, HasSubstr("an address that other hosts can reach needs --http.certificate"));
    for (Options allowed : {Options{"--http.plain"}, http_tls()}) {
      allowed.insert(allowed.begin(), options.begin(), options.end());
      Process server({std::string(STATMILL_BIN) + "/statmilld", allowed, {}});
      EXPECT_TRUE(server.wait_for_line(" ready ")) << address << server.standard_error();
      server.signal(SIGTERM);
      EXPECT_EQ(server.wait(), 0);
    }
  }
}

TEST_F(TlsPortsE2e, LinesComeOverTls) {
  Options options = line_tls();
  options.insert(options.end(), {"--graphite.listen", "127.0.0.1:0"});
  ServerProcess server(STATMILL_BIN, options);
  server.start();
  std::string lines;
  for (int i = 0; i < 50'000; ++i) lines += "*tls.count 1\n";
  {
    TlsConnection sender = TlsConnection::to(server.line(), own_.certificate);
    ASSERT_TRUE(sender.is_connected());
    ASSERT_TRUE(sender.send(lines + "*tls.cut 1"));
    TlsConnection graphite = TlsConnection::to(server.listener("graphite"), own_.certificate);
    ASSERT_TRUE(graphite.is_connected());
    ASSERT_TRUE(graphite.send("tls.graphite 5 " + std::to_string(std::time(nullptr)) + "\ntls.end 1 " +
                              std::to_string(std::time(nullptr))));
    graphite.end_writing();
  }
  ASSERT_TRUE(server.wait_for_metric("statmill_samples_accepted_total{listener=\"tcp\"}", 50'000));
  ASSERT_TRUE(server.wait_for_metric("statmill_samples_accepted_total{listener=\"graphite_tcp\"}", 2))
      << "a stream that was ended properly ends its last line";
  ASSERT_TRUE(
      server.wait_for_metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"unterminated\"}", 1));
  EXPECT_EQ(server.totals("tls.count").at("tls.count").sum, 50'000);
  TcpConnection plain = TcpConnection::to(server.line());
  ASSERT_TRUE(plain.send("tls.plain 1\n"));
  plain.receive_all();
  EXPECT_EQ(server.metric("statmill_line_handshake_failures_total{listener=\"tcp\"}"), 1);
  EXPECT_TRUE(server.totals("tls.plain*").empty());
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
  EXPECT_THAT(server.process().standard_error(),
              HasSubstr("warn TLS handshake failed setting=line.listen peer=127.0.0.1:"));
}

TEST_F(TlsPortsE2e, AStopReadsWhatHasCome) {
  ServerProcess server(STATMILL_BIN, line_tls());
  server.start();
  TlsConnection sender = TlsConnection::to(server.line(), own_.certificate);
  ASSERT_TRUE(sender.is_connected());
  ASSERT_TRUE(sender.send("tls.last 1\n"));
  ASSERT_TRUE(server.wait_for_metric("statmill_line_connections", 1));
  EXPECT_EQ(server.stop(), 0);
  server.start();
  EXPECT_EQ(server.totals("tls.last").at("tls.last").count, 1);
  EXPECT_EQ(server.stop(), 0);
}

// One client says nothing; the other has begun a handshake.
TEST_F(TlsPortsE2e, AStopDoesNotWaitForHandshakes) {
  ServerProcess server(STATMILL_BIN, line_tls());
  server.start();
  std::vector<TcpConnection> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(TcpConnection::to(server.line()));
  ASSERT_TRUE(silent.back().send("\x16\x03"));
  EXPECT_EQ(server.stop(), 0);
}

// Its rest would never be read if the thread waited for the kernel to have more.
TEST_F(TlsPortsE2e, ALongStreamLeavesTimeForOthers) {
  ServerProcess server(STATMILL_BIN, line_tls());
  server.start();
  std::string lines;
  while (lines.size() < (size_t{16} << 20)) lines += "*long.stream.of.lines 1\n";
  TlsConnection sender = TlsConnection::to(server.line(), own_.certificate);
  ASSERT_TRUE(sender.is_connected() && sender.send(lines));
  const auto count = static_cast<double>(std::ranges::count(lines, '\n'));
  EXPECT_TRUE(server.wait_for_metric("statmill_samples_accepted_total{listener=\"tcp\"}", count));
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(TlsPortsE2e, AHangupReadsCertificatesAgain) {
  Options options = http_tls();
  const Options lines = line_tls();
  options.insert(options.end(), lines.begin(), lines.end());
  ServerProcess server(STATMILL_BIN, options);
  server.start();
  TlsConnection before = TlsConnection::to(server.line(), own_.certificate);
  ASSERT_TRUE(before.is_connected());
  const std::string first = others_.path() / "first.pem";
  replace(first, own_.certificate);
  replace(own_.certificate, other_.certificate);
  server.process().signal(SIGHUP);
  ASSERT_TRUE(server.process().wait_for_line("not read again, what was read before stays"))
      << "the key is still the other one";
  EXPECT_TRUE(TlsConnection::to(server.http(), first).is_connected());
  replace(own_.key, other_.key);
  server.process().signal(SIGHUP);
  ASSERT_TRUE(server.process().wait_for_line(kRead));
  for (const Endpoint& port : {server.http(), server.line()}) {
    EXPECT_TRUE(TlsConnection::to(port, other_.certificate).is_connected());
    EXPECT_FALSE(TlsConnection::to(port, first).is_connected());
  }
  EXPECT_TRUE(before.send("tls.old 1\n")) << "connections go on";
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(TlsPortsE2e, AHangupReadsTokensAgain) {
  // SHA-256 of the tokens.
  const std::string tokens =
      directory_
          .write("tokens", "read ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad abc\n")
          .string();
  std::filesystem::permissions(tokens, std::filesystem::perms(0600));
  ServerProcess server(STATMILL_BIN, {"--http.tokens", tokens});
  server.start();
  EXPECT_EQ(cli(server, "http", {"status"}, "", "abc").status, 0);
  std::ofstream(tokens) << "read ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb a\n";
  server.process().signal(SIGHUP);
  ASSERT_TRUE(server.process().wait_for_line(kRead));
  EXPECT_NE(cli(server, "http", {"status"}, "", "abc").status, 0);
  EXPECT_EQ(cli(server, "http", {"status"}, "", "a").status, 0);
  std::ofstream(tokens) << "nonsense\n";
  server.process().signal(SIGHUP);
  ASSERT_TRUE(server.process().wait_for_line("what was read before stays"));
  EXPECT_EQ(cli(server, "http", {"status"}, "", "a").status, 0);
  EXPECT_EQ(server.stop(), 0);
}

// Sends a datagram and a line over TCP from an address.
void send_from(const std::string& source, const Endpoint& line) {
  UdpSender(line, source).send("from.udp 1\n");
  TcpConnection connection = TcpConnection::to(line, source);
  connection.send("from.tcp 1\n");
  connection.finish_sending();
  connection.receive_all();
}

TEST_F(TlsPortsE2e, NetworksAreDeniedAtEveryPort) {
  const std::string settings = directory_.write("settings", "[line]\ndeny = 127.0.0.2\n").string();
  ServerProcess server(STATMILL_BIN,
                       {"--config", settings, "--http.allow", "127.0.0.1", "--agent.deny", "127.0.0.0/8"});
  server.start();
  send_from("127.0.0.2", server.line());
  ASSERT_TRUE(server.wait_for_metric("statmill_udp_datagrams_denied_total{listener=\"udp\"}", 1));
  EXPECT_EQ(server.metric("statmill_line_connections_refused_total{listener=\"tcp\",reason=\"denied\"}"), 1);
  EXPECT_EQ(TcpConnection::to(server.http(), "127.0.0.2").receive_all(), "");
  EXPECT_EQ(TcpConnection::to(server.agent()).receive_all(), "");
  EXPECT_EQ(server.metric("statmill_http_refused_total{reason=\"denied\"}"), 1);
  EXPECT_EQ(server.metric("statmill_agent_connections_refused_total{reason=\"denied\"}"), 1);
  EXPECT_TRUE(server.totals("from.*").empty());

  std::ofstream(settings) << "flush.interval = 5m\n[line]\ndeny = 127.0.0.3\n";
  server.process().signal(SIGHUP);
  ASSERT_TRUE(server.process().wait_for_line(kRead));
  EXPECT_THAT(server.process().standard_error(),
              AllOf(HasSubstr("info setting changed setting=line.deny before=127.0.0.2 now=127.0.0.3\n"),
                    HasSubstr("warn settings changed that need a restart settings=flush.interval\n")));
  send_from("127.0.0.2", server.line());
  ASSERT_TRUE(server.wait_for_metric("statmill_samples_accepted_total{listener=\"udp\"}", 1));
  EXPECT_EQ(server.totals("from.*").size(), 2U);

  std::ofstream(settings) << "[line]\ndeny = nonsense\n";
  server.process().signal(SIGHUP);
  EXPECT_TRUE(server.process().wait_for_line("all stays as it was"));
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
