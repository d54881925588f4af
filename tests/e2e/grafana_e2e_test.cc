// The dashboards of `statmill grafana provision` against a server: what Grafana sends for each variable and
// each panel, replayed over HTTP, has an answer.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/http_client.h"
#include "tests/support/process.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

namespace json = boost::json;
using Form = std::vector<std::pair<std::string, std::string>>;

// Series that the demo's hosts do not have; their panels are asked, and are empty.
const std::set<std::string> kNotInTheDemo = {
    "host.load.tasks_blocked",  "host.memory.swapped_in_bytes",    "host.memory.swapped_out_bytes",
    "host.block.errors",        "host.filesystem.available_bytes", "host.filesystem.inodes_free",
    "host.tcp.connects_failed", "host.program.processes",          "host.program.threads"};

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    char code[4];
    std::snprintf(code, sizeof(code), "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += code;
  }
  return out;
}

std::string encoded(const Form& form) {
  std::string out;
  for (const auto& [key, value] : form)
    out.append(out.empty() ? "" : "&").append(encoded(key)).append("=").append(encoded(value));
  return out;
}

std::string replaced(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string variable = "$" + name;
    for (size_t at = 0; (at = text.find(variable, at)) != std::string::npos; at += value.size())
      text.replace(at, variable.size(), value);
  }
  return text;
}

class GrafanaE2e : public testing::Test {
 protected:
  void SetUp() override {
    process_ = std::make_unique<Process>(
        Command{STATMILL_BIN "/statmilld",
                {"--demo", "--demo.hosts", "4", "--watchdog.lag", "1h", "--watchdog.hang", "1h"},
                {}});
    const auto ready = process_->wait_for_line(" ready ");
    ASSERT_TRUE(ready) << process_->standard_error();
    http_ = endpoint_of(log_value(*ready, "http"));
    Process provision(
        Command{STATMILL_BIN "/statmill",
                {"grafana", "provision", "--url", "http://" + http_.text(), directory_.path().string()},
                {}});
    ASSERT_EQ(provision.wait(), 0) << provision.standard_error();
  }
  void TearDown() override {
    process_->signal(SIGTERM);
    EXPECT_EQ(process_->wait(), 0) << process_->standard_error();
  }

  json::value dashboard(const std::string& name) const {
    std::ifstream file(directory_.path() / "dashboards/statmill" / (name + ".json"));
    std::ostringstream text;
    text << file.rdbuf();
    return json::parse(text.str());
  }

  // Returns the data of a successful answer.
  static json::value data_of(const HttpReply& reply, const std::string& what) {
    EXPECT_EQ(reply.status, 200) << what << ": " << reply.body;
    if (reply.status != 200) return {};
    const json::value answer = json::parse(reply.body);
    EXPECT_EQ(answer.at("status"), "success") << what;
    return answer.at("data");
  }
  json::value post(const std::string& path, const Form& form) const {
    const std::string body = encoded(form);
    return data_of(
        http_raw(http_, "POST " + path + " HTTP/1.1\r\nHost: " + http_.text() +
                            "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body),
        form.front().second);
  }
  json::value get(const std::string& path, const Form& form) const {
    return data_of(http_get(http_, path + "?" + encoded(form)), form.front().second);
  }

  // The first value of a variable, of "label_values(SELECTOR, LABEL)", as Grafana asks for it.
  std::string first_value(const std::string& query) const {
    const std::string head = "label_values(";
    EXPECT_EQ(query.substr(0, head.size()), head);
    const size_t comma = query.rfind(", ");
    const std::string selector = query.substr(head.size(), comma - head.size());
    const std::string label = query.substr(comma + 2, query.size() - comma - 3);
    const auto [from, until] = range();
    const json::value values =
        get("/prometheus/api/v1/label/" + label + "/values",
            {{"match[]", selector}, {"start", from}, {"end", until}, {"limit", "40000"}});
    EXPECT_FALSE(values.as_array().empty()) << query;
    return values.as_array().empty() ? "" : std::string(values.as_array()[0].as_string());
  }
  static std::pair<std::string, std::string> range() {
    const int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) / 15 * 15;
    return {std::to_string(now - 900), std::to_string(now)};
  }

  bool has_answer(const json::value& target, const std::map<std::string, std::string>& values) const {
    const std::string expr = replaced(std::string(target.at("expr").as_string()), values);
    EXPECT_EQ(expr.find('$'), std::string::npos) << expr;
    const auto [from, until] = range();
    const json::value data = target.at("instant").as_bool()
                                 ? post("/prometheus/api/v1/query", {{"query", expr}, {"time", until}})
                                 : post("/prometheus/api/v1/query_range",
                                        {{"query", expr}, {"start", from}, {"end", until}, {"step", "15"}});
    return !data.at("result").as_array().empty();
  }
  // Panels of what rarely happens may be empty, and those of series that the demo does not have.
  static bool may_be_empty(std::string_view expr) {
    if (expr.ends_with(" > 0)")) return true;
    return std::any_of(kNotInTheDemo.begin(), kNotInTheDemo.end(), [&](const std::string& name) {
      return expr.find("\"" + name + "\"") != std::string_view::npos;
    });
  }

  void expect_answers(const std::string& name) {
    const json::value document = dashboard(name);
    std::map<std::string, std::string> values = {{"__rate_interval", "1m"}};
    for (const json::value& variable : document.at("templating").at("list").as_array())
      values[std::string(variable.at("name").as_string())] =
          first_value(replaced(std::string(variable.at("query").at("query").as_string()), values));
    size_t asked = 0;
    for (const json::value& panel : document.at("panels").as_array()) {
      if (panel.at("type") == "row") continue;
      for (const json::value& target : panel.at("targets").as_array()) {
        ++asked;
        if (may_be_empty(target.at("expr").as_string())) {
          has_answer(target, values);
          continue;
        }
        // The server's own series begin after some seconds.
        EXPECT_TRUE(wait_until([&] { return has_answer(target, values); }))
            << panel.at("title") << ": " << target.at("expr");
      }
    }
    EXPECT_GE(asked, 10U);
  }

  const TempDirectory directory_;
  std::unique_ptr<Process> process_;
  Endpoint http_;
};

TEST_F(GrafanaE2e, EachPanelAndVariableHasAnAnswer) {
  // The check that Grafana makes when the data source is saved.
  EXPECT_EQ(post("/prometheus/api/v1/query", {{"query", "1+1"}, {"time", "4"}}).at("resultType"), "scalar");
  for (const char* name : {"statmill-fleet", "statmill-host", "statmill-programs", "statmill-server"})
    expect_answers(name);
}

}  // namespace
}  // namespace statmill
