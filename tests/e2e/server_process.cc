#include "tests/e2e/server_process.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>

namespace statmill {
namespace {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-') {
      out.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return out;
}

double total_of(const boost::json::value& column) {
  double total = 0;
  for (const auto& value : column.as_array()) total += value.is_null() ? 0 : value.to_number<double>();
  return total;
}

}  // namespace

ServerProcess::ServerProcess(std::string bin, std::vector<std::string> options)
    : bin_(std::move(bin)), options_(std::move(options)) {}

ServerProcess::~ServerProcess() = default;

void ServerProcess::start(uint16_t line_port, uint16_t agent_port,
                          std::vector<std::pair<std::string, std::string>> environment) {
  ASSERT_TRUE(try_start(line_port, agent_port, std::move(environment))) << process_->standard_error();
}

bool ServerProcess::try_start(uint16_t line_port, uint16_t agent_port,
                              std::vector<std::pair<std::string, std::string>> environment) {
  Command command{bin_ + "/statmilld",
                  {"--store.path", (directory_.path() / "data").string(), "--line.listen",
                   "127.0.0.1:" + std::to_string(line_port), "--http.listen", "127.0.0.1:0", "--agent.listen",
                   "127.0.0.1:" + std::to_string(agent_port)},
                  std::move(environment)};
  // The watchdog must not report delays that a busy machine causes.
  for (const char* limit : {"--watchdog.lag", "--watchdog.hang"}) {
    command.arguments.insert(command.arguments.end(), {limit, "1h"});
  }
  command.arguments.insert(command.arguments.end(), options_.begin(), options_.end());
  if (open_files_max_ > 0) {
    command.arguments.insert(command.arguments.begin(),
                             {"--nofile=" + std::to_string(open_files_max_), std::move(command.program)});
    command.program = "prlimit";
  }
  process_ = std::make_unique<Process>(command);
  const auto ready = process_->wait_for_line(" ready ");
  if (!ready) return false;
  ready_ = *ready;
  line_ = endpoint_of(log_value(*ready, "line"));
  http_ = endpoint_of(log_value(*ready, "http"));
  const std::string agent = log_value(*ready, "agent");
  if (agent != "off") agent_ = endpoint_of(agent);
  admin_socket_ = log_value(*ready, "admin");
  return true;
}

int ServerProcess::stop() {
  process_->signal(SIGTERM);
  return process_->wait().value_or(-1000);
}

void ServerProcess::kill() {
  process_->signal(SIGKILL);
  EXPECT_EQ(process_->wait(), -SIGKILL);
}

Endpoint ServerProcess::listener(std::string_view name) const { return endpoint_of(log_value(ready_, name)); }

void ServerProcess::send_to(const Endpoint& endpoint, std::string_view lines) {
  TcpConnection connection = TcpConnection::to(endpoint);
  ASSERT_TRUE(connection.is_connected());
  ASSERT_TRUE(connection.send(lines));
  connection.finish_sending();
  EXPECT_EQ(connection.receive_all(), "") << "a line port never answers";
}

std::string ServerProcess::get(std::string_view target) const {
  const HttpReply reply = http_get(http_, target);
  EXPECT_EQ(reply.status, 200) << target << ": " << reply.body;
  return reply.body;
}

Ended ServerProcess::cli(std::vector<std::string> arguments) const {
  return run_program(
      {bin_ + "/statmill",
       std::move(arguments),
       {{"STATMILL_ADMIN_SOCKET", admin_socket_}, {"STATMILL_URL", "http://" + http_.text()}}});
}

double ServerProcess::metric(std::string_view name) const {
  const std::string text = "\n" + get("/metrics");
  const std::string key = "\n" + std::string(name) + " ";
  const size_t at = text.find(key);
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + key.size(), nullptr);
}

bool ServerProcess::wait_for_metric(std::string_view name, double least) const {
  return wait_until([&] { return metric(name) >= least; });
}

void ServerProcess::wait_until_durable() const {
  // A tick is committed only if there is something to write, so each gets one more sample.
  for (int i = 0; i < 2; ++i) {
    const double ticks = metric("statmill_ticks_total");
    send("durable.marker 1\n");
    ASSERT_TRUE(wait_for_metric("statmill_ticks_total", ticks + 1));
  }
}

std::map<std::string, SeriesTotals> ServerProcess::totals(std::string_view glob) const {
  std::map<std::string, SeriesTotals> out;
  const auto answer = boost::json::parse(
      get("/api/v1/query?series=" + percent_encoded(glob) + "&from=-20m&until=now&step=10&stats=count,sum"));
  for (const auto& series : answer.at("series").as_array()) {
    const std::string name(series.at("name").as_string());
    out[name] = {total_of(series.at("count")), total_of(series.at("sum"))};
  }
  return out;
}

std::string ServerProcess::conservation() const {
  const auto status = boost::json::parse(get("/api/v1/status"));
  std::string wrong;
  for (const auto& [listener, account] : status.at("samples").as_object()) {
    double refused = 0;
    for (const auto& [reason, count] : account.at("refused").as_object())
      refused += count.to_number<double>();
    const auto received = account.at("received").to_number<double>();
    const auto accepted = account.at("accepted").to_number<double>();
    if (received != accepted + refused) {
      wrong += std::string(listener) + ": received " + std::to_string(received) + ", accepted " +
               std::to_string(accepted) + ", refused " + std::to_string(refused) + "\n";
    }
  }
  return wrong;
}

}  // namespace statmill
