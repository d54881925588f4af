// Graphite's pickles from the programs that make them: Python's pickle and carbon-relay. Each is skipped
// where it is not installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

// Sends 100 pickles of 100 samples in each protocol, then one of a function to call.
constexpr const char* kSender = R"(
import os, pickle, socket, struct, sys, time
def send(to, data): to.sendall(struct.pack('>I', len(data)) + data)
now = time.time()
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    with socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as to:
        for i in range(100):
            send(to, pickle.dumps([('py.p%d.s%d' % (protocol, j), (now, i + j / 4)) for j in range(100)], protocol))
        to.shutdown(socket.SHUT_WR)
        assert to.recv(1) == b''
class Call:
    def __reduce__(self): return (os.mkdir, (sys.argv[2],))
with socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as to:
    send(to, pickle.dumps([('a', (now, Call()))], 2))
    assert to.recv(1) == b'', 'the server closes the connection'
)";

class PickleE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  double account(const std::string& what) const {
    return server_.metric("statmill_samples_" + what + "_total{listener=\"pickle\"}");
  }
  // Writes the settings of a carbon-relay with a port for lines, which sends to the server.
  void write_relay_settings(const std::string& folder, uint16_t line_port) const {
    std::ofstream(folder + "/storage-schemas.conf") << "[all]\npattern = .*\nretentions = 10s:1d\n";
    std::ofstream(folder + "/carbon.conf")
        << "[relay]\nSTORAGE_DIR = " << folder << "\nCONF_DIR = " << folder << "\nLOG_DIR = " << folder
        << "\nPID_DIR = " << folder << "\nLOCAL_DATA_DIR = " << folder
        << "\nUSER =\nLINE_RECEIVER_INTERFACE = 127.0.0.1\nLINE_RECEIVER_PORT = " << line_port
        << "\nPICKLE_RECEIVER_INTERFACE = 127.0.0.1\nPICKLE_RECEIVER_PORT = " << unused_port()
        << "\nRELAY_METHOD = consistent-hashing\nREPLICATION_FACTOR = 1\nDESTINATIONS = "
        << server_.listener("pickle").text()
        << ":a\nDESTINATION_PROTOCOL = pickle\nMAX_DATAPOINTS_PER_MESSAGE = 500\nMAX_QUEUE_SIZE = "
           "100000\nCARBON_METRIC_INTERVAL = 0\n";
  }

  ServerProcess server_{STATMILL_BIN,
                        {"--graphite.pickle", "127.0.0.1:0", "--graphite.listen", "127.0.0.1:0"}};
  TempDirectory directory_;
};

TEST_F(PickleE2e, AcceptsAllProtocolsOfPython) {
  if (run_program({"python3", {"--version"}, {}}).status != 0) GTEST_SKIP() << "python3 is not installed";
  const std::string made = (directory_.path() / "made").string();
  const Ended sent =
      run_program({"python3", {"-c", kSender, std::to_string(server_.listener("pickle").port), made}, {}});
  ASSERT_EQ(sent.status, 0) << sent.said;
  EXPECT_FALSE(std::filesystem::exists(made)) << "a pickle has run a function";
  const auto totals = server_.totals("py.*.*");
  ASSERT_GE(totals.size(), 500U);
  for (const auto& [name, total] : totals) {
    const double series = std::stod(name.substr(name.rfind('s') + 1));
    EXPECT_EQ(total.count, 100) << name;
    EXPECT_EQ(total.sum, 99 * 50 + 25 * series) << name;
  }
  EXPECT_EQ(account("accepted"), static_cast<double>(totals.size()) * 100);
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"pickle\",reason=\"bad_pickle\"}"), 1);
  EXPECT_EQ(server_.metric("statmill_line_connections_foreign_total{listener=\"pickle\"}"), 1);
  EXPECT_THAT(server_.cli({"rejects"}).out, testing::HasSubstr("it names a class or a function"));
}

TEST_F(PickleE2e, AcceptsWhatCarbonRelaySends) {
  const std::string unpacked = STATMILL_SOURCE_TREE "/build/unpacked/graphite-carbon";
  const std::string program = unpacked + "/bin/carbon-relay";
  const std::vector<std::pair<std::string, std::string>> environment = {
      {"PYTHONPATH", unpacked + "/lib/python3/dist-packages"}};
  if (run_program({program, {"--help"}, environment}).status != 0) GTEST_SKIP() << program << " does not run";
  const std::string folder = directory_.path().string();
  const Endpoint lines{"127.0.0.1", unused_port()};
  write_relay_settings(folder, lines.port);
  Process relay({program, {"--config=" + folder + "/carbon.conf", "--nodaemon", "start"}, environment});
  TcpConnection connection = TcpConnection::to(lines);
  ASSERT_TRUE(wait_until([&] {
    if (!connection.is_connected()) connection = TcpConnection::to(lines);
    return connection.is_connected();
  })) << relay.standard_error();
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "relayed.s" + std::to_string(i % 200) + " " + std::to_string(i) + ".25 -1\n";
  ASSERT_TRUE(connection.send(text));
  ASSERT_TRUE(server_.wait_for_metric("statmill_samples_received_total{listener=\"pickle\"}", 20'000))
      << relay.standard_output() << relay.standard_error();
  double sum = 0;
  double count = 0;
  for (const auto& [name, total] : server_.totals("relayed.*")) {
    sum += total.sum;
    count += total.count;
  }
  EXPECT_EQ(count, 20'000);
  EXPECT_EQ(sum, 20'000.0 * 19'999 / 2 + 20'000 * 0.25);
  EXPECT_EQ(account("accepted"), 20'000);
}

TEST_F(PickleE2e, SaysWhatCameToTheWrongPort) {
  TcpConnection pickle = TcpConnection::to(server_.listener("graphite"));
  ASSERT_TRUE(pickle.send(std::string("\0\0\0\6\x80\2]q\0.", 10)));
  EXPECT_EQ(pickle.receive_all(), "");
  EXPECT_TRUE(server_.process().wait_for_line("what a sender sends is not for this port"));
  TcpConnection lines = TcpConnection::to(server_.listener("pickle"));
  ASSERT_TRUE(lines.send("disk.used 12.5 -1\n"));
  EXPECT_EQ(lines.receive_all(), "");
  EXPECT_THAT(server_.cli({"rejects"}).out,
              testing::AllOf(testing::HasSubstr("a pickle: those of Graphite have a port of their own"),
                             testing::HasSubstr("disk.used 12.5 -1")));
}

}  // namespace
}  // namespace statmill
