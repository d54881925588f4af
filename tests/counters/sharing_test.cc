#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "counters/cell_file.h"
#include "statmill/share.h"
#include "statmill/shared_cells.h"
#include "tests/support/process.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class SharingTest : public testing::Test {
 protected:
  // Runs the program until it has performed the action.
  void run(const std::string& what) {
    program_.emplace(
        Command{STATMILL_SHARING_PROGRAM, {what}, {{"STATMILL_SHARE", directory_.path().string()}}});
    const auto line = program_->wait_for_line("ready");
    ASSERT_TRUE(line) << program_->standard_error();
    EXPECT_EQ(log_value(*line, "status"), "0");
    path_ = log_value(*line, "path");
    std::string error;
    cells_ = SharedCells::open(path_, error);
    ASSERT_NE(cells_, nullptr) << error;
    EXPECT_EQ(cells_->pid(), static_cast<uint32_t>(program_->pid()));
  }
  void kill() {
    program_->signal(SIGKILL);
    EXPECT_EQ(program_->wait(), -SIGKILL);
  }
  // Returns the readings by name; counts of one name are added up.
  std::map<std::string, Reading> read() {
    std::string error;
    const auto readings = cells_->read(error);
    EXPECT_TRUE(readings) << error;
    std::map<std::string, Reading> out;
    std::set<uint64_t> instances;
    for (const Reading& reading : readings.value_or(std::vector<Reading>())) {
      EXPECT_TRUE(instances.insert(reading.instance).second);
      Reading& sum = out[std::string(reading.name)];
      const uint64_t count = sum.count + reading.count;
      sum = reading;
      sum.count = count;
    }
    return out;
  }
  // Runs the program, which cannot create a file, and returns what it prints.
  static std::string run_unshared(std::vector<std::string> arguments, const std::string& directory) {
    const Ended ended =
        run_program({STATMILL_SHARING_PROGRAM, std::move(arguments), {{"STATMILL_SHARE", directory}}});
    EXPECT_EQ(ended.status, 0) << ended.said;
    return ended.said;
  }

  const TempDirectory directory_;
  std::optional<Process> program_;
  std::string path_;
  std::unique_ptr<SharedCells> cells_;
};

TEST_F(SharingTest, ReadsTheCountsOfAKilledProcess) {
  run("threads");
  EXPECT_TRUE(cells_->lives());
  const auto before = read();
  kill();
  EXPECT_FALSE(cells_->lives());
  const auto after = read();
  for (const auto* readings : {&before, &after}) {
    EXPECT_EQ(readings->at("shop.requests;code=200").count, 800'000U);
    EXPECT_EQ(readings->at("disk.reads").count, 0U);
    EXPECT_EQ(readings->at("disk.bytes").count, 512U * 800'000U);
    const Reading& latency = readings->at("shop.latency_ns");
    EXPECT_EQ(latency.type, Reading::Type::kHistogram);
    EXPECT_EQ(latency.grouping_power, 5U);
    EXPECT_EQ(latency.count, 800'000U);
    EXPECT_EQ(latency.sum, 100'000ULL * 1000 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7) + 800'000ULL / 10 * 45);
    EXPECT_EQ(readings->size(), 4U) << "gauges are not shared";
  }
}

TEST_F(SharingTest, ReadsTheCountsOfAProcessThatEnded) {
  run("exits");
  EXPECT_EQ(program_->wait(), 0);
  EXPECT_FALSE(cells_->lives());
  const auto readings = read();
  EXPECT_EQ(readings.at("shop.requests;code=200").count, 800'000U);
  EXPECT_EQ(readings.at("shop.latency_ns").count, 800'000U) << "its cells were not reused";
}

TEST_F(SharingTest, EndedInstrumentsKeepTheirCounts) {
  run("ends");
  const auto readings = read();
  EXPECT_EQ(readings.at("short.lived").count, 11U) << "both counters of this name";
  EXPECT_EQ(readings.at("other").count, 7U) << "counts in a reused cell";
  EXPECT_FALSE(readings.contains("sizes")) << "its cells were reused";
  EXPECT_EQ(readings.at("sizes.again").count, 1U);
  EXPECT_EQ(readings.at("sizes.again").sum, 100U);
  EXPECT_FALSE(readings.at("sizes.again").exemplar) << "that of the cells before";
  EXPECT_EQ(readings.at("sizes.last").sum, 200U);
  EXPECT_EQ(cells_->left_out(), 0U);
}

TEST_F(SharingTest, ChildIsNotShared) {
  run("forks");
  const auto readings = read();
  EXPECT_EQ(readings.at("shop.requests;code=200").count, 10U);
  EXPECT_FALSE(readings.contains("of.the.child"));
  EXPECT_TRUE(cells_->lives());
}

TEST_F(SharingTest, ReaderSeesNoIncompleteAdd) {
  run("adds");
  uint64_t last = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string error;
    const auto readings = cells_->read(error);
    ASSERT_TRUE(readings) << error;
    const uint64_t count = readings->front().count;
    ASSERT_EQ(count >> 32, count & 0xffff'ffff) << std::hex << count;
    ASSERT_GE(count, last);
    last = count;
  }
  EXPECT_GT(last, 0U);
}

TEST_F(SharingTest, KeepsTheLargestExemplarOfASlot) {
  run("exemplars");
  const auto first = read().at("shop.latency_ns").exemplar;
  ASSERT_TRUE(first);
  EXPECT_EQ(first->value, 1000U);
  EXPECT_EQ(first->labels, "trace_id=a");
  EXPECT_GT(first->time_ms, 1'700'000'000'000);
  EXPECT_EQ(read().at("shop.latency_ns").exemplar, first) << "reading resets nothing";
  const int64_t slot_before = first->time_ms - cell_file::kExemplarSlot_ms;
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(cell_file::kExemplarsAt + offsetof(cell_file::Exemplar, time_ms));
  file.write(reinterpret_cast<const char*>(&slot_before), sizeof slot_before).flush();
  ASSERT_TRUE(file);
  EXPECT_EQ(read().at("shop.latency_ns").exemplar->time_ms, slot_before);
  program_->signal(SIGUSR1);
  EXPECT_EQ(program_->wait(), 0);
  const auto second = read().at("shop.latency_ns").exemplar;
  ASSERT_TRUE(second) << "the last one of a process that ended";
  EXPECT_EQ(second->value, 10U);
  EXPECT_EQ(second->labels, "trace_id=c");
  EXPECT_GE(second->time_ms, first->time_ms);
}

TEST_F(SharingTest, ReaderSeesNoTornExemplar) {
  run("replaces");
  std::set<uint64_t> values;
  while (values.size() < 300) {
    const auto exemplar = read().at("shop.latency_ns").exemplar;
    if (!exemplar) continue;
    ASSERT_EQ(exemplar->labels, "value=" + std::to_string(exemplar->value));
    values.insert(exemplar->value);
  }
}

TEST_F(SharingTest, AFileHasRoomForSoManyExemplars) {
  run("many_exemplars");
  std::string error;
  const auto readings = cells_->read(error);
  ASSERT_TRUE(readings) << error;
  const auto has_exemplar = [](const Reading& reading) { return reading.exemplar.has_value(); };
  // Another histogram of the program has the room of one.
  EXPECT_EQ(std::count_if(readings->begin(), readings->end(), has_exemplar), cell_file::kExemplarsMax - 1);
  EXPECT_EQ(cells_->left_out(), 0U) << "the others count";
}

TEST_F(SharingTest, FullFileSystemLosesCountsButNotTheProgram) {
  const Ended ended =
      run_program({STATMILL_SHARING_PROGRAM, {"fills"}, {{"STATMILL_SHARE", directory_.path().string()}}});
  EXPECT_EQ(ended.status, 0) << ended.said;
  if (ended.said.starts_with("cannot mount")) GTEST_SKIP() << ended.said;
  EXPECT_THAT(ended.said, HasSubstr("ready"));
}

TEST_F(SharingTest, WithoutAFileTheProgramCountsAndReportsWhy) {
  const std::string nowhere = (directory_.path() / "none").string();
  EXPECT_THAT(run_unshared({""}, nowhere), HasSubstr("not shared: " + nowhere + ": No such file"));
  EXPECT_THAT(run_unshared({""}, directory_.write("file", "").string()), HasSubstr("Not a directory"));
  EXPECT_THAT(run_unshared({""}, ""), HasSubstr("not shared: not enabled"))
      << "an empty variable overrides the definition in the program";
  EXPECT_THAT(run_unshared({""}, std::string(600, 'x')), HasSubstr("not shared: "));
  EXPECT_THAT(run_unshared({"limited"}, directory_.path().string()), HasSubstr("ulimit"));
  EXPECT_THAT(run_program({STATMILL_SHARING_PROGRAM, {}, {}}).said, HasSubstr("/nowhere/statmill: No such"))
      << "the definition in the program";
}

TEST(Sharing, IsOffByDefault) {
  EXPECT_EQ(share_path(), nullptr);
  EXPECT_EQ(share_error(), nullptr);
}

}  // namespace
}  // namespace statmill
