// One name is one series, whichever door its samples come through: the line port, POST, the command line,
// Graphite, statsd, an agent's stream, exact lines and the counters library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "base/text.h"
#include "proto/agent/frames.h"
#include "proto/prometheus/labels_name.h"
#include "statmill/registry.h"
#include "statmill/reporter.h"
#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

// A name as texts, before anything is escaped.
struct Name {
  std::string path;
  Labels tags;  // in the order in which they are written

  std::string canonical() const {
    LabelPairs labels(tags.begin(), tags.end());
    labels.emplace_back("__name__", path);
    return *canonical_name(labels);
  }
};

std::vector<Name> make_names() {
  const std::vector<std::string> paths = {"a",    "A",    "a/b", "a:b", "a b", "a;b", "\xc3\xa4",
                                          "%41",  "100%", "~x",  "a,b", "a|b", "a^b", "a\\b",
                                          "\"q'", "{x}",  "a=b", "#",   "*?",  "x%zz"};
  const std::vector<Labels> tags = {{},
                                    {{"k", "v"}},
                                    {{"b", "2"}, {"a", "1"}},
                                    {{"name", "eth0"}},
                                    {{"host", "web1"}, {"Host", "Web1"}},
                                    {{"v", "x y"}, {"u", "#1 SMP"}},
                                    {{"v", "a;b=c"}},
                                    {{"~v", "~home"}},
                                    {{"k!^", "v!^"}, {"a=b", "c=d"}},
                                    {{"url", "http://\xc3\xbc/Y?z=%2541"}, {"code", "200"}}};
  std::vector<Name> names;
  for (const std::string& path : paths) {
    for (const Labels& set : tags) names.push_back({"door." + path, set});
  }
  return names;
}

// Writes the bytes of `special`, control bytes and each `%` as escapes, with lower-case digits.
std::string spelled(std::string_view text, std::string_view special) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c != '%' && special.find(c) == std::string_view::npos) {
      out += c;
    } else {
      out.append("%") += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

// Writes `path;key=value...` with the tags in their own order.
std::string with_tags(const Name& name, const std::string& special) {
  std::string out = spelled(name.path, special + ";^");
  for (const auto& [key, value] : name.tags)
    out += ";" + spelled(key, special + ";=") + "=" + spelled(value, special + ";");
  return out;
}

std::string folded_bytes() {
  std::string out = " /:\\\"'^";
  for (int c = 'A'; c <= 'Z'; ++c) out += static_cast<char>(c);
  for (int c = 127; c < 256; ++c) out += static_cast<char>(c);
  return out;
}

std::string url_escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.append("%") += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

class DoorsE2e : public testing::Test {
 protected:
  void SetUp() override {
    server_.start();
    for (const Name& name : names_) wanted_.insert(name.canonical());
    ASSERT_EQ(wanted_.size(), 200U);
  }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }

  // Waits until the listener has accepted a sample of each name more; then the server has exactly the wanted
  // series, each with a sample more.
  void expect_one_more_each(const std::string& door) {
    const double least = ++samples_;
    const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
    std::map<std::string, SeriesTotals> found;
    const auto has_all = [&] {
      found = server_.totals("door.*");
      return found.size() >= wanted_.size() &&
             std::all_of(found.begin(), found.end(), [&](const auto& s) { return s.second.count >= least; });
    };
    while (!has_all() && std::chrono::steady_clock::now() < deadline) {
    }
    std::set<std::string> names;
    for (const auto& [name, totals] : found) {
      names.insert(name);
      EXPECT_GE(totals.count, least) << door << ": " << name;
    }
    EXPECT_EQ(names, wanted_) << door;
  }
  void post(const std::string& lines, int status = 200) {
    const HttpReply answer = http_post(server_.http(), "/api/v1/lines", lines);
    EXPECT_EQ(answer.status, status) << answer.body;
  }

  const std::vector<Name> names_ = make_names();
  std::set<std::string> wanted_;
  double samples_ = 0;
  ServerProcess server_{STATMILL_BIN, {"--graphite.listen", "127.0.0.1:0", "--statsd.listen", "127.0.0.1:0"}};
};

TEST_F(DoorsE2e, EachNameIsOneSeriesThroughEveryDoor) {
  std::string lines;
  for (const Name& name : names_) lines += with_tags(name, " ") + " 1\n";
  post(lines);
  expect_one_more_each("POST");

  // Graphite's plaintext reads these lines, too.
  ServerProcess::send_to(server_.listener("graphite"), lines);
  expect_one_more_each("graphite");

  lines.clear();
  for (const Name& name : names_) lines += with_tags(name, folded_bytes()) + " 1\n";
  server_.send(lines);
  expect_one_more_each("line port, TCP");
  UdpSender udp(server_.line());
  for (const std::string_view line : split(lines, '\n')) ASSERT_TRUE(udp.send(line));
  expect_one_more_each("line port, UDP");

  const std::string now = std::to_string(std::time(nullptr));
  lines.clear();
  for (const Name& name : names_) lines += "$g " + with_tags(name, " ") + " " + now + " 1\n";
  server_.send(lines);
  expect_one_more_each("exact lines");

  lines.clear();
  for (const Name& name : names_) {
    lines += spelled(name.path, ":;,|") + ":1|g|#";
    for (const auto& [key, value] : name.tags)
      lines += spelled(key, ":,|") + ":" + spelled(value, ",|") + ",";
    lines += "\n";
  }
  ServerProcess::send_to(server_.listener("statsd"), lines);
  expect_one_more_each("statsd");

  for (const Name& name : names_) {
    const Ended put = server_.cli({"put", with_tags(name, ""), "1"});
    ASSERT_EQ(put.status, 0) << put.said;
  }
  expect_one_more_each("statmill put");

  Registry registry;
  for (const Name& name : names_) registry.gauge(spelled(name.path, ";"), "", name.tags).set(1);
  std::string error;
  ReporterOptions options;
  options.address = "tcp:" + server_.line().text();
  options.registry = &registry;
  auto reporter = Reporter::start(options, error);
  ASSERT_NE(reporter, nullptr) << error;
  reporter.reset();  // reports once more
  expect_one_more_each("counters library");
}

TEST_F(DoorsE2e, EachNameIsOneSeriesThroughAnAgentsStream) {
  TcpConnection agent = TcpConnection::to(server_.agent());
  const auto send = [&](const auto& frame) {
    std::string bytes;
    append_frame(bytes, frame);
    ASSERT_TRUE(agent.send(bytes));
  };
  HelloFrame hello;
  hello.id.bytes.fill(1);
  hello.secret.bytes.fill(2);
  hello.acknowledged.epoch = 1;
  const Timestamp now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  hello.clock = now;
  send(hello);
  std::string lines;
  for (const Name& name : names_)
    lines += with_tags(name, " ") + " " + std::to_string(unix_seconds(now)) + " 1\n";
  send(BatchFrame{.seq = 1, .lines = static_cast<uint32_t>(names_.size()), .time = now, .text = lines});
  expect_one_more_each("agent's stream");
  send(BatchFrame{.seq = 2,
                  .lines_before = names_.size(),
                  .lines = 2,
                  .time = now,
                  .tags = "dc=eu;host=web1.example.org",
                  .text = "tagged;op=read 1\ntagged;host=own 1\n"});
  const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
  std::map<std::string, SeriesTotals> found;
  while (found.size() < 2 && std::chrono::steady_clock::now() < deadline) found = server_.totals("tagged*");
  EXPECT_EQ(found.count("tagged;dc=eu;host=web1.example.org;op=read"), 1U);
  EXPECT_EQ(found.count("tagged;dc=eu;host=own"), 1U) << "a line's own tag wins";
}

TEST_F(DoorsE2e, QueriesAndChangesAcceptEverySpelling) {
  std::string lines;
  for (const Name& name : names_) lines += with_tags(name, " ") + " 1\n";
  post(lines);
  expect_one_more_each("POST");
  for (const Name& name : names_) {
    const std::string text = spelled(name.path, ";[{*?");
    Labels tags = name.tags;
    std::string series = text;
    for (const auto& [key, value] : tags) series += ";" + spelled(key, ";=") + "=" + spelled(value, ";[{*?");
    const HttpReply answer = http_get(server_.http(), "/api/v1/query?series=" + url_escaped(series));
    EXPECT_EQ(answer.status, 200) << series << ": " << answer.body;
  }
  EXPECT_EQ(server_.cli({"rename", "door.a b;u=#1 SMP;v=x y", "door.new;z=1;a=x y"}).out,
            "renamed 1 series\n");
  EXPECT_EQ(server_.totals("door.new*").count("door.new;a=x%20y;z=1"), 1U);
  EXPECT_EQ(server_.cli({"delete", "door.new;z=%31;a=x y"}).out, "deleted 1 series\n");
  EXPECT_EQ(server_.cli({"delete", "door.a b;*"}).out, "deleted 8 series\n") << "a glob with a blank";
}

// The documented exception: the line port folds what is not escaped, as istatd does.
TEST_F(DoorsE2e, TheLinePortFoldsNames) {
  server_.send("Fold.A/b:C\xc3\xa4;T=X/y;S=1 1\nfold.%41;t=1 1\nfold.a;b 1\n");
  const auto found = server_.totals("fold.*");
  EXPECT_EQ(found.size(), 2U);
  EXPECT_EQ(found.count("fold.a_b_c__;s=1;t=x_y"), 1U);
  EXPECT_EQ(found.count("fold.A;t=1"), 1U) << "an escape is not folded";
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"bad_tag\"}"), 1);
}

// Names that look the same must be the same.
TEST_F(DoorsE2e, HiddenCharactersAreRefusedAtEveryDoor) {
  const std::string now = std::to_string(std::time(nullptr));
  post("hidden\xe2\x80\x8b 1\nhidden%e2%80%8b 1\n$g hidden;k=\xc2\x85 " + now + " 1\n", 400);
  ServerProcess::send_to(server_.listener("graphite"), "hidden\xef\xbb\xbf 1\nhidden;k=%C2%AD 1\n");
  ServerProcess::send_to(server_.listener("statsd"), "hidden\xe2\x80\xae:1|g\nhidden:1|g|#k:\xe2\x80\x8d\n");
  server_.send("hidden%e2%81%a6 1\n");
  ASSERT_TRUE(server_.wait_for_metric(
      "statmill_samples_refused_total{listener=\"statsd_tcp\",reason=\"bad_name\"}", 2));
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"http\",reason=\"bad_name\"}"), 3);
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"graphite_tcp\",reason=\"bad_name\"}"),
            2);
  EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"tcp\",reason=\"bad_name\"}"), 1);
  EXPECT_TRUE(server_.totals("hidden*").empty());
}

}  // namespace
}  // namespace statmill
