#include "counters/unfinished.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "counters/sent_histogram.h"
#include "tests/counters/received_histogram.h"

namespace statmill {
namespace {

constexpr unsigned kPower = 2;
constexpr unsigned kMaxPower = 14;
constexpr size_t kBuckets = h2::bucket_count(kPower, kMaxPower);
constexpr size_t kGroups = group_count(kPower, kBuckets);
constexpr size_t kCpus = 3;

TEST(Unfinished, UnfinishedRecordMayLackTheLargestValueOfItsGroup) {
  std::array<uint64_t, kBuckets> buckets{};
  std::array<uint64_t, kGroups> finished{};
  EXPECT_EQ(sum_missing_max(kPower, buckets, finished), 0u);
  buckets[h2::index_of(kPower, 100)] = 3;
  buckets[h2::index_of(kPower, 70)] = 2;
  buckets[h2::index_of(kPower, 2)] = 1;
  const size_t group = h2::index_of(kPower, 100) >> kPower;
  finished[group] = 5;
  EXPECT_EQ(sum_missing_max(kPower, buckets, finished), 3u) << "2 is in the group from 0 to 3";
  finished[0] = 1;
  EXPECT_EQ(sum_missing_max(kPower, buckets, finished), 0u);
  finished[group] = 3;
  EXPECT_EQ(sum_missing_max(kPower, buckets, finished), 2u * 127);
}

TEST(Unfinished, BoundIsCappedAt64Bits) {
  std::vector<uint64_t> buckets(h2::bucket_count(8, 64));
  const std::vector<uint64_t> finished(group_count(8, buckets.size()));
  buckets.back() = 1;
  buckets[0] = 1;
  EXPECT_EQ(sum_missing_max(8, buckets, finished), ~uint64_t{0}) << "no value of the first group is over 255";
  buckets.back() = 2;
  EXPECT_EQ(sum_missing_max(8, buckets, finished), ~uint64_t{0});
}

// A model of a histogram: threads record into it one store at a time, each on any CPU, in the order of
// Histogram::record().
class Recording {
 public:
  void step() {
    const auto cpu = *rc::gen::inRange<size_t>(0, kCpus);
    Thread& thread = threads_[*rc::gen::inRange<size_t>(0, threads_.size())];
    if (thread.done == 0)
      thread.value = *rc::gen::oneOf(rc::gen::inRange<uint64_t>(900, 1100),
                                     rc::gen::inRange<uint64_t>(0, 1 << kMaxPower));
    store(thread, cpu);
  }
  void finish() {
    for (Thread& thread : threads_) {
      while (thread.done != 0) store(thread, 0);
    }
  }
  // Reads one cell after another, like Registry::read() and SharedCells::read(). Calls `between` before each
  // load.
  template <class Between>
  Reading read(Between between) const {
    const auto sum_of = [&](auto cell_of) {
      uint64_t sum = 0;
      for (const Cells& cells : cpus_) {
        between();
        sum += cell_of(cells);
      }
      return sum;
    };
    std::array<uint64_t, kGroups> finished{};
    std::array<uint64_t, kBuckets> buckets{};
    Reading out;
    for (size_t i = 0; i < kGroups; ++i) finished[i] = sum_of([&](const Cells& c) { return c.finished[i]; });
    out.sum = sum_of([](const Cells& c) { return c.sum; });
    for (size_t i = 0; i < kBuckets; ++i) buckets[i] = sum_of([&](const Cells& c) { return c.buckets[i]; });
    out.name = "h";
    out.type = Reading::Type::kHistogram;
    out.grouping_power = kPower;
    for (uint32_t i = 0; i < kBuckets; ++i) {
      if (buckets[i] != 0) out.buckets.push_back({i, buckets[i]});
    }
    out.sum_missing_max = sum_missing_max(kPower, buckets, finished);
    return out;
  }
  Reading read() const {
    return read([] {});
  }

 private:
  struct Cells {
    std::array<uint64_t, kBuckets> buckets{};
    uint64_t sum = 0;
    std::array<uint64_t, kGroups> finished{};
  };
  struct Thread {
    uint64_t value = 0;
    int done = 0;  // number of stores of the current record
  };
  void store(Thread& thread, size_t cpu) {
    const size_t bucket = h2::index_of(kPower, thread.value);
    if (thread.done == 0) ++cpus_[cpu].buckets[bucket];
    if (thread.done == 1) cpus_[cpu].sum += thread.value;
    if (thread.done == 2) ++cpus_[cpu].finished[bucket >> kPower];
    thread.done = (thread.done + 1) % 3;
  }

  std::array<Cells, kCpus> cpus_;
  std::array<Thread, 3> threads_;
};

void send(SentHistogram& sent, const std::vector<SentHistogram::Line>& lines, size_t count,
          ReceivedHistogram& received) {
  for (size_t i = 0; i < count; ++i) {
    RC_ASSERT(received.add(lines[i].text));
    sent.sent(lines[i]);
  }
}

RC_GTEST_PROP(Unfinished, ReportsAddUpExactlyWheneverReadingsAreMade, ()) {
  Recording recording;
  SentHistogram sent;
  ReceivedHistogram received;
  const auto pace = *rc::gen::element(0, 1, 20);  // chance of a store before each load, in percent
  for (int report = *rc::gen::inRange(1, 6); report > 0; --report) {
    for (int i = *rc::gen::inRange(0, 60); i > 0; --i) recording.step();
    const Reading reading = recording.read([&] {
      if (*rc::gen::inRange(0, 100) < pace) recording.step();
    });
    const auto lines = sent.lines(reading);
    send(sent, lines, *rc::gen::inRange<size_t>(0, lines.size() + 1), received);
  }
  recording.finish();
  const Reading last = recording.read();
  RC_ASSERT(last.sum_missing_max == 0u);
  const auto lines = sent.lines(last);
  send(sent, lines, lines.size(), received);
  RC_ASSERT(received.buckets() == buckets_of(last));
  RC_ASSERT(received.sum() == last.sum);
}

TEST(Unfinished, MostOfABusyHistogramIsSentImmediately) {
  std::array<uint64_t, h2::bucket_count(5, 40)> buckets{};
  std::array<uint64_t, group_count(5, buckets.size())> finished{};
  const auto record = [&](uint64_t value, uint64_t n) { buckets[h2::index_of(5, value)] += n; };
  record(1000, 100'000);
  record(uint64_t{1} << 39, 1);
  for (size_t i = 0; i < buckets.size(); ++i) finished[i >> 5] += buckets[i];
  record(1000, 2);  // in progress
  Reading reading;
  reading.name = "h";
  reading.type = Reading::Type::kHistogram;
  reading.grouping_power = 5;
  reading.sum = 100'000'000 + (uint64_t{1} << 39);
  for (uint32_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] != 0) reading.buckets.push_back({i, buckets[i]});
  }
  reading.sum_missing_max = sum_missing_max(5, buckets, finished);
  ReceivedHistogram received;
  for (const SentHistogram::Line& line : SentHistogram().lines(reading)) EXPECT_TRUE(received.add(line.text));
  EXPECT_EQ(received.buckets().at(static_cast<uint32_t>(h2::index_of(5, uint64_t{1} << 39))), 1u)
      << "a rare value is not held back";
  EXPECT_GE(received.buckets().at(static_cast<uint32_t>(h2::index_of(5, 1000))), 99'800u);
}

}  // namespace
}  // namespace statmill
