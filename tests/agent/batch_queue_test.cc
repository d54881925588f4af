// What waits for the server is bounded; what is dropped is dropped whole, oldest first, and counted.
#include "agent/batch_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace statmill {
namespace {

constexpr size_t kPlenty = 1 << 20;

LineBatch batch_of(const std::string& text) {
  return {text, static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'))};
}

// Everything that is left, as a connection that takes all would see it.
std::string drain(BatchQueue& queue) {
  std::string out;
  while (!queue.empty()) {
    const std::string_view bytes = queue.next();
    out.append(bytes);
    queue.took(bytes.size());
  }
  return out;
}

TEST(BatchQueue, ResumesAtTheFirstLineNotTakenWhole) {
  const struct {
    size_t taken;
    const char* rest;
    uint64_t sent;
    const char* why;
  } table[] = {
      {0, "aa 1\nbb 2\ncc 3\n", 0, "nothing taken"},
      {3, "aa 1\nbb 2\ncc 3\n", 0, "inside the first line"},
      {4, "aa 1\nbb 2\ncc 3\n", 0, "all but the first line's LF"},
      {5, "bb 2\ncc 3\n", 1, "exactly one line"},
      {6, "bb 2\ncc 3\n", 1, "inside the second line"},
      {14, "cc 3\n", 2, "all but the last LF"},
      {15, "", 3, "everything"},
  };
  for (const auto& t : table) {
    BatchQueue queue(kPlenty);
    queue.push(batch_of("aa 1\nbb 2\ncc 3\n"));
    queue.took(t.taken);
    queue.rewind_to_line();
    EXPECT_EQ(queue.lines_sent(), t.sent) << t.why;
    EXPECT_EQ(drain(queue), t.rest) << t.why;
    EXPECT_EQ(queue.lines_sent(), 3U) << t.why;
  }
}

TEST(BatchQueue, DropsTheOldestWholeAndCountsItsLines) {
  const std::string filler(1000, 'x');
  BatchQueue queue(2500);
  queue.push(batch_of("1\n1\n" + filler + "\n"));
  queue.push(batch_of("2\n" + filler + "\n"));
  queue.push(batch_of("3\n" + filler + "\n"));
  EXPECT_EQ(queue.lines_dropped(), 3U);
  EXPECT_LE(queue.bytes(), 2500U);
  EXPECT_EQ(drain(queue), "2\n" + filler + "\n3\n" + filler + "\n");
}

TEST(BatchQueue, CountsOnlyWhatWasNotYetSentOfADroppedBatch) {
  const std::string filler(1000, 'x');
  BatchQueue queue(1500);
  queue.push(batch_of("1\n1\n" + filler + "\n"));
  queue.took(4);
  queue.push(batch_of("2\n" + filler + "\n"));
  EXPECT_EQ(queue.lines_sent(), 2U);
  EXPECT_EQ(queue.lines_dropped(), 1U);
  EXPECT_EQ(drain(queue), "2\n" + filler + "\n");
}

TEST(BatchQueue, EndsALineBegunThoughItsBatchIsDropped) {
  const std::string filler(1000, 'x');
  BatchQueue queue(1500);
  queue.push(batch_of("1\nbegun 1\n" + filler + "\n"));
  queue.took(5);
  queue.push(batch_of("2\n" + filler + "\n"));
  EXPECT_EQ(queue.lines_dropped(), 1U);
  queue.push(batch_of("3\n" + filler + "\n"));
  EXPECT_EQ(queue.lines_dropped(), 3U) << "the begun line stays, the batch behind it goes";
  EXPECT_LE(queue.bytes(), 1500U);
  EXPECT_EQ(drain(queue), "un 1\n3\n" + filler + "\n");
  EXPECT_EQ(queue.lines_sent(), 4U);
}

TEST(BatchQueue, RefusesABatchLargerThanItsBound) {
  BatchQueue queue(100);
  queue.push(batch_of("old\n"));
  queue.push(batch_of(std::string(200, 'x') + "\n"));
  EXPECT_EQ(queue.lines_dropped(), 1U);
  EXPECT_EQ(drain(queue), "old\n");
}

// Whatever is pushed, taken and cut: every line arrives whole exactly once, or is counted as dropped.
TEST(BatchQueue, EveryLineIsSentOnceOrCountedAsDropped) {
  EXPECT_TRUE(rc::check([] {
    BatchQueue queue(*rc::gen::inRange<size_t>(100, 2000));
    std::string connection;
    std::string received;  // whole lines of all connections
    uint64_t pushed = 0;
    const auto cut = [&] {
      received.append(connection, 0, connection.rfind('\n') + 1);
      connection.clear();
      queue.rewind_to_line();
    };
    for (const int step : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20))) {
      if (step < 10) {
        std::string text;
        for (int i = 0; i <= step; ++i) text += "line " + std::to_string(pushed++) + "\n";
        queue.push(batch_of(text));
      } else if (step < 19 && !queue.empty()) {
        const size_t bytes = std::min(queue.next().size(), static_cast<size_t>(step) * 3);
        connection.append(queue.next().substr(0, bytes));
        queue.took(bytes);
      } else {
        cut();
      }
    }
    connection.append(drain(queue));
    cut();
    const auto lines = static_cast<uint64_t>(std::count(received.begin(), received.end(), '\n'));
    RC_ASSERT(lines == queue.lines_sent());
    RC_ASSERT(lines + queue.lines_dropped() == pushed);
    int64_t last = -1;  // rising: in order, none twice, none torn
    std::string_view rest = received;
    while (!rest.empty()) {
      RC_ASSERT(rest.starts_with("line "));
      const int64_t number = std::stoll(std::string(rest.substr(5, rest.find('\n') - 5)));
      RC_ASSERT(number > last);
      last = number;
      rest.remove_prefix(rest.find('\n') + 1);
    }
    RC_ASSERT(queue.bytes() == 0U);
  }));
}

}  // namespace
}  // namespace statmill
