// What a terminal shows while a long command runs.
#include "tools/statmill/progress.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "base/mutex.h"

namespace statmill {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(ProgressText, SaysHowMuchHowFastAndHowLong) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  EXPECT_EQ(progress_text("backup", {3 * 1024 * kMiB, 12 * 1024 * kMiB}, seconds(30)),
            "backup  3 GiB of 12 GiB, 25 %, 102 MiB/s, 1m30s left");
  EXPECT_EQ(progress_text("check", {kMiB, 1024 * kMiB}, seconds(10)),
            "check  1 MiB of 1 GiB, 0 %, 102 KiB/s, 2h50m left");
  EXPECT_EQ(progress_text("verify", {kMiB, kMiB}, seconds(1)),
            "verify  1 MiB of 1 MiB, 100 %, 1 MiB/s, 0s left");
  EXPECT_EQ(progress_text("verify", {2 * kMiB, kMiB}, seconds(1)),
            "verify  2 MiB of 2 MiB, 100 %, 2 MiB/s, 0s left");
}

TEST(ProgressText, CountsSeries) {
  EXPECT_EQ(progress_text("export", {120, 1000}, seconds(2), ProgressUnit::kSeries),
            "export  120 of 1000 series, 12 %, 60 a second, 15s left");
}

TEST(ProgressText, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(progress_text("flush", {0, 0}, seconds(95)), "flush, 1m35s so far");
  EXPECT_EQ(progress_text("flush", {0, 100}, minutes(61)), "flush, 1h01m so far");
  EXPECT_EQ(progress_text("flush", {50, 100}, seconds(0)), "flush  50 B of 100 B, 50 %");
}

// A terminal that keeps what is written to it.
class Terminal {
 public:
  Environment environment() {
    return {.default_server = {}, .now = {}, .show_progress = [this](std::string_view text) {
              MutexLock lock(mutex_);
              shown_ += text;
            }};
  }
  std::string shown() {
    MutexLock lock(mutex_);
    return shown_;
  }

 private:
  Mutex mutex_;
  std::string shown_ GUARDED_BY(mutex_);
};

TEST(ProgressLine, IsDrawnAgainAndClearedAtTheEnd) {
  Terminal terminal;
  std::promise<void> third;
  {
    std::atomic<int> looks{0};
    const ProgressLine line(terminal.environment(), "backup", [&]() -> std::optional<LongJob::Progress> {
      const int look = ++looks;
      if (look == 4) third.set_value();
      if (look == 1) return std::nullopt;  // the job has not begun
      return LongJob::Progress{static_cast<uint64_t>(look), 10};
    });
    third.get_future().wait();
  }
  const std::string shown = terminal.shown();
  EXPECT_TRUE(shown.starts_with("\r\x1b[Kbackup  2 B of 10 B, 20 %")) << shown;
  EXPECT_NE(shown.find("\r\x1b[Kbackup  3 B of 10 B"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with("\r\x1b[K")) << shown;
}

TEST(ProgressLine, ShowsNothingOfAShortJobOrWithoutATerminal) {
  Terminal terminal;
  EXPECT_EQ(with_progress(terminal.environment(), "verify", [](LongJob&) { return 7; }), 7);
  EXPECT_EQ(terminal.shown(), "");
  std::atomic<int> looks{0};
  {
    const ProgressLine line({.default_server = {}, .now = {}}, "verify",
                            [&] { return ++looks, std::nullopt; });
  }
  EXPECT_EQ(looks, 0);
}

}  // namespace
}  // namespace statmill
