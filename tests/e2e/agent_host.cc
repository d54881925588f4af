#include "tests/e2e/agent_host.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

namespace statmill {

AgentHost::AgentHost(std::string bin, std::string name, std::vector<Endpoint> servers,
                     std::vector<std::string> options)
    : bin_(std::move(bin)), name_(std::move(name)), servers_(std::move(servers)) {
  arguments_.insert(arguments_.end(), {"--spool.path", spool(), "--line.listen", "127.0.0.1:0",
                                       "--collectors", "load", "--agent.host", name_});
  arguments_.insert(arguments_.end(), options.begin(), options.end());
}

void AgentHost::start() { ASSERT_TRUE(try_start()) << said(); }

bool AgentHost::try_start() {
  std::vector<std::string> arguments = arguments_;
  for (const Endpoint& server : servers_) arguments.insert(arguments.end(), {"--server", server.text()});
  agent_ = std::make_unique<Process>(Command{bin_ + "/statmill-agent", arguments, environment_});
  const auto ready = agent_->wait_for_line(" ready ");
  if (!ready) return false;
  if (const std::string gateway = log_value(*ready, "agent"); gateway != "off")
    gateway_ = endpoint_of(gateway);
  to_relay_ = TcpConnection::to(endpoint_of(log_value(*ready, "line")));
  return to_relay_.is_connected();
}

int AgentHost::stop() {
  to_relay_.close();
  agent_->signal_if_running(SIGTERM);
  const int status = agent_->wait().value_or(-1000);
  said_last_ = agent_->standard_error();
  said_before_ += said_last_;
  agent_.reset();
  return status;
}

void AgentHost::kill() {
  agent_->signal(SIGKILL);
  EXPECT_EQ(agent_->wait(), -SIGKILL) << agent_->standard_error();
  said_before_ += agent_->standard_error() + "(killed)\n";
  agent_.reset();
  to_relay_.close();
}

bool AgentHost::feed(std::mt19937_64& random, int lines) {
  const int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const bool is_event = random() % 2 == 0;
    const std::string series = name_ + (is_event ? ".e" : ".g") + std::to_string(random() % kSeries);
    const uint64_t value = 1 + random() % 1000;
    const auto time = now - static_cast<int64_t>(random() % 200);
    text += (is_event ? "*" : "") + series + " " + std::to_string(time) + " " + std::to_string(value) + "\n";
    sent_sums_[series] += static_cast<double>(value);
  }
  return to_relay_.send(text);
}

bool AgentHost::feed_ones(const std::string& series, int lines) {
  const int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string name = name_ + "." + series;
  std::string text;
  for (int i = 0; i < lines; ++i) text += "*" + name + " " + std::to_string(now) + " 1\n";
  sent_sums_[name] += lines;
  return to_relay_.send(text);
}

std::string AgentHost::said() const { return said_before_ + (agent_ ? agent_->standard_error() : ""); }

}  // namespace statmill
