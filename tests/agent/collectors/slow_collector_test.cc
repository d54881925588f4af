// Reading /sys, and collectors of files that block: a FIFO without a writer blocks its reader.
#include "agent/collectors/slow_collector.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <semaphore>

#include "agent/collectors/background_work.h"
#include "agent/collectors/slot_cadence.h"
#include "agent/collectors/sys_reader.h"
#include "base/descriptor.h"
#include "tests/agent/collectors/sys_fixture.h"
#include "tests/agent/collectors/without_file_rights.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;
using Level = CollectorStatus::Level;

class SysReaderTest : public SysFixture {
 protected:
  SysReader sys_{root_.path().string()};
};

TEST_F(SysReaderTest, ReadsTextWithoutBlanksAndNumbersWithSigns) {
  write("a", "  Package id 0 \n");
  write("b", "-1500\n");
  write("c", "\n");
  write("d", "12x\n");
  EXPECT_THAT(sys_.text("a"), Optional(std::string_view("Package id 0")));
  EXPECT_THAT(sys_.number("b"), Optional(-1500));
  EXPECT_EQ(sys_.count("b"), std::nullopt);
  EXPECT_EQ(sys_.text("c"), std::nullopt) << "empty";
  EXPECT_EQ(sys_.count("d"), std::nullopt);
  EXPECT_EQ(sys_.text("none"), std::nullopt);
  EXPECT_THAT(sys_.refused(), IsEmpty()) << "what is not there is not refused";
}

TEST_F(SysReaderTest, ReadsAtMostAPage) {
  write("long", std::string(100'000, 'x'));
  EXPECT_EQ(sys_.text("long").value_or("").size(), SysReader::kFileBytesMax);
}

TEST_F(SysReaderTest, RemembersTheFirstFileThatItMayNotRead) {
  write("secret", "1\n");
  std::filesystem::permissions(root_.path() / "secret", std::filesystem::perms::none);
  const WithoutFileRights without;
  EXPECT_EQ(sys_.text("secret"), std::nullopt);
  EXPECT_THAT(sys_.refused(), EndsWith("/secret: Permission denied"));
  sys_.forget_refused();
  EXPECT_THAT(sys_.refused(), IsEmpty());
}

TEST_F(SysReaderTest, ListsNamesWithAPrefixInOrder) {
  for (const char* name : {"d/cpu2/x", "d/cpu10/x", "d/other", "d/cpu0/x"}) write(name, "");
  EXPECT_THAT(sys_.names("d", "cpu"), Optional(ElementsAre("cpu0", "cpu10", "cpu2")));
  EXPECT_EQ(sys_.names("none"), std::nullopt);
  link("d/device", "../../devices/platform/coretemp.0");
  EXPECT_EQ(sys_.link_target("d/device"), "coretemp.0");
  EXPECT_EQ(sys_.link_target("d/other"), "");
}

TEST(SlotCadence, IsDueFirstAndThenOnceAtTheEndOfEachSlot) {
  SlotCadence cadence;
  const Timestamp slot = from_unix_seconds(1'700'000'000);  // the begin of one
  EXPECT_TRUE(cadence.is_due(slot));
  EXPECT_FALSE(cadence.is_due(slot + Duration(8'999)));
  EXPECT_TRUE(cadence.is_due(slot + Duration(9'000)));
  EXPECT_FALSE(cadence.is_due(slot + Duration(18'999)));
  EXPECT_TRUE(cadence.is_due(slot + Duration(60'000))) << "after a pause";
}

TEST(BackgroundWork, CallsItsFunctionOncePerBegin) {
  Log log(LogLevel::kError);
  int calls = 0;
  BackgroundWork work(log, "work", [&] { ++calls; });
  EXPECT_TRUE(work.wait(Duration(0))) << "nothing is under way";
  for (int i = 1; i <= 3; ++i) {
    work.begin();
    ASSERT_TRUE(work.wait(std::chrono::minutes(1)));
    EXPECT_EQ(calls, i);
  }
}

TEST(BackgroundWork, ItsEndWaitsForTheCallUnderWay) {
  Log log(LogLevel::kError);
  std::binary_semaphore has_begun(0);
  std::binary_semaphore may_end(0);
  bool has_ended = false;  // written by the thread before the end, read after it
  {
    BackgroundWork work(log, "work", [&] {
      has_begun.release();
      may_end.acquire();
      has_ended = true;
    });
    work.begin();
    has_begun.acquire();
    EXPECT_FALSE(work.wait(Duration(1)));
    may_end.release();
  }
  EXPECT_TRUE(has_ended);
}

// Reads one file as a gauge and as a total.
class OneFile final : public SlowSource {
 public:
  explicit OneFile(std::string root) : sys_(std::move(root)) {}
  std::string_view name() const override { return "link"; }
  void read() override { found_ = sys_.count("value"); }
  CollectorStatus report(MetricSink& sink) override {
    if (!found_) return CollectorStatus::unavailable("no value");
    sink.gauge("host.load.tasks", static_cast<double>(*found_));
    return {};
  }
  void keep(MetricSink& sink) const override { sink.keep("host.load."); }
  std::string waits_for() const override { return sys_.waits_for(); }

 private:
  SysReader sys_;
  std::optional<uint64_t> found_;
};

class SlowCollectorTest : public SysFixture {
 protected:
  std::string path() const { return root_.path().string() + "/value"; }
  // Makes the file one that blocks its reader.
  void block() {
    remove("value");
    ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  }
  // Answers the reader that waits.
  void answer(std::string_view text) {
    const Descriptor writer(::open(path().c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::write(writer.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // Collects in the same slot until `is_enough`.
  void collect_until(const std::function<bool()>& is_enough) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    do {
      sink_ = {};
      status_ = slow_->collect(sink_);
    } while (!is_enough() && std::chrono::steady_clock::now() < limit);
  }
  // Lets a reader go that a failed test left.
  void TearDown() override { const Descriptor any(::open(path().c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)); }

  std::unique_ptr<Collector> slow_ =
      make_slow_collector(std::make_unique<OneFile>(root_.path().string()), clock_, log_);
  CollectorStatus status_;
};

TEST_F(SlowCollectorTest, ReportsAtOnceWhatIsReadAtOnce) {
  write("value", "7\n");
  EXPECT_EQ(collect(*slow_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.load.tasks", 7)));
  clock_.advance(Duration(-9'999));
  collect(*slow_);
  EXPECT_THAT(sink_.gauges, IsEmpty()) << "not again in the same slot";
  EXPECT_EQ(sink_.kept, "host.load.");
}

TEST_F(SlowCollectorTest, AFileThatBlocksHoldsUpNothingAndIsReportedLater) {
  write("value", "7\n");
  collect(*slow_);
  block();
  EXPECT_EQ(collect(*slow_), CollectorStatus{}) << "a late answer is nothing to report yet";
  EXPECT_THAT(sink_.gauges, IsEmpty());
  EXPECT_EQ(sink_.kept, "host.load.");
  const CollectorStatus waits = CollectorStatus::degraded("waits for " + path());
  collect_until([&] { return status_ == waits; });
  EXPECT_EQ(status_, waits);
  EXPECT_THAT(sink_.kept, IsEmpty()) << "after so long its totals begin again";
  answer("8\n");
  collect_until([&] { return !sink_.gauges.empty(); });
  EXPECT_EQ(status_, CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.load.tasks", 8)));
}

TEST_F(SlowCollectorTest, UntilTheFirstReadingEndsItIsDegraded) {
  block();
  const CollectorStatus status = collect(*slow_);
  EXPECT_EQ(status.level, Level::kDegraded);
  EXPECT_THAT(status.reason, HasSubstr("first reading"));
  answer("9\n");
  collect_until([&] { return !sink_.gauges.empty(); });
  EXPECT_EQ(status_, CollectorStatus{});
}

}  // namespace
}  // namespace statmill
