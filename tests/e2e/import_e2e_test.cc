// `statmill import` and `statmill export` with real servers: what is exported makes the same buckets again,
// and whatever is killed, each sample counts exactly once in every tier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "base/time_text.h"
#include "tests/e2e/server_process.h"
#include "tests/support/process.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;

int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::vector<std::string> split_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

class ImportE2e : public testing::Test {
 protected:
  // Runs the command in a folder of its own, where its state file is.
  Command import_command(const ServerProcess& server, std::vector<std::string> arguments) const {
    std::vector<std::string> words = {
        "import",  "--server", "http://" + server.http().text(), "--agent", server.agent().text(),
        "--state", state()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return {STATMILL_BIN "/statmill", words, {}};
  }
  Ended import(const ServerProcess& server, std::vector<std::string> arguments) const {
    return run_program(import_command(server, std::move(arguments)));
  }
  std::string exported(const ServerProcess& server, std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"export", "test.*"});
    const Ended ended = server.cli(arguments);
    EXPECT_EQ(ended.status, 0) << ended.said;
    return ended.out;
  }
  std::string state() const { return (directory_.path() / "state").string(); }

  TempDirectory directory_;
};

// All kinds, one and many samples in a slot, decimals and doubles, histograms.
std::string lines_of_all_kinds(int64_t begin_s) {
  std::string out;
  for (int i = 0; i < 50; ++i) {
    const std::string at = " " + std::to_string(begin_s + i * 7) + " ";
    out += "test.gauge;host=a" + at + std::to_string(i) + ".25\n";
    out += "test.long" + at + "0." + std::to_string(i + 10) + "234567890123456\n";
    out += "test.large" + at + std::to_string(i + 1) + "e100\n";
    out += "*test.events" + at + std::to_string(i % 3) + "\n";
    out += "%test.latency" + at + std::to_string(i * i) + ".5\n";
    out += "%test.sent" + at + "h3 " + std::to_string(20 + 21 + 1000 + i) + " 18:2 63:1\n";
    out += "$c Test.requests;job=x" + at + "0.5\n";
    out += "$c test.requests_total" + at + std::to_string(i % 2) + "\n";
  }
  return out;
}

TEST_F(ImportE2e, WhatIsExportedMakesTheSameBucketsAgain) {
  ServerProcess first(STATMILL_BIN);
  first.start();
  const int64_t begin_s = now_s() / 10 * 10 - 7200;
  first.send(lines_of_all_kinds(begin_s));
  first.wait_until_durable();
  const std::string text = exported(first);
  EXPECT_THAT(text, AllOf(HasSubstr(R"("name":"test.gauge;host=a","kind":"gauge")"), HasSubstr("\"~"),
                          HasSubstr(R"("name":"test.requests_total","kind":"counter")")));
  const std::string jsonl = directory_.write("a.jsonl", text);
  const std::string csv = directory_.write("a.csv", exported(first, {"--format", "csv"}));
  for (const std::string& file : {jsonl, csv}) {
    ServerProcess second(STATMILL_BIN);
    second.start();
    const Ended ended = import(second, {file});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.said;
    EXPECT_THAT(ended.out, HasSubstr("the server has what was read"));
    EXPECT_EQ(exported(second), text) << file;
    EXPECT_EQ(second.conservation(), "");
    EXPECT_FALSE(std::filesystem::exists(state())) << "nothing is left to resume";
  }
}

TEST_F(ImportE2e, AnInterruptWaitsForNoNameServer) {
  const std::string file = directory_.write("a.jsonl", "");
  Process process(
      {STATMILL_BIN "/statmill",
       {"import", "--format", "jsonl", "--agent", "hung.test:1", "--no-verify", "--state", state(), file},
       {{"LD_PRELOAD", STATMILL_HUNG_NAMES}}});
  ASSERT_TRUE(process.wait_for_line("the look-up hangs"));
  process.signal(SIGINT);
  EXPECT_THAT(process.wait(), testing::Optional(9)) << process.standard_error();
  EXPECT_THAT(process.standard_error(), HasSubstr("interrupted"));
}

TEST_F(ImportE2e, ExportsOfManySeriesShareRequests) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const int64_t begin_s = now_s() / 10 * 10 - 3600;
  const std::string at = " " + std::to_string(begin_s) + " ";
  std::string lines;
  for (int i = 0; i < 400; ++i)
    lines += "test.many;host=h" + std::to_string(i) + at + std::to_string(i) + "\ntest.many.deep" +
             std::to_string(i) + at + "1\n%test.many.latency;host=h" + std::to_string(i) + at + "7\n";
  // Its bytes are those of a glob that matches others.
  server.send(lines + "test.m?ny" + at + "9\n");
  server.wait_until_durable();
  const double before = server.metric("statmill_http_requests_total{code=\"200\"}");
  const std::string text = exported(server, {"--format", "openmetrics"});
  const double requests = server.metric("statmill_http_requests_total{code=\"200\"}") - before;
  EXPECT_LT(requests, 100) << "for 1,201 series";
  std::map<std::string, int> families;
  size_t samples = 0;
  for (const std::string& line : split_lines(text)) {
    if (line.starts_with("# TYPE ")) ++families[line];
    if (!line.starts_with("#")) ++samples;
  }
  EXPECT_EQ(samples, 400U + 400U + 4 * 400U + 1U);
  EXPECT_EQ(families["# TYPE test_many gauge"], 1) << "series of one path come one after another";
  EXPECT_EQ(families["# TYPE test_many_deep7 gauge"], 1);
  EXPECT_EQ(families["# TYPE test_m_ny gauge"], 1);
}

TEST_F(ImportE2e, ExportsByLabels) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const std::string at = " " + std::to_string(now_s() / 10 * 10 - 3600) + " 1\n";
  server.send("test.cpu;host=web1" + at + "test.cpu;host=web2" + at + "test.mem;host=web1" + at);
  server.wait_until_durable();
  const Ended ended =
      server.cli({"export", "{\"test.cpu\",host=\"web1\"}", "{host=~'web.',__name__='test.mem'}"});
  EXPECT_EQ(ended.status, 0) << ended.said;
  const std::vector<std::string> lines = split_lines(ended.out);
  ASSERT_EQ(lines.size(), 2U) << ended.out;
  EXPECT_THAT(lines[0], HasSubstr(R"("name":"test.cpu;host=web1")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("name":"test.mem;host=web1")"));
  const Ended listed = server.cli({"ls", "{host=\"web1\"}", "--format", "csv", "--limit", "1"});
  EXPECT_EQ(listed.status, 0) << listed.said;
  EXPECT_THAT(listed.out, HasSubstr("test.cpu;host=web1"));
  EXPECT_THAT(listed.said, HasSubstr("more series match"));
  const Ended wrong = server.cli({"export", "{host=\"web1\""});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.said, HasSubstr("parameter match"));
  EXPECT_EQ(server.cli({"export", "{host=\"no\"}"}).status, 1);
}

// What a finer tier still has is exported in its slots, in whichever request the time is.
TEST_F(ImportE2e, EachTimeIsExportedInItsFinestSlots) {
  ServerProcess server(STATMILL_BIN, {"--retention", "10s:1d,5m:10d,1h:30d"});
  server.start();
  const int64_t now = now_s() / 3600 * 3600;
  std::string lines;
  for (int i = 0; i < 48; ++i) lines += "test.old " + std::to_string(now - i * 3600 + 10) + " 1\n";
  lines += "test.recent " + std::to_string(now - 7200 + 10) + " 1\n";
  server.send(lines);
  server.wait_until_durable();
  const std::string text = exported(server);
  for (int i = 0; i < 21; ++i)
    EXPECT_THAT(text, HasSubstr("[" + std::to_string(now - i * 3600 + 10) + ",1]")) << i;
  for (int i = 26; i < 48; ++i)
    EXPECT_THAT(text, HasSubstr("[" + std::to_string(now - i * 3600) + ",1]")) << i;
  EXPECT_THAT(text, HasSubstr("\"test.recent\",\"kind\":\"gauge\",\"step\":10,"));
}

// The begin of a finer tier is in the middle of a day, as a rule.
TEST_F(ImportE2e, ASlotOfADayIsExportedOnce) {
  ServerProcess server(STATMILL_BIN, {"--retention", "10s:1d,1h:10d,1d:60d"});
  server.start();
  const int64_t now = now_s() / 3600 * 3600;
  std::string lines;
  for (int i = 0; i < 480; ++i) lines += "$c test.n " + std::to_string(now - i * 3600) + " 1\n";
  server.send(lines);
  server.wait_until_durable();
  for (const char* const step : {"10s", "1h", "90m", "7h", "1d"}) {
    const Ended ended = server.cli({"export", "test.n", "--from", "now-30d", "--step", step});
    EXPECT_EQ(ended.status, 0) << ended.said;
    const std::regex slot(R"(\[(\d+),(\d+)\])");
    std::set<std::string> times;
    int64_t all = 0;
    for (std::sregex_iterator at(ended.out.begin(), ended.out.end(), slot), end; at != end; ++at) {
      EXPECT_TRUE(times.insert(at->str(1)).second) << at->str(1);
      all += std::stoll(at->str(2));
    }
    EXPECT_EQ(all, 480) << step;
  }
}

// Series of VictoriaMetrics' shape, with small integers so that sums are exact.
struct History {
  static constexpr int kSeries = 40;
  static constexpr int kPoints = 20'000;
  int64_t begin_s = 0;

  static int value(int series, int point) { return (series * 7 + point * 13) % 101; }
  std::string text() const {
    std::string out;
    for (int s = 0; s < kSeries; ++s) {
      std::string values;
      std::string times;
      for (int p = 0; p < kPoints; ++p) {
        values += (p > 0 ? "," : "") + std::to_string(value(s, p));
        times += (p > 0 ? "," : "") + std::to_string((begin_s + p * 5) * 1000);
      }
      out += R"({"metric":{"__name__":"test.load","host":"h)" + std::to_string(s) + R"("},"values":[)" +
             values + R"(],"timestamps":[)" + times + "]}\n";
    }
    return out;
  }
  // The export of one series at a step, computed naively.
  std::string exported(int series, int64_t step_s) const {
    struct Slot {
      uint64_t count = 0;
      int64_t sum = 0, squares = 0, min = 1000, max = -1;
    };
    std::map<int64_t, Slot> slots;
    for (int p = 0; p < kPoints; ++p) {
      Slot& slot = slots[(begin_s + p * 5) / step_s * step_s];
      const int64_t v = value(series, p);
      slot = {slot.count + 1, slot.sum + v, slot.squares + v * v, std::min(slot.min, v),
              std::max(slot.max, v)};
    }
    std::string out = R"({"name":"test.load;host=h)" + std::to_string(series) +
                      R"(","kind":"gauge","step":)" + std::to_string(step_s) + R"(,"buckets":[)";
    for (const auto& [time_s, slot] : slots) {
      if (out.back() != '[') out += ",";
      out += "[" + std::to_string(time_s) + "," + std::to_string(slot.count) + "," +
             std::to_string(slot.sum) + "," + std::to_string(slot.squares) + "," + std::to_string(slot.min) +
             "," + std::to_string(slot.max) + "]";
    }
    return out + "]}\n";
  }
};

TEST_F(ImportE2e, KilledAtAnyTimeEachSampleCountsOnce) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const uint16_t port = server.agent().port;
  const History history{now_s() / 3600 * 3600 - 30 * 3600};
  const std::string file = directory_.write("a.jsonl", history.text());
  const auto received = [&server](double samples) {
    return server.wait_for_metric("statmill_samples_received_total{listener=\"agent\"}", samples);
  };
  // The import is killed while the server has a part, of which some is not acknowledged yet.
  Process killed(import_command(server, {file}));
  ASSERT_TRUE(received(10'000));
  server.process().signal(SIGSTOP);
  killed.signal_if_running(SIGKILL);
  killed.wait();
  server.process().signal(SIGCONT);
  ASSERT_TRUE(std::filesystem::exists(state()));
  const Ended without = import(server, {file});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.said, HasSubstr("--resume"));
  // The server is killed while the import goes on, which connects again.
  Process second(import_command(server, {file, "--resume"}));
  server.kill();
  server.start(0, port);
  // It was started with the address of the old HTTP port, so it may only fail to compare.
  const auto status = second.wait();
  if (status != std::optional(0)) {
    const Ended third = import(server, {file, "--resume"});
    ASSERT_EQ(third.status, 0) << third.out << third.said;
    EXPECT_THAT(third.out, HasSubstr("the server has what was read"));
  }
  for (const int64_t step_s : {10, 300, 3600}) {
    std::string want;
    for (int s = 0; s < History::kSeries; ++s) want += history.exported(s, step_s);
    const Ended ended = server.cli({"export", "test.load;host=h*", "--step", std::to_string(step_s) + "s"});
    ASSERT_EQ(ended.status, 0) << ended.said;
    std::map<std::string, std::string> lines;
    for (std::string& line : split_lines(ended.out)) lines[line.substr(0, line.find(','))] = line;
    for (int s = 0; s < History::kSeries; ++s) {
      const std::string line = history.exported(s, step_s);
      EXPECT_EQ(lines[line.substr(0, line.find(','))] + "\n", line);
    }
  }
  EXPECT_EQ(server.conservation(), "");
}

TEST_F(ImportE2e, WhatDiffersIsSaid) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const std::string at = std::to_string(now_s() / 10 * 10 - 3600);
  const std::string file = directory_.write("a.csv", "time,test.a,test.b\n" + at + ",1,2\n");
  EXPECT_EQ(import(server, {file}).status, 0);
  const Ended again = import(server, {file});
  EXPECT_EQ(again.status, 1) << "the server has it twice now";
  EXPECT_THAT(again.out,
              AllOf(HasSubstr("2 differ"), HasSubstr("test.a from "), HasSubstr("count is 2, not 1")));
}

TEST_F(ImportE2e, WhatIsRefusedIsSaid) {
  ServerProcess server(STATMILL_BIN, {"--retention", "10s:1d,5m:10d,1h:30d"});
  server.start();
  const int64_t now = now_s() / 10 * 10;
  const std::string file = directory_.write("a.csv", "name,time,value\ntest.a," + std::to_string(now - 60) +
                                                         ",1\ntest.a," + std::to_string(now - 90 * 86'400) +
                                                         ",2\ntest.a," + std::to_string(now + 86'400) +
                                                         ",3\ntest.a," + std::to_string(now) + ",x\n");
  const Ended ended = import(server, {file});
  EXPECT_EQ(ended.status, 8) << ended.said;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("imported 3 points from 1 file"),
                               HasSubstr("refused 1: bad_value, the first in " + file + ", line 5"),
                               HasSubstr("the server refused 2"), HasSubstr("too_old 1"),
                               HasSubstr("too_new 1"), HasSubstr("2 differ, by what was refused")));
  const Ended strict = import(server, {file, "--strict"});
  EXPECT_EQ(strict.status, 2);
  EXPECT_THAT(strict.said, HasSubstr("line 5: bad_value"));
}

TEST_F(ImportE2e, RefusedEventsExplainWhatTheServerLacks) {
  ServerProcess server(STATMILL_BIN, {"--retention", "10s:1d,5m:10d,1h:30d"});
  server.start();
  const int64_t now = now_s() / 10 * 10;
  const std::string old = "," + std::to_string(now - 90 * 86'400) + ",";
  const std::string file = directory_.write(
      "a.csv", "name,kind,time,value,count,squares,min,max\ntest.a,event," + std::to_string(now - 60) +
                   ",1,1,,,\ntest.a,event" + old + "2,1,,,\ntest.a,event" + old + "3,1,,,\ntest.a,event" +
                   old + "0,1,,,\ntest.b,gauge" + old + "6,3,14,1,3\n");
  const Ended ended = import(server, {file});
  EXPECT_EQ(ended.status, 8) << ended.out << ended.said;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("the server refused 4"), HasSubstr("2 differ, by what was refused")));
  // The events that it has are there twice now, which no refusal explains.
  const Ended again = import(server, {file});
  EXPECT_EQ(again.status, 1) << again.out;
}

TEST_F(ImportE2e, AnImportThatCannotBeComparedIsReported) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const std::string file =
      directory_.write("a.csv", "time,test.a,test.b\n" + std::to_string(now_s() / 10 * 10 - 3600) + ",1,2\n");
  const std::vector<std::string> words = {"import",  "--agent", server.agent().text(),
                                          "--state", state(),   file};
  std::vector<std::string> elsewhere = words;
  elsewhere.insert(elsewhere.end(), {"--server", "http://127.0.0.1:9"});
  const Ended ended = run_program({STATMILL_BIN "/statmill", elsewhere, {}});
  EXPECT_EQ(ended.status, 9);
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("imported 2 points from 1 file"), HasSubstr("nothing differs so far")));
  EXPECT_THAT(ended.said, AllOf(HasSubstr("verify: "), HasSubstr("--resume compares again")));
  const Ended compared = import(server, {file, "--resume"});
  EXPECT_EQ(compared.status, 0) << compared.said;
  EXPECT_THAT(compared.out, AllOf(HasSubstr("imported 2 points"), HasSubstr("the server has what was read")));
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(ImportE2e, ADryRunNeedsNoServer) {
  const std::string file = directory_.write("a.csv", "time,test.a,test.b\n10,1,2\n20,,3\n");
  const Ended ended = run_program(
      {STATMILL_BIN "/statmill", {"import", "--dry-run", "--server", "http://127.0.0.1:9", file}, {}});
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_THAT(ended.out, HasSubstr("read 3 points of 2 series from 1 file"));
}

TEST_F(ImportE2e, AServerThatIsAwayIsSaid) {
  const std::string file = directory_.write("a.csv", "time,test.a\n10,1\n");
  const Ended ended = run_program({STATMILL_BIN "/statmill",
                                   {"import", "--server", "http://127.0.0.1:9", "--agent", "127.0.0.1:9",
                                    "--timeout", "1s", "--state", state(), file},
                                   {}});
  EXPECT_EQ(ended.status, 9) << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("--resume goes on"));
}

}  // namespace
}  // namespace statmill
