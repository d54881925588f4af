// An agent whose server was away for an hour: its new samples arrive before the backlog, and each counts
// once.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "agent/spool/disk_directory.h"
#include "agent/spool/spool.h"
#include "tests/e2e/agent_host.h"
#include "tests/e2e/agent_ledger.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using Steady = std::chrono::steady_clock;
using Tcp = boost::asio::ip::tcp;

constexpr int kBatches = 3600;  // one a second
constexpr uint64_t kLinesPerBatch = 300;
constexpr size_t kGrant = 256;
constexpr int kMarks = 3;

// A proxy for one connection, whose way to the server carries as many bytes as it is granted.
class GatedProxy {
 public:
  explicit GatedProxy(const Endpoint& server)
      : acceptor_(io_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
        server_(server),
        thread_([this] { run(); }) {}
  ~GatedProxy() {
    open();
    boost::system::error_code ignored;
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    to_agent_.shutdown(Tcp::socket::shutdown_both, ignored);
    to_server_.shutdown(Tcp::socket::shutdown_both, ignored);
    thread_.join();
  }
  GatedProxy(const GatedProxy&) = delete;
  GatedProxy& operator=(const GatedProxy&) = delete;

  Endpoint endpoint() const { return {"127.0.0.1", acceptor_.local_endpoint().port()}; }
  void grant(size_t bytes) {
    const std::lock_guard lock(mutex_);
    granted_ += bytes;
    changed_.notify_all();
  }
  void open() { grant(size_t{1} << 40); }

 private:
  void run() {
    boost::system::error_code fault;
    acceptor_.accept(to_agent_, fault);
    if (fault) return;
    to_server_.connect(Tcp::endpoint(boost::asio::ip::address_v4::loopback(), server_.port), fault);
    std::thread back([this] { copy(to_server_, to_agent_, false); });
    copy(to_agent_, to_server_, true);
    back.join();
  }
  void copy(Tcp::socket& from, Tcp::socket& to, bool is_gated) {
    std::vector<char> bytes(64 << 10);
    for (;;) {
      const size_t most = is_gated ? std::min(wait_for_grant(), bytes.size()) : bytes.size();
      boost::system::error_code fault;
      const size_t size = from.read_some(boost::asio::buffer(bytes.data(), most), fault);
      if (!fault) boost::asio::write(to, boost::asio::buffer(bytes.data(), size), fault);
      if (fault) break;
      if (is_gated) use(size);
    }
    boost::system::error_code ignored;
    to.shutdown(Tcp::socket::shutdown_send, ignored);
  }
  size_t wait_for_grant() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return granted_ > 0; });
    return granted_;
  }
  void use(size_t bytes) {
    const std::lock_guard lock(mutex_);
    granted_ -= bytes;
  }

  boost::asio::io_context io_;
  Tcp::acceptor acceptor_;
  const Endpoint server_;
  Tcp::socket to_agent_{io_};
  Tcp::socket to_server_{io_};
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t granted_ = 0;
  std::thread thread_;
};

// Writes a spool as an agent would that has collected for an hour.
void fill_spool(const std::string& path, const std::string& series) {
  auto directory = DiskDirectory::open(path);
  ASSERT_TRUE(directory) << directory.error().message;
  const auto location = (*directory)->location();
  ASSERT_TRUE(location) << location.error().message;
  const auto spool = Spool::open(**directory, {}, *location, [n = uint64_t{7}]() mutable { return ++n; });
  ASSERT_TRUE(spool) << spool.error().message;
  const int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  for (int i = 0; i < kBatches; ++i) {
    const int64_t time = now - kBatches + i;
    LineBatch batch;
    batch.lines = kLinesPerBatch;
    batch.time = from_unix_seconds(time);
    for (uint64_t line = 0; line < kLinesPerBatch; ++line)
      batch.text += "*" + series + std::to_string(line) + " " + std::to_string(time) + " 1\n";
    (*spool)->append(batch, *batch.time);
  }
  ASSERT_TRUE((*spool)->sync());
}

double sum_of(const ServerProcess& server, const std::string& glob) {
  const auto answer = boost::json::parse(
      server.get("/api/v1/query?series=" + glob + "&missing=list&from=-2h&until=now&step=60&stats=sum"));
  double sum = 0;
  for (const auto& series : answer.at("series").as_array()) {
    for (const auto& value : series.at("sum").as_array())
      sum += value.is_null() ? 0 : value.to_number<double>();
  }
  return sum;
}

double milliseconds_since(Steady::time_point time) {
  return std::chrono::duration<double, std::milli>(Steady::now() - time).count();
}

TEST(BacklogE2e, NewSamplesArriveBeforeAnHourOfOlderOnes) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  GatedProxy proxy(server.agent());
  AgentHost host(STATMILL_BIN, "late", {proxy.endpoint()});
  fill_spool(host.spool(), "late.past");
  host.start();
  const auto granting = [&](const auto& is_true) {
    return wait_until([&] {
      proxy.grant(kGrant);
      return is_true();
    });
  };
  for (int mark = 1; mark <= kMarks; ++mark) {
    ASSERT_TRUE(host.feed_ones("now", 1)) << host.said();
    const auto sent = Steady::now();
    ASSERT_TRUE(granting([&] { return sum_of(server, "late.now") >= mark; })) << host.said();
    std::printf("mark %d is visible after %.0f ms\n", mark, milliseconds_since(sent));
    const AgentAccount account = account_of_host(server, "late");
    EXPECT_GT(account.backlog_lines, 0) << "the backlog has arrived before mark " << mark;
    EXPECT_LT(account.durable, kBatches);
  }
  const double before = account_of_host(server, "late").durable;
  const auto opened = Steady::now();
  proxy.open();
  ASSERT_TRUE(wait_until([&] { return account_of_host(server, "late").backlog_lines == 0; })) << host.said();
  std::printf("the last %.0f s of the hour arrive in %.0f ms\n", kBatches - before,
              milliseconds_since(opened));
  EXPECT_EQ(host.stop(), 0) << host.said();

  const Spooled spooled = read_spool(host.spool());
  EXPECT_EQ(spooled.fault, "");
  EXPECT_EQ(sum_of(server, "late.past*"), kBatches * kLinesPerBatch);
  EXPECT_EQ(sum_of(server, "late.now"), kMarks);
  const AgentAccount account = account_of_host(server, "late");
  EXPECT_EQ(account.lines, static_cast<double>(spooled.lines));
  EXPECT_EQ(account.durable, static_cast<double>(spooled.batches));
  EXPECT_EQ(account.lines_lost, 0);
  EXPECT_EQ(account.gaps, 0);
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
