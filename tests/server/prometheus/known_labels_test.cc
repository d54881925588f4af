// Labels that came before are not read again. That changes nothing: messages of 1.0, whose labels are
// remembered, do what those of 2.0 do, whose labels are read each time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "base/process_hash.h"
#include "tests/server/prometheus/remote_server.h"
#include "tests/support/colliding_names.h"
#include "tests/support/native_histogram_message.h"

namespace statmill {
namespace {

using remote::ms;
using remote::series;

constexpr double kStale = std::bit_cast<double>(kStaleMarkerBits);

uint64_t count(RemoteServer& server, const char* counter) {
  return server.registry().counter(counter, "").value();
}

int any(int from, int to) { return *rc::gen::inRange(from, to); }

// Two servers that get the same, in messages of 1.0 and of 2.0.
class Pair {
 public:
  Pair() {
    const std::chrono::minutes out_of_order(any(0, 3));
    for (RemoteServer* const server : both()) {
      server->options.forget = std::chrono::hours(2);
      server->options.out_of_order = out_of_order;
      server->limits.series_max = 10;
      server->restart();
    }
  }
  std::vector<RemoteServer*> both() { return {&one_, &two_}; }

  void send(const std::vector<SentSeries>& sent) {
    const RemoteAccount one = one_.send(sent);
    const RemoteAccount two = two_.send2(sent);
    RC_ASSERT(one.received == two.received);
    RC_ASSERT(one.accepted == two.accepted);
    RC_ASSERT(one.refused == two.refused);
    RC_ASSERT(one.exemplars == two.exemplars);
  }
  void pass(int64_t seconds) {
    for (RemoteServer* const server : both()) {
      server->now_s += seconds;
      server->clock.advance(std::chrono::seconds(seconds));
      // So many that each last value is looked at.
      for (int i = 0; i < (seconds > 7200 ? 40 : 1); ++i) RC_ASSERT(server->tick().has_value());
    }
  }
  void restart() {
    const bool is_clean = any(0, 2) == 0;
    for (RemoteServer* const server : both()) {
      if (is_clean) RC_ASSERT(server->tick().has_value());
      server->restart();
    }
  }
  void compare() {
    const std::vector<SeriesInfo> ones = one_.known("*");
    const std::vector<SeriesInfo> twos = two_.known("*");
    RC_ASSERT(ones.size() == twos.size());
    for (size_t i = 0; i < ones.size(); ++i) {
      RC_ASSERT(ones[i].name == twos[i].name);
      RC_ASSERT(ones[i].kind == twos[i].kind);
      RC_ASSERT(one_.total(ones[i].name) == two_.total(ones[i].name));
      RC_ASSERT(one_.table().ends().of(ones[i].name) == two_.table().ends().of(ones[i].name));
    }
    RC_ASSERT(one_.values().series() == two_.values().series());
    RC_ASSERT(one_.table().idle_count() == two_.table().idle_count());
    for (const char* const counter :
         {"statmill.remote_samples_repeated", "statmill.remote_counters_older", "statmill.remote_resets",
          "statmill.remote_gauges_late", "statmill.remote_series_forgotten", "statmill.remote_stale_markers"})
      RC_ASSERT(count(one_, counter) == count(two_, counter));
  }

 private:
  RemoteServer one_;
  RemoteServer two_;
};

constexpr int kNames = 5;

std::string name_of(int i) { return (i % 2 == 0 ? "gauge" : "requests_total") + std::to_string(i); }

SentSeries any_series(int64_t now_s, const std::string& replica) {
  const int which = any(0, kNames);
  SentSeries out = series(name_of(which), {});
  out.labels.emplace_back("cluster", "c");
  out.labels.emplace_back("host", "web1");
  if (!replica.empty()) out.labels.emplace_back("__replica__", replica);
  if (any(0, 8) == 0) std::swap(out.labels[0], out.labels[2]);
  if (any(0, 30) == 0) out.labels.emplace_back("host", "twice");
  for (int i = any(1, 4); i > 0; --i) {
    const int64_t time_ms = (now_s - *rc::gen::element(0, 0, 0, 5, 15, 100, 40'000'000, -10'000)) * 1000 - i;
    const double value =
        *rc::gen::element(0.0, 1.0, 7.0, 7.5, 100.0, -1.0, kStale, 1e300,
                          std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
    out.samples.push_back({value, time_ms, 0});
  }
  const int64_t time_ms = (now_s - *rc::gen::element(0, 15)) * 1000;
  if (any(0, 5) == 0) out.exemplars.push_back({{{"trace_id", "1"}}, 1, time_ms});
  if (any(0, 5) == 0) {
    const auto count = static_cast<uint64_t>(any(0, 3));
    if (any(0, 2) == 0) out.samples.clear();
    out.native.push_back(NativeHistogramMessage{.count = count, .zeros = count, .time_ms = time_ms}.text());
  }
  return out;
}

// The name under which a series is stored.
std::string stored(int i) { return name_of(i) + ";cluster=c;host=web1"; }

RC_GTEST_PROP(KnownLabels, ChangeNothing, ()) {
  Pair pair;
  for (int steps = any(0, 60); steps > 0; --steps) {
    const int64_t now_s = pair.both()[0]->now_s;
    switch (any(0, 12)) {
      case 0:
        pair.pass(*rc::gen::element(1, 60, 700, 8000));
        break;
      case 1:
        for (RemoteServer* const server : pair.both()) RC_ASSERT(server->flush().has_value());
        break;
      case 2:
        pair.restart();
        break;
      case 3: {
        const std::string name = stored(any(0, kNames));
        const std::string_view view = name;
        for (RemoteServer* const server : pair.both())
          RC_ASSERT(server->change({.deletes = {&view, 1}, .slots = {}, .renames = {}}).has_value());
        break;
      }
      case 4: {
        const std::string from = stored(any(0, kNames));
        const std::string to = any(0, 2) == 0 ? "moved" : stored(any(0, kNames));
        const NewName names{from, to};
        for (RemoteServer* const server : pair.both())
          RC_ASSERT(server->change({.deletes = {}, .slots = {}, .renames = {&names, 1}}).has_value());
        break;
      }
      default: {
        pair.pass(10);
        std::vector<SentSeries> sent;
        const std::string replica = *rc::gen::element("", "", "", "a", "b");
        for (int i = any(1, 6); i > 0; --i) sent.push_back(any_series(now_s + 10, replica));
        pair.send(sent);
        if (any(0, 4) == 0) pair.send(sent);
      }
    }
    pair.compare();
  }
}

// The value of a series as its labels say it, of which nothing is read yet.
RemoteValue unread(const std::string& labels, double value, int64_t time_ms) {
  RemoteValue out{{}, {number_of(value), time_ms, 0}};
  out.labels = labels;
  out.labels_hash = process_hash().wide(labels);
  return out;
}

std::string labels_of(const std::string& name) {
  ProtobufWriter out;
  out.bytes(1, label_message("__name__", name));
  return out.text();
}

TEST(KnownLabels, AreFoundOnceASampleOfThemWasAccepted) {
  RemoteServer server;
  const std::string labels = labels_of("m");
  std::vector<RemoteValue> values = {unread(labels, 2, ms(10))};
  server.values().find_labels(values);
  EXPECT_TRUE(values[0].needs_name());
  server.send({series("m", {{1, ms(-40'000'000), 0}})});
  server.values().find_labels(values);
  EXPECT_TRUE(values[0].needs_name()) << "the sample is too old";
  server.send({series("m", {{1, ms(0), 0}})});
  server.values().find_labels(values);
  EXPECT_FALSE(values[0].needs_name());

  // The series is created without a handle, so the next sample needs its name; the one after it does not.
  int names = 0;
  const auto name_of = [&names](const RemoteValue&) -> std::string_view {
    ++names;
    return "m";
  };
  for (int i = 0; i < 3; ++i) {
    Batch batch;
    values[0].value.time_ms = ms(10 + i);
    server.values().find_labels(values);
    EXPECT_EQ(server.values().add(values, batch, server.now(), name_of).accepted, 1U);
  }
  EXPECT_EQ(names, 1);
  EXPECT_EQ(server.total("m"), 7);
}

TEST(KnownLabels, ThatAreForgottenBeforeTheyAreAddedNeedTheirName) {
  RemoteServer server;
  server.options.forget = std::chrono::hours(1);
  server.restart();
  const std::string labels = labels_of("m");
  std::vector<RemoteValue> values = {unread(labels, 2, ms(7200))};
  server.send({series("m", {{1, ms(0), 0}}), series("kept", {{1, ms(0), 0}})});
  server.values().find_labels(values);
  EXPECT_FALSE(values[0].needs_name());
  server.now_s += 7200;
  server.send({series("kept", {{1, ms(7200), 0}})});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(server.tick());
  EXPECT_EQ(server.values().series(), 1U);
  server.send({series("other", {{5, ms(100), 0}})});  // at the place of the one before
  Batch batch;
  const auto name_of = [](const RemoteValue&) -> std::string_view { return "m"; };
  EXPECT_EQ(server.values().add(values, batch, server.now(), name_of).accepted, 1U);
  EXPECT_EQ(server.total("m"), 3);
  EXPECT_EQ(server.total("other"), 5);
}

TEST(KnownLabels, NamesOfOneHashHaveTheirOwnSeries) {
  RemoteServer server;
  const std::vector<std::string> names = colliding_names(2);
  ASSERT_EQ(hash_name(names[0], 0), hash_name(names[1], 0));
  for (int i = 0; i < 8; ++i) {
    for (size_t n = 0; n < names.size(); ++n) {
      const std::vector<SentSeries> sent = {
          series(names[n], {{n == 0 ? 1.0 : 100.0, ms(2 * i) + 1000 * static_cast<int64_t>(n), 0}})};
      const RemoteAccount account = i % 4 == 3 && n == 1 ? server.send2(sent) : server.send(sent);
      EXPECT_EQ(account.accepted, 1U);
    }
  }
  EXPECT_EQ(server.total(names[0]), 8);
  EXPECT_EQ(server.total(names[1]), 800);
}

TEST(KnownLabels, DamagedOnesEndTheMessageWhereverTheyAre) {
  RemoteServer server;
  const std::string good = write_request1({series("good", {{1, ms(0), 0}})});
  ProtobufWriter bad;
  bad.bytes(1,
            "\x0a\x05"
            "abc");
  bad.bytes(2, sample_message({1, ms(0), 0}));
  ProtobufWriter message;
  message.bytes(1, bad.text());
  const auto account = server.intake().submit(
      RemoteWriteVersion::k1,
      snappy_block(good + message.text() + write_request1({series("later", {{1, ms(0), 0}})})), server.now());
  ASSERT_FALSE(account);
  EXPECT_EQ(account.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(server.total("good"), 1);
  EXPECT_EQ(server.total("later"), std::nullopt);
}

}  // namespace
}  // namespace statmill
