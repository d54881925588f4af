// A host that boots with another kernel is an event of the server, also if the server was down meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <fstream>

#include "tests/e2e/agent_host.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Not;

class BootsE2e : public testing::Test {
 protected:
  void SetUp() override {
    server_.start();
    host_ = std::make_unique<AgentHost>(STATMILL_BIN, "web1", std::vector<Endpoint>{server_.agent()});
    host_->set_environment({{"LD_PRELOAD", STATMILL_OTHER_BOOT}, {"OTHER_BOOT", boot_.path().string()}});
  }
  void TearDown() override {
    EXPECT_EQ(host_->stop(), 0) << host_->said();
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
  }
  // Starts the agent on a host that booted then, and waits until the server has a batch of it.
  void start_host(const std::string& kernel, const std::string& id, int uptime_s) {
    std::ofstream(boot_.path() / "osrelease") << kernel << "\n";
    std::ofstream(boot_.path() / "boot_id") << id << "\n";
    std::ofstream(boot_.path() / "uptime") << uptime_s << ".00 1.00\n";
    const double batches = server_.metric("statmill_agent_batches_total");
    host_->start();
    ASSERT_TRUE(server_.wait_for_metric("statmill_agent_batches_total", batches + 1)) << host_->said();
    server_.wait_until_durable();
  }
  void restart_server() {
    const uint16_t port = server_.agent().port;
    EXPECT_EQ(server_.stop(), 0);
    server_.start(0, port);
  }
  std::string events(const std::string& tag) const { return server_.get("/api/v1/events?tags=" + tag); }
  bool wait_for_events(const std::string& tag, const std::string& title) const {
    return wait_until([&] { return events(tag).find(title) != std::string::npos; });
  }
  boost::json::value agent() const {
    return boost::json::parse(server_.get("/api/v1/hosts")).at("hosts").at(0).at("agent");
  }
  static double now_s() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }

  const TempDirectory boot_;
  ServerProcess server_{STATMILL_BIN};
  std::unique_ptr<AgentHost> host_;
};

TEST_F(BootsE2e, ABootWithAnotherKernelIsTwoEventsAtItsTime) {
  start_host("6.1.0", "first", 7200);
  EXPECT_EQ(agent().at("kernel").as_string(), "6.1.0");
  EXPECT_NEAR(agent().at("booted_s").to_number<double>(), now_s() - 7200, 120);
  EXPECT_EQ(host_->stop(), 0);

  restart_server();
  start_host("6.1.1", "second", 600);
  EXPECT_TRUE(wait_for_events("boot", R"("title":"web1 booted","text":"with the kernel 6.1.1")"));
  EXPECT_TRUE(wait_for_events("kernel", R"("title":"web1 has another kernel","text":"from 6.1.0 to 6.1.1")"));
  const auto boots = boost::json::parse(events("boot")).at("events");
  ASSERT_EQ(boots.as_array().size(), 1U);
  EXPECT_NEAR(boots.at(0).at("time").to_number<double>(), now_s() - 600, 120);
  EXPECT_EQ(boots.at(0).at("source").as_string(), "server");
  EXPECT_EQ(agent().at("kernel").as_string(), "6.1.1");
}

TEST_F(BootsE2e, AnAgentThatOnlyRestartsHasNotBooted) {
  start_host("6.1.0", "first", 7200);
  EXPECT_EQ(host_->stop(), 0);
  start_host("6.1.0", "first", 7260);
  EXPECT_EQ(host_->stop(), 0);
  restart_server();  // it knows the last boot that the agent reported; while it runs, it looks every five
                     // seconds
  start_host("6.1.0", "second", 60);  // what comes now is no later than what would have come before
  EXPECT_TRUE(wait_for_events("boot", "web1 booted"));
  EXPECT_EQ(boost::json::parse(events("boot")).at("events").as_array().size(), 1U);
  EXPECT_THAT(events("kernel"), Not(HasSubstr("web1")));
}

}  // namespace
}  // namespace statmill
