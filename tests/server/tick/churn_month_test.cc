// A month of churn: pods come with new names, send for an hour and go. Their series stay for as long as data
// of them are kept. The RAM of such a series has a bound, and the sum does not grow any more once the first
// series expire.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/thread_cpu.h"
#include "proto/istatd/parser.h"
#include "server/tick/id_reuse.h"
#include "server/tick/ticker.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

// A disk that keeps nothing, so that the RAM of the program is that of the table.
class NoStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Status write(const StoreBatch&) override { return Status::ok(); }
};

// Returns the RAM that the system has given to the program for its data, without what malloc can return. The
// sum of all mappings is exact, while the kernel's counters of resident pages are off by some on each CPU.
size_t resident_bytes() {
  malloc_trim(0);
  std::ifstream sums("/proc/self/smaps_rollup");
  for (std::string word; sums >> word;) {
    size_t kib = 0;
    if (word == "Anonymous:" && sums >> kib) return kib << 10;
  }
  ADD_FAILURE() << "/proc/self/smaps_rollup has no line Anonymous";
  return 0;
}

// Returns the text of a number in letters and digits that pods have, so that all texts have one size.
std::string pod_text(uint64_t number, size_t size) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text(size, kLetters[0]);
  for (char& c : text) {
    c = kLetters[number % kLetters.size()];
    number /= kLetters.size();
  }
  return text;
}

class ChurnMonth : public testing::Test {
 protected:
  static constexpr int64_t kStepS = 3600;
  static constexpr int64_t kRetentionDays = 7;

  ChurnMonth() {
    // Where the system gives huge pages to all programs, what is resident comes in steps of 2 MiB.
    EXPECT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
    // As the server tunes it.
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
    ticker_.begin(time());
    step();
    resident_before_ = resident_bytes();
  }
  TickTime time() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  // 59 bytes, of which 19 are the pod's own: a hash of its set, which 100 pods share, and a text.
  static std::string name_of(uint64_t pod) {
    return "pod.cpu.user;container=main;ns=shop;pod=web-" + pod_text(pod / 100 * 7919, 9) + "-" +
           pod_text(pod * 104729, 5);
  }
  // Sends a sample of each pod in [begin, begin + count), and one of a series that never ends.
  void send(uint64_t begin, uint64_t count) {
    for (uint64_t pod = begin; pod < begin + count;) {
      std::string lines = "live 1\n";
      for (int i = 0; i < 1000 && pod < begin + count; ++i) lines += name_of(pod++) + " 1\n";
      Batch batch;
      parse_istatd_lines(lines, batch);
      ASSERT_EQ(table_.apply(batch, time().wall), batch.received);
    }
  }
  // All shards are flushed. Then come the ticks until the next flush, of which each deletes some of the
  // silent series and copies some names if the index of names is renewed.
  void step() {
    now_ += kStepS;
    for (int ticks = 0; ticks < 20; ++ticks) {
      ASSERT_TRUE(ticker_.tick(time()));
      ticker_.update_index();
      ASSERT_TRUE(id_reuse_.step(cancelled_));
      most_counted_ = std::max(most_counted_, table_.name_bytes());
    }
    ASSERT_EQ(table_.unindexed_count(), 0U);
  }

  const Tiers tiers_ = *Tiers::parse("10s:" + std::to_string(kRetentionDays) + "d");
  MemoryStore empty_{tiers_};
  NoStore store_{empty_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  Table table_{tiers_, TableLimits{}};
  IdReuse id_reuse_{table_, store_};
  const std::atomic<bool> cancelled_{false};
  Ticker ticker_{{table_, store_, registry_, health_, log_, nullptr, nullptr, &id_reuse_},
                 TickOptions{},
                 TickStart{},
                 time().steady};
  size_t resident_before_ = 0;
  size_t most_counted_ = 0;  // of table_.name_bytes()
};

TEST_F(ChurnMonth, RamOfIdleSeriesIsBoundedAndFlat) {
  const char* const wanted = std::getenv("SM_PODS");
  const uint64_t pods = wanted == nullptr ? 20'000 : std::strtoull(wanted, nullptr, 10);
  constexpr uint64_t kSteps = kDay / kStepS;
  constexpr int kDays = 30;
  constexpr int kSteadyFrom = 10;
  std::vector<double> per_series;  // by day, from the first steady one
  std::vector<double> resident;
  std::vector<size_t> series;
  uint64_t made = 0;
  for (int day = 1; day <= kDays; ++day) {
    double most = 0;
    for (uint64_t i = 0; i < kSteps; ++i) {
      const uint64_t next = pods * (static_cast<uint64_t>(day - 1) * kSteps + i + 1) / kSteps;
      const uint64_t before = pods / kSteps;  // those of the step before send once more
      const uint64_t begin = made - std::min(made, before);
      send(begin, next - begin);
      made = next;
      step();
      most = std::max(most, static_cast<double>(resident_bytes() - resident_before_));
    }
    std::printf("day %2d: %7zu series, %6.1f MB resident, %6.1f B a series, %6.1f B counted, %llu expired\n",
                day, table_.series_count(), most / 1e6, most / static_cast<double>(table_.series_count()),
                static_cast<double>(table_.name_bytes()) / static_cast<double>(table_.series_count()),
                static_cast<unsigned long long>(table_.series_expired()));
    if (day < kSteadyFrom) continue;
    per_series.push_back(most / static_cast<double>(table_.series_count()));
    resident.push_back(most);
    series.push_back(table_.series_count());
  }
  const auto [fewest, most] = std::minmax_element(series.begin(), series.end());
  const double series_bytes = *std::max_element(per_series.begin(), per_series.end());
  const double counted = static_cast<double>(most_counted_) / static_cast<double>(table_.series_count());
  std::printf(
      "%.0f B a series at most, %.0f B counted while names are copied; %.1f MB on day %d, %.1f MB on day "
      "%d\n",
      series_bytes, counted, resident.front() / 1e6, kSteadyFrom, resident.back() / 1e6, kDays);
  EXPECT_LT(*most, *fewest * 11 / 10) << "series expire as fast as they come";
  EXPECT_GT(table_.index_renewals(), 0U);
  EXPECT_LE(table_.ids_end(), *most * 3 / 2) << "ids of expired series are used again";
  EXPECT_LE(series_bytes, 130);
  EXPECT_LE(counted, 180);
  EXPECT_LE(*std::max_element(resident.begin(), resident.end()), 1.06 * resident.front()) << "no growth";
}

}  // namespace
}  // namespace statmill
