// The lines that a relay hands over make the same buckets at the server as the original samples; each sample
// is handed over once; memory is bounded.
#include "agent/relay/relay_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/glob.h"
#include "proto/graphite/parser.h"
#include "proto/istatd/parser.h"
#include "proto/statsd/parser.h"
#include "server/table/table.h"
#include "tests/support/series_copy.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

// A table and all its contents.
class Taken {
 public:
  void apply(Batch& batch) { EXPECT_EQ(table_.apply(batch, from_unix_seconds(kNow)), batch.samples.size()); }
  void take_lines(std::string_view text) {
    Batch batch;
    parse_istatd_lines(text, batch);
    EXPECT_EQ(batch.received, batch.samples.size()) << text;
    apply(batch);
  }
  using Content = std::map<std::string, std::pair<std::map<int64_t, Bucket>, std::vector<SlotHistogram>>>;
  Content content() const {
    Content content;
    table_.search(*Glob::parse("*"), [&](std::string_view name) {
      const auto copy = copy_of(table_, name);
      auto& [buckets, histograms] = content[std::string(name)];
      for (const SlotBucket& slot : copy->unflushed) buckets[slot.slot] = slot.bucket;
      histograms = copy->histograms;
      return true;
    });
    return content;
  }

 private:
  Table table_{*Tiers::parse("10s:10d,5m:1y"), TableLimits{}};
};

bool same_content(const Taken::Content& a, const Taken::Content& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.first == y.second.first &&
           std::equal(x.second.second.begin(), x.second.second.end(), y.second.second.begin(),
                      y.second.second.end(), [](const SlotHistogram& p, const SlotHistogram& q) {
                        return p.slot == q.slot && p.histogram == q.histogram;
                      });
  });
}

class Relaying {
 public:
  explicit Relaying(RelaySinkOptions options = {})
      : sink_(std::move(options), registry_, [this] { ++wakes_; }) {}

  uint64_t apply(Batch& batch) {
    const uint64_t count = sink_.apply(batch, from_unix_seconds(kNow));
    accepted_ += count;
    return count;
  }
  uint64_t send(std::string_view lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    return apply(batch);
  }
  // Hands over the batches that are due, or all.
  std::string drained(RelaySink::Which which = RelaySink::Which::kAll, SteadyTime now = {}) {
    std::string text;
    sink_.drain(which, now, [&](const LineBatch& batch) {
      EXPECT_LE(batch.text.size(), LineChunks::kTextBytesMax);
      text += batch.text;
    });
    return text;
  }
  uint64_t accepted() const { return accepted_; }
  uint64_t handed_over() { return registry_.counter("statmill.relay_samples_handed_over", "").value(); }
  uint64_t exemplars_dropped() { return registry_.counter("statmill.relay_exemplars_dropped", "").value(); }
  int wakes() const { return wakes_; }
  RelaySink& sink() { return sink_; }

 private:
  Registry registry_;
  std::atomic<int> wakes_{0};
  uint64_t accepted_ = 0;
  RelaySink sink_;
};

TEST(RelaySink, AggregatesEachSecondOfEachSeries) {
  Relaying relay;
  relay.send(
      "g 1\ng 2.5\ng 7 4\n*e 1\n*e 2\n*e -0.5\n%d 1\n%d 1\n%d 2\nonly 3\n"
      "$c c 1700000000 4\n$c c 1700000000 0.5\n");
  EXPECT_EQ(relay.drained(),
            "g 1700000000 3.5 7.25 1 2.5 2\ng 7 4\n*e 1700000000 2.5\n"
            "$d d 1700000000 4 6 1 2 3 32737:2 32769:1\nonly 1700000000 3\n$c c 1700000000 4.5\n");
  EXPECT_EQ(relay.handed_over(), 12U);
  EXPECT_EQ(relay.drained(), "");
}

TEST(RelaySink, PassesOnSamplesThatALineCannotAggregate) {
  Relaying relay;
  relay.send("t 1700000000123\nt 1700000000124\nr 1e300\nr 2e300\nready 7 6 14 1 3 3\n");
  EXPECT_EQ(relay.drained(),
            "t 1700000000 1700000000123\nt 1700000000 1700000000124\nr 1700000000 1e+300\n"
            "r 1700000000 2e+300\nready 7 6 14 1 3 3\n");
}

TEST(RelaySink, AFullSumIsFollowedByAnother) {
  Relaying relay;
  relay.send("a 900000000\na 800000000\na 1\n");
  EXPECT_EQ(relay.drained(),
            "a 1700000000 900000000\na 1700000000 800000001 640000000000000001 1 800000000 2\n");
  EXPECT_EQ(relay.handed_over(), 3U);
}

TEST(RelaySink, ExemplarsComeAfterTheSamplesOfTheirSecond) {
  Relaying relay;
  relay.send("$x g 1700000000123 7.5 trace_id=a user=x%20y\ng 1\ng 2\n");
  EXPECT_EQ(relay.drained(), "g 1700000000 3 5 1 2 2\n$x g 1700000000123 7.5 trace_id=a user=x%20y\n");
  EXPECT_EQ(relay.drained(), "");
}

TEST(RelaySink, ExemplarsThatHaveNoRoomAreDropped) {
  Relaying relay({.bytes_max = 1});
  EXPECT_EQ(relay.send("$x g 1 7.5 trace_id=a\n"), 0U);
  EXPECT_EQ(relay.drained(), "");
  EXPECT_EQ(relay.exemplars_dropped(), 1U);
}

TEST(RelaySink, ExemplarsLeaveRoomForSamples) {
  Relaying relay({.bytes_max = 1 << 20});
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "$x g 1700000000123 7.5 trace_id=" + std::string(100, 'a') + "\n";
  relay.send(lines);
  EXPECT_GT(relay.exemplars_dropped(), 0U);
  EXPECT_LT(relay.exemplars_dropped(), 10'000U);
  EXPECT_EQ(relay.send("g 1\n*e 2\n"), 2U);
}

TEST(RelaySink, WithoutAggregationEachSampleIsALine) {
  Relaying relay({.aggregate = Duration(0)});
  relay.send("g 1\ng 1\n*e 7 0.001\n%d h5 41 20:1 21:1\n");
  EXPECT_EQ(relay.drained(RelaySink::Which::kDue),
            "g 1700000000 1\ng 1700000000 1\n*e 7 0.001\n$d d 1700000000 41 841 20 21 2 32873:1 32875:1\n");
  EXPECT_EQ(relay.handed_over(), 4U);
}

TEST(RelaySink, SumsWaitForTheirInterval) {
  Relaying relay({.aggregate = Duration(10'000)});
  const SteadyTime start(std::chrono::hours(1));
  relay.drained(RelaySink::Which::kDue, start);
  relay.send("g 1\nbig 1700000000123\n");
  EXPECT_EQ(relay.drained(RelaySink::Which::kDue, start + Duration(9'000)), "big 1700000000 1700000000123\n");
  relay.send("g 2\n");
  EXPECT_EQ(relay.drained(RelaySink::Which::kDue, start + Duration(9'999)), "g 1700000000 3 5 1 2 2\n")
      << "a slightly early timer is on time";
}

TEST(RelaySink, TagsAndPartsOfTheHostAreInEveryName) {
  Relaying relay({.names = *HostNames::parse("dc=eu", "web1^")});
  relay.send("a 1\na 2\na;x 1\n");
  EXPECT_EQ(relay.accepted(), 2U) << "an invalid tag is refused";
  EXPECT_EQ(relay.drained(), "a.web1;dc=eu 1700000000 3 5 1 2 2\na;dc=eu 1700000000 3 5 1 2 2\n");
  EXPECT_EQ(relay.handed_over(), 2U);
}

TEST(RelaySink, PassesOnUnitAndHelp) {
  Relaying relay;
  relay.send("$m g room.heat celsius Heat.\n$m e hits\n$m d size bytes\n");
  EXPECT_EQ(relay.drained(), "$m g room.heat celsius Heat.\n$m d size bytes\n");
  EXPECT_EQ(relay.handed_over(), 0U) << "they are not samples";
}

TEST(RelaySink, PartsOfTheHostAreInEveryPath) {
  Relaying relay({.names = *HostNames::parse("dc=eu", "web1^all^")});
  relay.send("$m g heat celsius Heat.\n");
  EXPECT_EQ(relay.drained(),
            "$m g heat.web1 celsius Heat.\n$m g heat.all celsius Heat.\n$m g heat celsius Heat.\n");
}

TEST(RelaySink, TellsOnceAnHourThatTimersAreInMilliseconds) {
  Relaying relay;
  const auto unit_lines = [&](std::chrono::minutes now) {
    StatsdBatch batch;
    parse_statsd_lines("t:5|ms\nt:7|ms|#a:b\nh:5|h\n", batch);
    relay.apply(batch.batch);
    const std::string text = relay.drained(RelaySink::Which::kAll, SteadyTime(now));
    return text.substr(0, text.find('%'));
  };
  EXPECT_EQ(unit_lines(std::chrono::minutes(1)), "$m d t ms\n");
  EXPECT_EQ(unit_lines(std::chrono::minutes(60)), "") << "the hour ends with this hand-over";
  EXPECT_EQ(unit_lines(std::chrono::minutes(61)), "$m d t ms\n");
  EXPECT_EQ(unit_lines(std::chrono::minutes(62)), "");
}

TEST(RelaySink, RefusesFamiliesForWhichThereIsNoRoom) {
  Relaying relay({.bytes_max = 100'000});
  Batch batch;
  parse_istatd_lines("$m g heat celsius Heat.\n", batch);
  EXPECT_EQ(relay.apply(batch), 0U);
  EXPECT_EQ(batch.received, 1U);
  EXPECT_EQ(batch.refused[static_cast<size_t>(Refusal::kMemoryLimit)], 1U);
  EXPECT_TRUE(batch.families.empty());
}

TEST(RelaySink, IsBoundedAndCountsRefusals) {
  for (const Duration aggregate : {Duration(0), Duration(1000)}) {
    Relaying relay({.aggregate = aggregate, .bytes_max = 1 << 20});
    uint64_t received = 0;
    uint64_t refused = 0;
    for (int i = 0; i < 40; ++i) {
      std::string lines;
      for (int j = 0; j < 1000; ++j) lines += "%some.name." + std::to_string(1000 * i + j) + " 1\n";
      Batch batch;
      parse_istatd_lines(lines, batch);
      received += batch.received;
      relay.apply(batch);
      refused += batch.refused[static_cast<size_t>(Refusal::kMemoryLimit)];
    }
    EXPECT_GT(refused, 0U);
    EXPECT_EQ(relay.accepted() + refused, received);
    EXPECT_EQ(relay.wakes(), 1) << "once before the next hand-over";
    const std::string text = relay.drained(RelaySink::Which::kDue);
    EXPECT_LE(text.size(), size_t{1} << 19);
    EXPECT_EQ(relay.handed_over(), relay.accepted());
    EXPECT_EQ(relay.send("again 1\n"), 1U) << "there is room again";
  }
}

TEST(RelaySink, ManySumsAreHandedOverEarly) {
  Relaying relay({.aggregate = Duration(60'000), .bytes_max = 1 << 20});
  const SteadyTime start(std::chrono::hours(1));
  relay.drained(RelaySink::Which::kDue, start);
  relay.send("few 1\n");
  EXPECT_EQ(relay.drained(RelaySink::Which::kDue, start), "");
  for (int i = 0; i < 4000; ++i) relay.send("name." + std::to_string(i) + " 1\n");
  EXPECT_EQ(relay.wakes(), 1);
  EXPECT_NE(relay.drained(RelaySink::Which::kDue, start), "");
  EXPECT_EQ(relay.handed_over(), relay.accepted());
}

TEST(RelaySink, CellsOfADistributionAreBoundedToo) {
  Relaying relay;
  std::string lines;
  uint64_t count = 0;
  for (double value = 1; value < 1e7; value *= 1.02, count += 2) {
    const std::string number = std::to_string(std::llround(value));
    lines += "%d 1700000000 " + number + "\n%d 1700000000 -" + number + "\n";
  }
  ASSERT_EQ(relay.send(lines), count);
  const std::string text = relay.drained();
  EXPECT_EQ(relay.handed_over(), count);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << "one for 1024 cells, one for the rest";
  Taken directly;
  Taken relayed;
  directly.take_lines(lines);
  relayed.take_lines(text);
  EXPECT_TRUE(same_content(directly.content(), relayed.content()));
}

// Lines of few series, so that many are aggregated, with decimals, for which buckets are exact in any order.
std::string any_decimal() {
  const int64_t mantissa =
      *rc::gen::oneOf(rc::gen::inRange<int64_t>(-20, 20), rc::gen::inRange<int64_t>(-100'000, 100'000),
                      rc::gen::inRange<int64_t>(-400'000'000, 400'000'000));
  return std::to_string(mantissa) + "e-" + std::to_string(*rc::gen::inRange(0, 9));
}

std::string any_line() {
  const std::string name = *rc::gen::element<std::string>("a", "b", "c.d;t=v", "E^f^");
  const std::string time = *rc::gen::element<std::string>("", "1699999991 ", "1700000003 ", "1700000004 ");
  const std::string kind = *rc::gen::element<std::string>("", "*", "%", "$c ");
  if (kind == "$c ") return kind + "c" + name + " 1700000003 " + any_decimal() + "\n";
  std::string mark = kind == "" ? "g" : kind == "*" ? "e" : "d";
  if (kind == "%" && *rc::gen::inRange(0, 8) == 0) return "%d" + name + " " + time + "h5 41 20:1 21:1\n";
  if (kind == "" && *rc::gen::inRange(0, 8) == 0) return "g" + name + " 1700000003 6 14 1 3 3\n";
  return kind + mark + name + " " + time + any_decimal() + "\n";
}

RC_GTEST_PROP(RelaySink, TheServerMakesTheSameBuckets, ()) {
  const int count = *rc::gen::inRange(1, 60);
  std::string lines;
  for (int i = 0; i < count; ++i) lines += any_line();
  const bool adds_up = *rc::gen::arbitrary<bool>();
  Relaying relay({.aggregate = Duration(adds_up ? 1000 : 0)});
  Taken directly;
  Taken relayed;
  directly.take_lines(lines);
  relay.send(lines);
  relayed.take_lines(relay.drained());
  RC_ASSERT(same_content(directly.content(), relayed.content()));
  RC_ASSERT(relay.handed_over() == relay.accepted());
}

TEST(RelaySink, OtherDialectsMakeTheSameBuckets) {
  const auto relays_alike = [](const auto& parse) {
    Relaying relay;
    Taken directly;
    Taken relayed;
    auto direct = parse();
    auto again = parse();
    directly.apply(direct->batch);
    relay.apply(again->batch);
    relayed.take_lines(relay.drained());
    return !direct->batch.samples.empty() && same_content(directly.content(), relayed.content());
  };
  EXPECT_TRUE(relays_alike([] {
    auto batch = std::make_unique<StatsdBatch>();
    parse_statsd_lines(
        "Lat:12.5:13|ms|@0.1\nLat:12.5|ms|@0.1\nc:3|c|@0.3\nc:4|c\ng:1.5|g|#Z:1,a:2\ng:2.5|g\n", *batch);
    return batch;
  }));
  struct Lines {
    Batch batch;
  };
  EXPECT_TRUE(relays_alike([] {
    auto lines = std::make_unique<Lines>();
    parse_graphite_lines("Disk/Used;host=Web1 12.5\nDisk/Used;host=Web1 13\n*a^b 1\n*a^b 2\n", lines->batch);
    return lines;
  }));
}

}  // namespace
}  // namespace statmill
