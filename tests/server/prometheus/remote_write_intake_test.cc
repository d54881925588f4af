#include "server/prometheus/remote_write_intake.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "tests/server/prometheus/remote_server.h"
#include "tests/support/native_histogram_message.h"

namespace statmill {
namespace {

using remote::ms;
using remote::series;

uint64_t refused(const RemoteAccount& account, Refusal reason) {
  return account.refused[static_cast<size_t>(reason)];
}

TEST(RemoteWriteIntake, NamesAreCanonical) {
  RemoteServer server;
  const std::vector<std::pair<std::string, std::string>> labels = {
      {"__name__", "m"}, {"a", "x y"}, {"b", ""}, {"instance", "web:9100"}};
  server.send({{labels, {{1, ms(0), 0}}}});
  server.send2({{{{"z", "1"}, {"__name__", "n"}, {"name", "eth0"}}, {{1, ms(0), 0}}}});
  EXPECT_EQ(server.total("m;a=x%20y;instance=web:9100"), 1);
  EXPECT_EQ(server.total("n;%6Eame=eth0;z=1"), 1);
}

TEST(RemoteWriteIntake, EachRefusalIsCountedWithItsReason) {
  RemoteServer server;
  std::vector<std::pair<std::string, std::string>> many = {{"__name__", "m"}};
  for (int i = 0; i < 65; ++i) many.emplace_back("l" + std::to_string(100 + i), "x");
  std::vector<std::pair<std::string, std::string>> more = many;
  for (int i = 0; i < 100; ++i) more.emplace_back("m" + std::to_string(100 + i), "x");
  const std::vector<RemoteSample> sample = {{1, ms(0), 0}};
  const RemoteAccount account = server.send({
      {{{"a", "b"}}, sample},
      {{{"__name__", "m"}, {"", "b"}}, sample},
      {{{"__name__", "m"}, {"a", "b"}, {"a", "c"}}, sample},
      {{{"__name__", "m"}, {"a", "\xe2\x80\x8b"}}, sample},
      {many, sample},
      {more, sample},
      {{{"__name__", std::string(3000, 'm')}}, sample},
      series("old", {{1, 1000, 0}}),
      series("new", {{1, ms(3600), 0}}),
      series("infinite", {{std::numeric_limits<double>::infinity(), ms(0), 0}}),
      series("good", sample),
  });
  EXPECT_EQ(account.received, 11U);
  EXPECT_EQ(account.accepted, 1U);
  EXPECT_EQ(account.refused_in_all(), 10U);
  EXPECT_EQ(
      account.reasons(),
      "2 bad_name, 2 tag_limit, 1 not_finite, 1 empty_name, 1 name_too_long, 1 duplicate_tag, 1 too_old, "
      "1 too_new");
  EXPECT_EQ(server.total("good"), 1);
}

TEST(RemoteWriteIntake, NeitherNanNorStaleMarkerIsASample) {
  RemoteServer server;
  const RemoteAccount account =
      server.send({series("m", {{std::bit_cast<double>(kStaleMarkerBits), ms(0), 0},
                                {std::numeric_limits<double>::quiet_NaN(), ms(15), 0}})});
  EXPECT_EQ(account.received, 2U);
  EXPECT_EQ(account.accepted, 1U) << "the end of a series is accepted";
  EXPECT_EQ(refused(account, Refusal::kNotFinite), 1U);
  EXPECT_EQ(account.reasons(), "") << "a sender cannot help it";
  EXPECT_EQ(server.total("m"), std::nullopt);
}

// Returns the exemplars of a series as "value trace" in the store.
std::string exemplars(RemoteServer& server, const std::string& name) {
  std::string out;
  const auto read = server.store.snapshot()->exemplars({server.id(name)}, [&](const ExemplarRow& row) {
    const auto labels = decode_exemplar_labels(row.labels);
    out += std::to_string(static_cast<int>(row.value)) + " " + std::string(labels->at(0).value) + ";";
    return true;
  });
  EXPECT_TRUE(read);
  return out;
}

TEST(RemoteWriteIntake, ExemplarsAreStoredWithTheSamplesOfTheirRequest) {
  for (const RemoteWriteVersion version : {RemoteWriteVersion::k1, RemoteWriteVersion::k2}) {
    RemoteServer server;
    SentSeries sent = series("m", {{1, ms(0), 0}});
    sent.exemplars = {{{{"trace", "a"}}, 3, ms(0)},
                      {{{"trace", "b"}}, 4, ms(1)},
                      {{{"trace", "c"}}, 2, ms(2)},
                      {{{"trace", "d"}}, 1, ms(-20)},
                      {{{"trace", std::string(200, 'x')}}, 9, ms(0)},
                      {{{"trace", "e"}}, std::numeric_limits<double>::infinity(), ms(0)},
                      {{{"trace", "f"}}, 9, ms(3600)},
                      {{{"trace", "g"}}, 9, ms(-11 * 86'400)}};
    SentSeries alone = series("none", {});
    alone.exemplars = {{{{"trace", "a"}}, 3, ms(0)}};
    const std::string message =
        version == RemoteWriteVersion::k1 ? write_request1({sent, alone}) : write_request2({sent, alone});
    const RemoteAccount account = server.send(version, message);
    EXPECT_EQ(account.exemplars, 4U);
    EXPECT_EQ(account.received, 1U);
    EXPECT_FALSE(server.is_durable(account.ticket));
    EXPECT_TRUE(server.tick());
    EXPECT_TRUE(server.is_durable(account.ticket));
    EXPECT_EQ(exemplars(server, "m"), "1 d;4 b;");
    // A sender that got no answer repeats the request after a crash; and one of exemplars alone is one, too.
    server.restart();
    sent.samples.clear();
    sent.exemplars.resize(1);
    const RemoteAccount again = server.send({sent});
    EXPECT_EQ(again.exemplars, 1U);
    EXPECT_FALSE(server.is_durable(again.ticket));
    EXPECT_TRUE(server.tick());
    EXPECT_EQ(exemplars(server, "m"), "1 d;4 b;");
  }
}

// A native histogram with so many numbers in (1, 2] and in (2, 4].
std::string native(uint64_t low, uint64_t high, int64_t time_ms, uint64_t hint = 0) {
  return NativeHistogramMessage{
      .count = low + high,
      .sum = 1.5 * static_cast<double>(low) + 3 * static_cast<double>(high),
      .positive_spans = {{1, 2}},
      .positive_deltas = {static_cast<int64_t>(low), static_cast<int64_t>(high) - static_cast<int64_t>(low)},
      .hint = hint,
      .time_ms = time_ms}
      .text();
}

RemoteAccount send_native(RemoteServer& server, const std::string& histogram, bool is_second) {
  SentSeries sent = series("d", {});
  sent.native = {histogram};
  return is_second ? server.send2({sent}) : server.send({sent});
}

TEST(RemoteWriteIntake, NativeHistogramsAddWhatTheyWentUpBy) {
  for (const bool is_second : {false, true}) {
    RemoteServer server;
    EXPECT_EQ(send_native(server, native(1, 2, ms(0)), is_second).accepted, 1U)
        << "what came before is not known";
    EXPECT_EQ(send_native(server, native(3, 6, ms(15)), is_second).accepted, 1U);
    EXPECT_EQ(server.kind("d"), Kind::kDistribution);
    EXPECT_EQ(server.total("d"), 2 * 1.5 + 4 * 3.0);
    EXPECT_EQ(send_native(server, native(3, 6, ms(15)), is_second).accepted, 1U) << "once";
    EXPECT_EQ(server.total("d"), 15);
    // It went down, so it began again.
    EXPECT_EQ(send_native(server, native(4, 1, ms(30)), is_second).accepted, 1U);
    EXPECT_EQ(server.total("d"), 15 + 4 * 1.5 + 3);
    // It went up, but the sender knows that it began again.
    EXPECT_EQ(send_native(server, native(5, 2, ms(45), 1), is_second).accepted, 1U);
    EXPECT_EQ(server.total("d"), 24 + 5 * 1.5 + 2 * 3);
    EXPECT_EQ(send_native(server, native(6, 2, ms(60), 2), is_second).accepted, 1U);
    EXPECT_EQ(server.total("d"), 37.5 + 1.5);
  }
}

TEST(RemoteWriteIntake, NativeHistogramsThatCannotBeStoredAreCounted) {
  RemoteServer server;
  EXPECT_EQ(send_native(server, native(1, 2, ms(0), 3), false).reasons(), "1 unsupported") << "a gauge";
  EXPECT_EQ(send_native(server, NativeHistogramMessage{.count = 1, .time_ms = ms(0)}.text(), true).reasons(),
            "1 bad_bucket");
  const RemoteAccount nan = send_native(
      server,
      NativeHistogramMessage{.sum = std::numeric_limits<double>::quiet_NaN(), .time_ms = ms(0)}.text(),
      false);
  EXPECT_EQ(refused(nan, Refusal::kNotFinite), 1U);
  EXPECT_EQ(nan.reasons(), "") << "a sender cannot help it";
  EXPECT_EQ(server.total("d"), std::nullopt);
}

TEST(RemoteWriteIntake, ManyNativeHistogramsAreAddedInPieces) {
  RemoteServer server;
  SentSeries sent = series("d", {});
  for (uint64_t i = 0; i < 5000; ++i)
    sent.native.push_back(native(i, 0, ms(-3000) + static_cast<int64_t>(i)));
  EXPECT_EQ(server.send({sent}).accepted, 5000U);
  EXPECT_EQ(server.total("d"), 4999 * 1.5);
}

TEST(RemoteWriteIntake, ALongBodyIsAddedInPieces) {
  RemoteServer server;
  std::vector<SentSeries> all;
  for (int i = 0; i < 10'000; ++i) all.push_back(series("m" + std::to_string(i), {{1, ms(0), 0}}));
  std::vector<RemoteSample> samples;
  for (int i = 0; i < 20'000; ++i) samples.push_back({1, ms(-3000) + i, 0});
  all.push_back(series("long", samples));
  EXPECT_EQ(server.send(all).accepted, 30'000U);
  EXPECT_EQ(server.total("m9999"), 1);
  EXPECT_EQ(server.total("long"), 20'000);
}

TEST(RemoteWriteIntake, ABodyThatIsNoMessageIsAnError) {
  RemoteServer server;
  const auto submit = [&](std::string_view body) {
    return server.intake().submit(RemoteWriteVersion::k1, body, server.now());
  };
  EXPECT_EQ(submit("rubbish").error().message, "snappy: corrupt input");
  EXPECT_EQ(submit(snappy_block("rubbish")).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(submit("\xff\xff\xff\xff\x0f").error().code, ErrorCode::kLimit);
  EXPECT_TRUE(submit(snappy_block("")));
}

}  // namespace
}  // namespace statmill
