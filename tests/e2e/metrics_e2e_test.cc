// /metrics of both programs: docs/metrics.md has exactly their families, and promtool finds no fault in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

// Families by name, each as a row of docs/metrics.md.
using Rows = std::map<std::string, std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string word_of(const std::string& line, size_t number) {
  std::istringstream words(line);
  std::string word;
  for (size_t i = 0; i <= number; ++i) words >> word;
  return word;
}

// One family of a text in Prometheus' format.
struct Family {
  std::string name;
  std::string help;
  std::string type;
  std::set<std::string> labels = {};

  // Returns whether a sample of this name belongs to the family.
  bool has(const std::string& sample) const {
    if (type != "histogram") return sample == name;
    return sample == name + "_bucket" || sample == name + "_sum" || sample == name + "_count";
  }
  std::string row() const {
    std::string text;
    for (const std::string& label : labels) text += (text.empty() ? "" : ", ") + label;
    return "| `" + name + "` | " + type + " | " + text + " | " + help + " |";
  }
};

void add_labels(const std::string& labels, std::set<std::string>& out) {
  size_t begin = 0;
  for (size_t equals = labels.find("=\""); equals != std::string::npos; equals = labels.find("=\"", begin)) {
    out.insert(labels.substr(begin, equals - begin));
    begin = labels.find('"', equals + 2) + 2;  // no label of our own has a quote in its value
  }
  out.erase("le");
}

// Expects that each family has a help and a type, once, before its samples, and that these are together.
std::vector<Family> families_of(const std::string& text) {
  std::vector<Family> families;
  std::set<std::string> names;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("# HELP ")) {
      families.push_back({word_of(line, 2), line.substr(8 + word_of(line, 2).size()), ""});
      EXPECT_TRUE(names.insert(families.back().name).second) << line;
    } else if (line.starts_with("# TYPE ")) {
      EXPECT_EQ(families.back().name, word_of(line, 2));
      families.back().type = word_of(line, 3);
    } else {
      const std::string name = line.substr(0, line.find_first_of("{ "));
      EXPECT_TRUE(families.back().has(name)) << line;
      if (line[name.size()] == '{')
        add_labels(line.substr(name.size() + 1, line.rfind('}') - name.size() - 1), families.back().labels);
    }
  }
  return families;
}

// docs/series.md has what an agent measures on its host, and about itself.
bool is_of_host(const std::string& name) { return name.starts_with("statmill_host_"); }

Rows rows_of(const std::string& text) {
  Rows rows;
  for (const Family& family : families_of(text)) {
    if (!is_of_host(family.name)) rows[family.name] = family.row();
  }
  return rows;
}

// Returns the rows of the page's sections with these titles.
Rows documented(const std::set<std::string>& sections) {
  std::ifstream file(STATMILL_SOURCE_TREE "/docs/metrics.md");
  Rows rows;
  bool is_wanted = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) is_wanted = sections.contains(line.substr(3));
    if (is_wanted && line.starts_with("| `")) rows[line.substr(3, line.find('`', 3) - 3)] = line;
  }
  return rows;
}

bool has_all(const Rows& rows, const Rows& wanted) {
  for (const auto& [name, row] : wanted) {
    if (!rows.contains(name)) return false;
  }
  return true;
}

class MetricsE2e : public testing::Test {
 protected:
  void SetUp() override {
    server_.start();
    agent_ = std::make_unique<Process>(
        Command{STATMILL_BIN "/statmill-agent",
                {"--server", server_.agent().text(), "--spool.path", (directory_.path() / "spool").string(),
                 "--line.listen", "127.0.0.1:0", "--statsd.listen", "127.0.0.1:0", "--http.listen",
                 "127.0.0.1:0", "--programs.dir", directory_.path().string(), "--scrape.targets",
                 directory_.write("targets.json", "[]")},
                {}});
    const auto ready = agent_->wait_for_line(" ready ");
    ASSERT_TRUE(ready) << agent_->standard_error();
    agent_http_ = endpoint_of(log_value(*ready, "http"));
  }
  void TearDown() override {
    agent_->signal(SIGTERM);
    EXPECT_EQ(agent_->wait(), 0) << agent_->standard_error();
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  std::string agent_metrics() const { return http_get(agent_http_, "/metrics").body; }

  // Runs promtool over the text, the unpacked one or that of PATH, and returns what it says; nullopt if there
  // is none.
  std::optional<std::string> check(const std::string& text) const {
    const std::string path = directory_.write("metrics", text).string();
    const Ended ended =
        run_program({"sh",
                     {"-c", "command -v promtool >/dev/null || exit 99; promtool check metrics <$0", path},
                     {{"PATH", STATMILL_SOURCE_TREE "/build/unpacked/prometheus/bin:" +
                                   std::string(std::getenv("PATH"))}}});
    if (ended.status == 99) return std::nullopt;
    return (ended.status == 0 ? "" : "status " + std::to_string(ended.status) + "\n") + ended.out +
           ended.said;
  }

  const TempDirectory directory_;
  ServerProcess server_{
      STATMILL_BIN,
      {"--graphite.listen", "127.0.0.1:0", "--statsd.listen", "127.0.0.1:0", "--scrape.targets",
       directory_.write("targets.json", "[]"), "--rules", directory_.path()}};
  std::unique_ptr<Process> agent_;
  Endpoint agent_http_;
};

TEST_F(MetricsE2e, ThePageHasTheFamiliesOfTheServer) {
  const Rows want = documented({"Both programs", "The server"});
  http_get(server_.http(), "/api/v1/query?series=nothing");  // its time makes a family
  std::string text;
  wait_until([&] { return has_all(rows_of(text = server_.get("/metrics")), want); });
  EXPECT_THAT(rows_of(text), testing::ContainerEq(want));
}

TEST_F(MetricsE2e, ThePageHasTheFamiliesOfTheAgent) {
  const Rows want = documented({"Both programs", "The agent"});
  std::string text;
  wait_until([&] { return has_all(rows_of(text = agent_metrics()), want); });
  EXPECT_THAT(rows_of(text), testing::ContainerEq(want));
}

TEST_F(MetricsE2e, PromtoolFindsNoFault) {
  http_get(server_.http(), "/api/v1/query?series=nothing");
  wait_until([&] { return has_all(rows_of(server_.get("/metrics")), documented({"The server"})); });
  const std::optional<std::string> said = check(server_.get("/metrics"));
  if (!said) GTEST_SKIP() << "no promtool; tools/install-packages --test gets it";
  EXPECT_EQ(*said, "");
  wait_until([&] { return has_all(rows_of(agent_metrics()), documented({"The agent"})); });
  EXPECT_EQ(check(agent_metrics()), "");
}

}  // namespace
}  // namespace statmill
