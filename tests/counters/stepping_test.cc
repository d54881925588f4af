// Stops a program after every single instruction while it records, and reads its shared cells each time.
// Whichever of these readings are reported, the total of the lines is exact.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "counters/sent_histogram.h"
#include "statmill/shared_cells.h"
#include "tests/counters/received_histogram.h"
#include "tests/support/process.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

// The values that sharing_program records.
constexpr uint64_t kRecords = 8;
constexpr uint64_t value_of(uint64_t record) { return 1000 * record + 3; }

class SteppingTest : public testing::Test {
 protected:
  // Requires atomic adds: a restartable sequence that is single-stepped restarts forever.
  void SetUp() override {
    if (kIsSanitized)
      GTEST_SKIP() << "stepping through the code of a sanitizer takes minutes and shows nothing new";
    program_.emplace(Command{STATMILL_SHARING_PROGRAM,
                             {"steps"},
                             {{"STATMILL_SHARE", directory_.path().string()}, {"STATMILL_CELLS", "getcpu"}}});
    const auto line = program_->wait_for_line("ready");
    ASSERT_TRUE(line) << program_->standard_error();
    std::string error;
    cells_ = SharedCells::open(log_value(*line, "path"), error);
    ASSERT_NE(cells_, nullptr) << error;
    const pid_t pid = program_->pid();
    if (::ptrace(PTRACE_SEIZE, pid, 0, 0) != 0) GTEST_SKIP() << "no ptrace: " << std::strerror(errno);
    ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, pid, 0, 0), 0);
    ASSERT_TRUE(stops());
    program_->signal(SIGUSR1);
  }
  // Executes one instruction. Returns false if the program has ended.
  bool step() {
    EXPECT_EQ(::ptrace(PTRACE_SINGLESTEP, program_->pid(), 0, 0), 0) << std::strerror(errno);
    return stops();
  }
  Reading read() {
    std::string error;
    const auto readings = cells_->read(error);
    EXPECT_TRUE(readings) << error;
    for (const Reading& reading : readings.value_or(std::vector<Reading>())) {
      if (reading.type != Reading::Type::kHistogram) continue;
      Reading out = reading;
      out.name = "h";
      return out;
    }
    ADD_FAILURE() << "the histogram is missing";
    return {};
  }
  // Returns all different readings from the first instruction to the end, in order.
  std::vector<Reading> all_readings() {
    std::vector<Reading> out = {read()};
    while (step() && !HasFailure()) {
      Reading now = read();
      const Reading& last = out.back();
      if (now.count != last.count || now.sum != last.sum || now.sum_missing_max != last.sum_missing_max)
        out.push_back(std::move(now));
    }
    return out;
  }

 private:
  bool stops() {
    int status = 0;
    // Leaves the exited child to be reaped by Process.
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(program_->pid()), &info, WEXITED | WSTOPPED | WNOWAIT) != 0)
      return false;
    if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED) return false;
    return ::waitpid(program_->pid(), &status, 0) == program_->pid() && WIFSTOPPED(status);
  }

  const TempDirectory directory_;
  std::optional<Process> program_;
  std::unique_ptr<SharedCells> cells_;
};

// Reports these readings in order as one histogram, and returns what the server receives.
ReceivedHistogram received_from(const std::vector<Reading>& readings) {
  SentHistogram sent;
  ReceivedHistogram received;
  for (const Reading& reading : readings) {
    for (const SentHistogram::Line& line : sent.lines(reading)) {
      EXPECT_TRUE(received.add(line.text)) << line.text;
      sent.sent(line);
    }
  }
  return received;
}

TEST_F(SteppingTest, TotalIsExactWhicheverReadingsAreReported) {
  const std::vector<Reading> readings = all_readings();
  ASSERT_FALSE(HasFailure());
  const Reading& last = readings.back();
  ASSERT_EQ(last.count, kRecords);
  ASSERT_EQ(last.sum_missing_max, 0u);
  EXPECT_EQ(readings.size(), 1 + 3 * kRecords) << "each of the three stores of a record is visible";
  EXPECT_TRUE(received_from(readings).sum() == last.sum) << "all of them";
  for (size_t i = 0; i < readings.size(); ++i) {
    EXPECT_TRUE(received_from({readings[i], last}).sum() == last.sum) << i;
    for (size_t k = i + 1; k < readings.size(); ++k) {
      const ReceivedHistogram received = received_from({readings[i], readings[k], last});
      EXPECT_TRUE(received.sum() == last.sum) << i << " " << k;
      EXPECT_EQ(received.buckets(), buckets_of(last)) << i << " " << k;
    }
  }
}

TEST_F(SteppingTest, ProgramKilledWithinARecordLosesAtMostItsValue) {
  const std::vector<Reading> readings = all_readings();
  ASSERT_FALSE(HasFailure());
  for (size_t i = 0; i < readings.size(); ++i) {
    for (size_t k = i; k < readings.size(); ++k) {
      Reading last = readings[k];
      if (last.count == 0) continue;
      last.sum_missing_max = 0;  // it will never be finished
      const ReceivedHistogram received = received_from({readings[i], last});
      uint64_t recorded = 0;
      for (uint64_t record = 0; record < last.count; ++record) recorded += value_of(record);
      EXPECT_EQ(received.buckets(), buckets_of(last)) << "no count is missing: " << i << " " << k;
      EXPECT_TRUE(received.sum() <= recorded && received.sum() >= recorded - value_of(last.count - 1))
          << i << " " << k;
    }
  }
}

}  // namespace
}  // namespace statmill
