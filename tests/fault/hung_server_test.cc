#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <future>

#include "server/server.h"
#include "tests/fault/fault_file_system.h"
#include "tests/support/http_client.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr std::chrono::seconds kPatience{60};  // for what happens without a request

class HungServer : public testing::Test {
 protected:
  HungServer() {
    std::filesystem::create_directory(directory_.path() / "scratch");
    disk_ = std::make_shared<FaultyDisk>(directory_.path() / "scratch");
  }
  ~HungServer() override { disk_->heal(); }

  void start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> options = {"--store.path",   directory_.path() / "data",
                                        "--line.listen",  "127.0.0.1:0",
                                        "--http.listen",  "127.0.0.1:0",
                                        "--agent.listen", "",
                                        "--tick",         "10ms",
                                        "--log.level",    "error",
                                        "--retention",    "10s:1d,1h:1y"};
    options.insert(options.end(), more.begin(), more.end());
    std::vector<const char*> arguments;
    arguments.reserve(arguments.size() + options.size());
    for (const std::string& option : options) arguments.push_back(option.c_str());
    ServerConfig config;
    const auto applied = apply_settings(server_settings(config), {arguments, {}});
    ASSERT_TRUE(applied) << applied.error().message;
    config.store.file_system = std::make_shared<FaultFileSystem>(disk_);
    server_ = std::make_unique<Server>(config, clock_, log_);
    const auto fault = server_->start();
    ASSERT_FALSE(fault) << fault->error.message;
    http_ = server_->ports().http;
    admin_ = directory_.path() / "data/admin.sock";
  }

  HttpReply get(const std::string& target) const { return http_get(http_, target); }
  // Posts samples of value 1 for series `name`; returns how many the server accepted.
  int64_t post(const std::string& name, int count) {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += name + " 1\n";
    return post(lines);
  }
  int64_t post(const std::string& lines) {
    const HttpReply reply = http_post(http_, "/api/v1/lines", lines);
    EXPECT_TRUE(reply.status == 200 || reply.status == 400) << reply.status << reply.body;
    const auto account = boost::json::parse(reply.body);
    const auto accepted = account.at("accepted").to_number<int64_t>();
    accepted_ += accepted;
    return accepted;
  }
  // Makes RocksDB use its files in every way: flushes, compactions, reads.
  void exercise() {
    static_cast<void>(
        http_over_unix("POST /admin/v1/flush?compact=true HTTP/1.1\r\nHost: x\r\nConnection: "
                       "close\r\nContent-Length: 0\r\n\r\n"));
    static_cast<void>(stored());
  }
  std::string http_over_unix(const std::string& request) const {
    TcpConnection connection = unix_connection(admin_);
    EXPECT_TRUE(connection.send(request));
    return connection.receive_all();
  }
  // Returns the number of samples that a query finds, or nullopt if the query failed.
  std::optional<int64_t> stored() const {
    const HttpReply reply = get("/api/v1/query?series=*&from=-2h&until=now&step=10&stats=sum");
    if (reply.status != 200) return std::nullopt;
    double sum = 0;
    const auto answer = boost::json::parse(reply.body);
    for (const auto& series : answer.at("series").as_array()) {
      if (series.at("name").as_string().starts_with("statmill.")) continue;
      for (const auto& value : series.at("sum").as_array())
        sum += value.is_null() ? 0 : value.to_number<double>();
    }
    return static_cast<int64_t>(sum);
  }
  // Polls until /readyz returns this status and text.
  bool wait_for_readiness(int status, const std::string& text) const {
    return wait_for_status("/readyz", status, text);
  }
  bool wait_for_status(const std::string& target, int status, const std::string& text = "") const {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      const HttpReply reply = get(target);
      if (reply.status == status && reply.body.find(text) != std::string::npos) return true;
    }
    return false;
  }
  double metric(const std::string& name) const {
    const std::string text = get("/metrics").body;
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
  }
  void check_that_it_answers_while_it_hangs() {
    EXPECT_EQ(post("meanwhile", 100), 100) << "what the next tick writes";
    EXPECT_TRUE(wait_for_readiness(503, "\"tick\":\"under way for "));
    EXPECT_EQ(get("/healthz").status, 200);
    EXPECT_GT(metric("statmill_tick_age_seconds"), 0);
    EXPECT_TRUE(wait_for_status("/metrics", 200, "statmill_loop_lag_seconds_count{loop=\"http\"}"))
        << "the disk may hang before the first ping";
    EXPECT_THAT(get("/api/v1/status").body, HasSubstr("\"ready\":false"));
    EXPECT_EQ(post("meanwhile", 100), 100) << "accepted in memory";
  }
  void check_that_all_is_there() {
    EXPECT_TRUE(wait_for_readiness(200, "true"));
    EXPECT_EQ(stored(), accepted_);
    const auto fault = server_->stop();
    EXPECT_FALSE(fault) << fault->error.message;
    server_.reset();
    start();
    EXPECT_EQ(stored(), accepted_) << "after a start";
    EXPECT_FALSE(server_->stop());
    server_.reset();
  }

  TempDirectory directory_;
  std::shared_ptr<FaultyDisk> disk_;
  const SystemClock clock_;
  Log log_{LogLevel::kError};
  std::unique_ptr<Server> server_;
  Endpoint http_;
  std::string admin_;
  int64_t accepted_ = 0;
};

class HungServerAt : public HungServer, public testing::WithParamInterface<DiskOp> {};

TEST_P(HungServerAt, ReportsItAcceptsSamplesAndHasEachOnce) {
  ASSERT_NO_FATAL_FAILURE(start({"--watchdog.hang", "100ms", "--http.threads", "1"}));
  post("before", 1000);
  exercise();
  post("before", 1000);
  disk_->hang(GetParam());
  auto exercised = std::async(std::launch::async, [this] { exercise(); });
  ASSERT_TRUE(disk_->wait_for_hang());
  // Queries that wait for the disk block only their own threads.
  std::vector<std::future<std::optional<int64_t>>> queries;
  queries.reserve(4);
  for (int i = 0; i < 4; ++i) queries.push_back(std::async(std::launch::async, [this] { return stored(); }));
  check_that_it_answers_while_it_hangs();
  disk_->release();
  exercised.get();
  for (auto& query : queries) EXPECT_TRUE(query.get()) << "answered once the disk works again";
  check_that_all_is_there();
}

INSTANTIATE_TEST_SUITE_P(Calls, HungServerAt,
                         testing::Values(DiskOp::kCreate, DiskOp::kOpen, DiskOp::kAppend, DiskOp::kSync,
                                         DiskOp::kSyncDirectory, DiskOp::kUnlink, DiskOp::kRead),
                         [](const auto& parameter) { return name_of(parameter.param); });

TEST_F(HungServer, RefusesSamplesBeyondItsMemoryAndCountsThem) {
  ASSERT_NO_FATAL_FAILURE(start({"--watchdog.hang", "100ms", "--pending.bytes", "1M"}));
  disk_->hang(DiskOp::kSync);
  int64_t sent = 0;
  // One bucket for each series and slot of the last hour.
  constexpr int kSeries = 500;
  const int64_t now = unix_seconds(clock_.wall());
  for (int64_t slot = 0; sent == accepted_; ++slot) {
    ASSERT_LT(slot, 360) << "no limit";
    std::string lines;
    for (int i = 0; i < kSeries; ++i)
      lines += "n" + std::to_string(i) + " " + std::to_string(now - slot * 10) + " 1\n";
    post(lines);
    sent += kSeries;
  }
  EXPECT_THAT(get("/api/v1/status").body, HasSubstr("\"memory_limit\":" + std::to_string(sent - accepted_)));
  EXPECT_TRUE(wait_for_readiness(503, "\"tick\":\"under way for "));
  disk_->release();
  check_that_all_is_there();
}

// A restart would lose what is in memory.
TEST_F(HungServer, AHungDiskIsAReasonForARestartOnlyAfterThePatience) {
  ASSERT_NO_FATAL_FAILURE(start({"--watchdog.hang", "100ms", "--watchdog.patience", "2s"}));
  disk_->hang(DiskOp::kSync);
  post("meanwhile", 100);
  EXPECT_TRUE(wait_for_status("/readyz", 503));
  EXPECT_TRUE(wait_for_status("/healthz", 503));
  EXPECT_GE(metric("statmill_tick_age_seconds"), 2);
  disk_->release();
  EXPECT_TRUE(wait_for_status("/healthz", 200));
  check_that_all_is_there();
}

TEST_F(HungServer, AStopOnASlowDiskWaitsAndLosesNothing) {
  ASSERT_NO_FATAL_FAILURE(start());
  for (const DiskOp op : {DiskOp::kCreate, DiskOp::kOpen, DiskOp::kAppend, DiskOp::kSync,
                          DiskOp::kSyncDirectory, DiskOp::kRename, DiskOp::kUnlink, DiskOp::kRead})
    disk_->slow_down(op, std::chrono::milliseconds(20));
  for (int i = 0; i < 10; ++i) post("slow", 100);
  const auto fault = server_->stop();
  EXPECT_FALSE(fault) << fault->error.message;
  server_.reset();
  disk_->heal();
  start();
  check_that_all_is_there();
}

TEST_F(HungServer, ASlowDiskIsReportedWhileItIsSlow) {
  ASSERT_NO_FATAL_FAILURE(start({"--watchdog.hang", "10ms"}));
  disk_->slow_down(DiskOp::kSync, std::chrono::milliseconds(300));
  for (int i = 0; i < 10; ++i) post("slow", 100);
  EXPECT_TRUE(wait_for_readiness(503, "\"tick\":\"under way for "));
  disk_->heal();
  check_that_all_is_there();
}

}  // namespace
}  // namespace statmill
