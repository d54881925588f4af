// The agent stream beyond the loopback: TLS, certificates and tokens. A peer with the wrong certificate or
// token is refused, and the log says why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/agent_ledger.h"
#include "tests/e2e/server_process.h"
#include "tests/support/certificate.h"

namespace statmill {
namespace {

using Options = std::vector<std::string>;

constexpr const char* kAccepted = "statmill_samples_accepted_total{listener=\"agent\"}";

Options operator+(Options left, const Options& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

class TlsE2e : public testing::Test {
 protected:
  Options server_tls() const { return {"--agent.certificate", own_.certificate, "--agent.key", own_.key}; }
  Options agent_tls() const { return {"--server.tls", "true", "--server.authority", own_.certificate}; }
  std::string token(const std::string& name, const std::string& text) const {
    return directory_.write(name, text + "\n").string();
  }
  static Command agent_for(const ServerProcess& server, const Options& options) {
    return {std::string(STATMILL_BIN) + "/statmill-agent",
            Options{"--server", server.agent().text(), "--interval", "100ms", "--collectors", "load",
                    "--agent.host", "e2e"} +
                options,
            {}};
  }
  // Expects that the server accepts samples of the agent.
  static void expect_accepted(const Options& server_options, const Options& agent_options) {
    ServerProcess server(STATMILL_BIN, server_options);
    server.start();
    Process agent(agent_for(server, agent_options));
    EXPECT_TRUE(server.wait_for_metric(kAccepted, 10)) << agent.standard_error();
    agent.signal(SIGTERM);
    EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
    EXPECT_EQ(server.conservation(), "");
    EXPECT_EQ(server.stop(), 0);
  }
  // Expects that the agent logs why it was refused, and that the server accepts nothing from it.
  static void expect_refusal(const Options& server_options, const Options& agent_options,
                             const std::string& reason) {
    ServerProcess server(STATMILL_BIN, server_options);
    server.start();
    Process agent(agent_for(server, agent_options));
    const auto line = agent.wait_for_line("server away");
    ASSERT_TRUE(line) << agent.standard_error();
    EXPECT_THAT(*line, testing::HasSubstr(reason));
    EXPECT_TRUE(server.wait_for_metric("statmill_agent_handshake_failures_total", 1));
    agent.signal(SIGTERM);
    EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
    EXPECT_FALSE(account_of_host(server, "e2e").is_known);
    EXPECT_EQ(server.metric(kAccepted), 0);
    EXPECT_EQ(server.stop(), 0);
  }

  const TempDirectory directory_;
  const TempDirectory others_;
  const CertificateFiles own_ = make_certificate(directory_, "IP:127.0.0.1,DNS:stat.example");
  const CertificateFiles other_ = make_certificate(others_, "IP:127.0.0.1,DNS:stat.example");
};

TEST_F(TlsE2e, TheRightCertificateIsAccepted) { expect_accepted(server_tls(), agent_tls()); }

TEST_F(TlsE2e, TheCertificateMayMatchTheConfiguredName) {
  expect_accepted(server_tls(), agent_tls() + Options{"--server.name", "stat.example"});
}

TEST_F(TlsE2e, ACertificateForAnotherNameIsRefused) {
  expect_refusal(server_tls(), agent_tls() + Options{"--server.name", "other.example"},
                 "certificate verify failed");
}

TEST_F(TlsE2e, ACertificateFromAnotherAuthorityIsRefused) {
  expect_refusal(server_tls(), {"--server.tls", "true", "--server.authority", other_.certificate},
                 "certificate verify failed");
}

TEST_F(TlsE2e, WithoutAnAuthorityTheSystemsAuthoritiesDecide) {
  expect_refusal(server_tls(), {"--server.tls", "true"}, "certificate verify failed");
}

TEST_F(TlsE2e, OnlyAnAgentWithTheTokenIsAccepted) {
  const std::string right = token("right", "0123456789abcdef0123456789abcdef");
  const std::string wrong = token("wrong", "0123456789abcdef0123456789abcdeX");
  const Options server_options = server_tls() + Options{"--agent.token_file", right};
  expect_accepted(server_options, agent_tls() + Options{"--server.token_file", right});
  expect_refusal(server_options, agent_tls() + Options{"--server.token_file", wrong}, "token");
  expect_refusal(server_options, agent_tls(), "token");
}

TEST_F(TlsE2e, APlainAgentThatMeetsATlsServerReportsIt) {
  expect_refusal(server_tls(), {}, "before it answered the hello; does it want TLS?");
}

TEST_F(TlsE2e, ATlsAgentThatMeetsAPlainServerReportsIt) {
  expect_refusal({}, agent_tls(), "does the server speak TLS?");
}

// The check precedes the bind, so the address need not exist.
TEST_F(TlsE2e, APlainPortBeyondTheLoopbackIsRefused) {
  for (const char* address : {"192.0.2.1:0", "0.0.0.0:0", "[::]:0"}) {
    const Ended server =
        run_program({std::string(STATMILL_BIN) + "/statmilld",
                     {"--store.path", (directory_.path() / "data").string(), "--line.listen", "127.0.0.1:0",
                      "--http.listen", "127.0.0.1:0", "--agent.listen", address},
                     {}});
    EXPECT_EQ(server.status, 2) << address << ": " << server.said;
    EXPECT_THAT(server.said,
                testing::HasSubstr("an address that other hosts can reach needs --agent.certificate"));
  }
}

TEST_F(TlsE2e, APlainAgentRefusesAServerBeyondTheLoopback) {
  const Ended agent = run_program({std::string(STATMILL_BIN) + "/statmill-agent",
                                   {"--server", "192.0.2.1:8113", "--collectors", "load"},
                                   {}});
  EXPECT_EQ(agent.status, 2) << agent.said;
  EXPECT_THAT(agent.said, testing::HasSubstr("a server outside the loopback needs --server.tls"));
}

TEST_F(TlsE2e, AServerWithInvalidTlsFilesDoesNotStart) {
  const std::vector<std::pair<Options, std::string>> cases = {
      {{"--agent.certificate", own_.certificate}, "set both or neither"},
      {{"--agent.certificate", "/nowhere.pem", "--agent.key", own_.key}, "/nowhere.pem"},
      {{"--agent.certificate", own_.certificate, "--agent.key", other_.key}, "key.pem"},
      {{"--agent.token_file", token("short", "0123456789")}, "must have 16 to 512 bytes"},
  };
  for (const auto& [options, reason] : cases) {
    const Ended server =
        run_program({std::string(STATMILL_BIN) + "/statmilld",
                     Options{"--store.path", (directory_.path() / "data").string(), "--line.listen",
                             "127.0.0.1:0", "--http.listen", "127.0.0.1:0", "--agent.listen", "127.0.0.1:0"} +
                         options,
                     {}});
    EXPECT_EQ(server.status, 2) << server.said;
    EXPECT_THAT(server.said, testing::HasSubstr(reason));
  }
}

}  // namespace
}  // namespace statmill
