// Ends of series: what senders of remote_write say about them, and what a selector then finds.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "server/query/read/table_pieces.h"
#include "server/query/stored_series.h"
#include "server/query/table_series.h"
#include "tests/server/prometheus/remote_server.h"

namespace statmill {
namespace {

using remote::ms;
using remote::series;

const double kStale = std::bit_cast<double>(kStaleMarkerBits);

class SeriesEndTest : public testing::Test {
 protected:
  // Sends samples of the series "m", or its end.
  void send(int64_t second, double value) {
    EXPECT_EQ(server_.send({series("m", {{value, ms(second), 0}})}).reasons(), "");
  }
  void end(int64_t second) { send(second, kStale); }

  // Returns the value of the function at each of these seconds; -1 if there is none.
  std::vector<double> values(LeafFunction function, const std::vector<int64_t>& seconds) {
    const TableSeries selector(server_.table());
    TablePieces pieces(server_.table(), server_.store);
    std::vector<double> out;
    for (const int64_t second : seconds) {
      QueryControl control;
      QueryNotes notes;
      StoredSeries source({selector, pieces, server_.table().live_retention(), server_.store.expiry()},
                          control, from_unix_seconds(remote::kNow + 1000));
      LeafRequest request;
      request.matchers = {{LabelMatcher::Op::kEqual, "__name__", "m"}};
      request.function = function;
      request.grid = {ms(second), ms(second), 1000};
      request.range_ms = 300'000;
      double value = -1;
      const Status read = source.read(request, notes, [&](const SeriesValues& found) {
        value = found.numbers.value(0);
        return Status::ok();
      });
      EXPECT_TRUE(read);
      out.push_back(value);
    }
    return out;
  }
  std::vector<double> instants(const std::vector<int64_t>& seconds) {
    return values(LeafFunction::kInstant, seconds);
  }

  RemoteServer server_;
};

using Values = std::vector<double>;

TEST_F(SeriesEndTest, ASelectorFindsNothingFromTheEndOn) {
  send(0, 7);
  EXPECT_EQ(instants({30, 200}), (Values{7, 7}));
  end(40);
  EXPECT_EQ(instants({30, 39, 40, 200}), (Values{7, 7, -1, -1}));
  EXPECT_EQ(values(LeafFunction::kPresence, {30, 40}), (Values{1, -1}));
  EXPECT_EQ(values(LeafFunction::kTimestamp, {40}), (Values{-1}));
  EXPECT_EQ(values(LeafFunction::kLast, {40, 200}), (Values{7, 7})) << "a range has its samples";
}

TEST_F(SeriesEndTest, ANewerSampleClearsTheEnd) {
  send(0, 7);
  end(3);
  EXPECT_EQ(instants({60}), (Values{-1}));
  send(6, 7);  // in the same slot
  EXPECT_EQ(instants({60}), (Values{7}));
  end(40);
  EXPECT_EQ(instants({60}), (Values{-1}));
  send(55, 8);
  EXPECT_EQ(instants({50, 60}), (Values{7, 8})) << "only the newest end counts";
}

TEST_F(SeriesEndTest, WhatIsRepeatedChangesNothing) {
  const std::vector<SentSeries> request = {series("m", {{7, ms(0), 0}, {kStale, ms(15), 0}})};
  server_.send(request);
  server_.send(request);
  EXPECT_EQ(instants({60}), (Values{-1}));
  send(30, 9);
  server_.send(request);
  EXPECT_EQ(instants({60}), (Values{9}));
}

TEST_F(SeriesEndTest, CountersEndToo) {
  const auto count = [&](int64_t second, double value) {
    server_.send2({series("m", {{value, ms(second), 0}}, FamilyType::kCounter)});
  };
  count(0, 5);
  count(15, 8);
  EXPECT_EQ(instants({60}), (Values{3}));
  end(30);
  EXPECT_EQ(instants({25, 60}), (Values{3, -1}));
  count(100, 9);
  EXPECT_EQ(instants({110}), (Values{4}));
}

TEST_F(SeriesEndTest, ASeriesThatIsNotKnownHasNoEnd) {
  end(10);
  EXPECT_EQ(server_.table().ends().size(), 0U);
}

TEST_F(SeriesEndTest, WhoeverWritesASeriesMayEndIt) {
  send(0, 7);
  server_.table().ends().end(SeriesEnds::key("m"), ms(10));
  EXPECT_EQ(instants({9, 60}), (Values{7, -1}));
  send(70, 8);
  EXPECT_EQ(instants({80}), (Values{8})) << "a newer slot suffices";
}

TEST_F(SeriesEndTest, ManySeriesEndAtOnce) {
  std::vector<SentSeries> all;
  std::vector<Hash128> names;
  for (int i = 0; i < 5000; ++i) {
    all.push_back(series("m" + std::to_string(i), {{1, ms(0), 0}}));
    names.push_back(SeriesEnds::key("m" + std::to_string(i)));
  }
  server_.send(all);
  server_.values().end_series(names, ms(0));
  EXPECT_EQ(server_.table().ends().size(), 0U) << "their samples are not older";
  server_.values().end_series(names, ms(1));
  EXPECT_EQ(server_.table().ends().size(), 5000U);
  EXPECT_EQ(server_.table().ends().of("m4999"), ms(1));
}

}  // namespace
}  // namespace statmill
