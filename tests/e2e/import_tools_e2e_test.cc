// `statmill import` of what the tools of other systems write: whisper of Graphite, rrdtool, promtool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/e2e/server_process.h"
#include "tests/support/process.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ImportToolsE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }

  // Imports the path, and expects that all of it is there.
  std::string import(const std::string& path) {
    const Ended ended = run_program({STATMILL_BIN "/statmill",
                                     {"import", "--server", "http://" + server_.http().text(), "--agent",
                                      server_.agent().text(), "--state", directory_.path() / "state", path},
                                     {}});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.said;
    EXPECT_THAT(ended.out, HasSubstr("the server has what was read"));
    return ended.out;
  }
  std::string exported(const std::string& glob, const std::string& format = "jsonl") {
    const Ended ended = server_.cli({"export", glob, "--format", format});
    EXPECT_EQ(ended.status, 0) << ended.said;
    return ended.out;
  }
  std::string path(const std::string& name) const { return directory_.path() / name; }

  const int64_t begin_s_ =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
              .count() /
          60 * 60 -
      3600;
  ServerProcess server_{STATMILL_BIN};
  TempDirectory directory_;
};

// "[1700000000,1.5]", a bucket of one sample.
std::string bucket(int64_t time_s, const std::string& value) {
  return "[" + std::to_string(time_s) + "," + value + "]";
}

TEST_F(ImportToolsE2e, TreesOfWhisper) {
  constexpr const char* kPython = "/usr/bin/python3";
  constexpr const char* kMake = R"(
import os, sys, whisper
folder, begin = sys.argv[1], int(sys.argv[2])
os.makedirs(folder + '/web1')
for name, method in (('web1/load', 'average'), ('web1/hits', 'sum')):
  path = folder + '/' + name + '.wsp'
  whisper.create(path, [(10, 60), (60, 120)], aggregationMethod=method)
  for i in range(120):
    whisper.update(path, i + 0.5, begin + i * 10, begin + i * 10)
)";
  if (run_program({kPython, {"-c", "import whisper"}, {}}).status != 0)
    GTEST_SKIP() << "python3-whisper is not installed";
  const Ended made = run_program({kPython, {"-c", kMake, path("tree"), std::to_string(begin_s_)}, {}});
  ASSERT_EQ(made.status, 0) << made.said;
  EXPECT_THAT(import(path("tree")), HasSubstr("from 2 files"));
  const std::string text = exported("web1.*");
  // The last 10 minutes have points of 10 s, those before have means or sums of minutes.
  EXPECT_THAT(text, AllOf(HasSubstr(R"("name":"web1.load","kind":"gauge")"),
                          HasSubstr(R"("name":"web1.hits","kind":"event")"),
                          HasSubstr(bucket(begin_s_ + 1190, "119.5")), HasSubstr(bucket(begin_s_ + 60, "9")),
                          HasSubstr(bucket(begin_s_ + 60, "54"))));
}

TEST_F(ImportToolsE2e, DumpsOfRrdtool) {
  const std::string file = path("eth0.rrd");
  const std::string begin = std::to_string(begin_s_);
  const Ended created = run_program(
      {"/usr/bin/rrdtool",
       {"create", file, "--start", std::to_string(begin_s_ - 10), "--step", "10", "DS:in:GAUGE:60:U:U",
        "RRA:AVERAGE:0.5:1:60", "RRA:AVERAGE:0.5:6:100", "RRA:MAX:0.5:6:100"},
       {}});
  if (created.status == 127 || created.status < 0) GTEST_SKIP() << "rrdtool is not installed";
  ASSERT_EQ(created.status, 0) << created.said;
  std::vector<std::string> update = {"update", file};
  for (int i = 0; i <= 120; ++i)
    update.push_back(std::to_string(begin_s_ + i * 10) + ":" + std::to_string(i));
  ASSERT_EQ(run_program({"/usr/bin/rrdtool", update, {}}).status, 0);
  const Ended dump = run_program({"/usr/bin/rrdtool", {"dump", file}, {}});
  ASSERT_EQ(dump.status, 0);
  directory_.write("eth0.xml", dump.out);
  import(path("eth0.xml"));
  // The value 120 is that of the ten seconds up to its time. 57 to 62 were the mean of a minute, of which no
  // finer row is left.
  EXPECT_THAT(exported("eth0.in"),
              AllOf(HasSubstr(bucket(begin_s_ + 1190, "120")), HasSubstr(bucket(begin_s_ + 60, "9.5"))));
}

TEST_F(ImportToolsE2e, ExportsOfRrdtool) {
  const std::string file = path("eth0.rrd");
  const Ended created = run_program({"/usr/bin/rrdtool",
                                     {"create", file, "--start", std::to_string(begin_s_ - 10), "--step",
                                      "10", "DS:in:GAUGE:60:U:U", "RRA:AVERAGE:0.5:1:60"},
                                     {}});
  if (created.status == 127 || created.status < 0) GTEST_SKIP() << "rrdtool is not installed";
  ASSERT_EQ(created.status, 0) << created.said;
  std::vector<std::string> update = {"update", file};
  for (int i = 0; i <= 20; ++i) update.push_back(std::to_string(begin_s_ + i * 10) + ":" + std::to_string(i));
  ASSERT_EQ(run_program({"/usr/bin/rrdtool", update, {}}).status, 0);
  std::string before;
  for (const std::string shows_time : {"", "-t"}) {
    std::vector<std::string> words = {"xport",
                                      "--start",
                                      std::to_string(begin_s_ + 50),
                                      "--end",
                                      std::to_string(begin_s_ + 100),
                                      "DEF:x=" + file + ":in:AVERAGE",
                                      "XPORT:x:in"};
    if (!shows_time.empty()) words.push_back(shows_time);
    const Ended made = run_program({"/usr/bin/rrdtool", words, {}});
    ASSERT_EQ(made.status, 0) << made.said;
    directory_.write("net" + shows_time + ".xml", made.out);
    import(path("net" + shows_time + ".xml"));
    std::string text = exported("net" + shows_time + ".in");
    // The value 6 is that of the ten seconds up to its time.
    EXPECT_THAT(text, HasSubstr(bucket(begin_s_ + 50, "6") + "," + bucket(begin_s_ + 60, "7")));
    text.erase(0, text.find("\"kind\""));
    if (shows_time.empty()) before = text;
    EXPECT_EQ(text, before) << "with and without times";
  }
}

TEST_F(ImportToolsE2e, BlocksOfPrometheus) {
  const std::string promtool = STATMILL_SOURCE_TREE "/build/unpacked/prometheus/bin/promtool";
  if (!std::filesystem::exists(promtool))
    GTEST_SKIP() << "no promtool; tools/install-packages --test gets it";
  std::string lines;
  for (int i = 0; i < 60; ++i) {
    const std::string at = " " + std::to_string(begin_s_ + i * 10) + " ";
    lines += "room_heat;host=a" + at + std::to_string(i) + ".25\n$c requests_total;host=a" + at +
             std::to_string(i % 3) + "\n";
  }
  server_.send(lines);
  server_.wait_until_durable();
  const std::string before = exported("r*");
  directory_.write("a.om", exported("r*", "openmetrics"));
  const Ended blocks = run_program(
      {promtool, {"tsdb", "create-blocks-from", "openmetrics", path("a.om"), path("blocks")}, {}});
  ASSERT_EQ(blocks.status, 0) << blocks.out << blocks.said;
  std::filesystem::create_directory(path("blocks/wal"));  // a data directory has one
  const Ended dump = run_program({promtool, {"tsdb", "dump", path("blocks")}, {}});
  ASSERT_EQ(dump.status, 0) << dump.said;
  directory_.write("dump.txt", dump.out);
  // Into an empty server.
  ASSERT_EQ(server_.cli({"delete", "r*"}).status, 0);
  import(path("dump.txt"));
  // The total began with a 0 ten seconds before the first increment, which was a 0, too.
  std::string after = exported("r*");
  const std::string zero = bucket(begin_s_ - 10, "0") + ",";
  ASSERT_THAT(after, HasSubstr(zero));
  after.erase(after.find(zero), zero.size());
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace statmill
