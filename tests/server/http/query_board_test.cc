#include "server/http/query_board.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>

#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

class QueryBoardTest : public testing::Test {
 protected:
  // Lists a query that took so long.
  void end_after(int64_t ms, const std::string& text) {
    QueryControl control({}, nullptr, &clock_);
    control.begin();
    const uint64_t id = board_.add(text, "10.0.0.7:1", control);
    clock_.advance(Duration(ms));
    board_.remove(id, 200);
  }
  boost::json::object report() const { return boost::json::parse(board_.json()).as_object(); }

  ManualClock clock_;
  static constexpr size_t kSlowest = 100;
  QueryBoard board_{clock_, kSlowest};
};

TEST_F(QueryBoardTest, ListsWhatRuns) {
  QueryControl control({}, nullptr, &clock_);
  control.begin();
  const uint64_t id = board_.add("/api/v1/query?series=a\"b", "10.0.0.7:40122", control);
  clock_.advance(Duration(1500));
  EXPECT_TRUE(control.add_slots(8640));
  control.add_cost({.series = 1, .chunks = 5, .cached = 2, .bytes = 700});
  EXPECT_EQ(board_.json(),
            "{\"running\":[{\"id\":" + std::to_string(id) +
                ",\"query\":\"/api/v1/query?series=a\\\"b\",\"client\":\"10.0.0.7:40122\","
                "\"age_ms\":1500,\"cost\":{\"series\":1,\"chunks\":5,\"cached\":2,\"slots\":8640,"
                "\"bytes\":700,\"ms\":1500}}],\"slowest\":[]}\n");
  board_.remove(id, 200);
  EXPECT_TRUE(report()["running"].as_array().empty());
}

TEST_F(QueryBoardTest, StopsAll) {
  QueryControl one;
  QueryControl stopped;
  QueryControl later;
  stopped.stop(QueryStop::kClient);
  board_.add("one", "", one);
  board_.add("stopped", "", stopped);
  board_.stop_all(QueryStop::kServer);
  board_.add("later", "", later);
  EXPECT_EQ(one.stopped_by(), QueryStop::kServer);
  EXPECT_EQ(stopped.stopped_by(), QueryStop::kClient) << "the first reason stays";
  EXPECT_EQ(later.stopped_by(), QueryStop::kNone);
}

TEST_F(QueryBoardTest, KeepsTheSlowestInOrder) {
  for (int i = 0; i < 150; ++i) end_after((i * 37) % 150, "q" + std::to_string((i * 37) % 150));
  const auto slowest = report()["slowest"].as_array();
  ASSERT_EQ(slowest.size(), kSlowest);
  for (size_t i = 0; i < slowest.size(); ++i)
    EXPECT_EQ(slowest[i].at("query").as_string(), "q" + std::to_string(149 - i));
}

TEST_F(QueryBoardTest, ForgetsThemAfterADay) {
  end_after(5000, "old");
  clock_.advance(std::chrono::hours(25));
  end_after(1, "new");
  ASSERT_EQ(report()["slowest"].as_array().size(), 1U);
  EXPECT_EQ(report()["slowest"].as_array()[0].at("query").as_string(), "new");
  clock_.advance(std::chrono::hours(25));
  EXPECT_TRUE(report()["slowest"].as_array().empty()) << "also without a newer query";
}

TEST_F(QueryBoardTest, ItMayKeepNone) {
  QueryBoard none(clock_, 0);
  QueryControl control;
  none.remove(none.add("a", "b", control), 200);
  EXPECT_EQ(none.json(), "{\"running\":[],\"slowest\":[]}\n");
}

TEST_F(QueryBoardTest, AQueryThatNeverRanIsNotKept) {
  QueryControl control;
  board_.remove(board_.add("a", "b", control), 0);
  EXPECT_TRUE(report()["slowest"].as_array().empty());
}

TEST_F(QueryBoardTest, CancelsByNumber) {
  QueryControl control;
  const uint64_t id = board_.add("a", "b", control);
  EXPECT_FALSE(board_.cancel(id + 1));
  EXPECT_FALSE(control.should_stop());
  EXPECT_TRUE(board_.cancel(id));
  EXPECT_EQ(control.stopped_by(), QueryStop::kAdmin);
  board_.remove(id, 503);
  EXPECT_FALSE(board_.cancel(id));
}

TEST_F(QueryBoardTest, KnowsWhichQueryShouldHaveEndedFirst) {
  QueryControl timed_out({.timeout = Duration(1000)}, nullptr, &clock_);
  QueryControl stopped({}, nullptr, &clock_);
  const uint64_t first = board_.add("a", "b", timed_out);
  const uint64_t second = board_.add("c", "d", stopped);
  timed_out.begin();
  stopped.begin();
  clock_.advance(Duration(1000));
  stopped.stop(QueryStop::kClient);
  EXPECT_EQ(board_.most_overdue(clock_.steady()).id, 0U);
  clock_.advance(Duration(500));
  stopped.stop(QueryStop::kServer);
  timed_out.extend_deadline(Duration(200));
  EXPECT_EQ(board_.most_overdue(clock_.steady()).id, second);
  EXPECT_EQ(board_.most_overdue(clock_.steady()).time, Duration(500));
  board_.remove(second, 503);
  EXPECT_EQ(board_.most_overdue(clock_.steady()).id, first);
  EXPECT_EQ(board_.most_overdue(clock_.steady()).time, Duration(300));
  timed_out.set_working(false);
  EXPECT_EQ(board_.most_overdue(clock_.steady()).id, 0U) << "it waits for its client";
}

TEST_F(QueryBoardTest, LongTextsAreCut) {
  QueryControl control;
  board_.add(std::string(10'000, 'x'), "b", control);
  EXPECT_LT(board_.json().size(), kQueryTextBytes + 300);
}

}  // namespace
}  // namespace statmill
