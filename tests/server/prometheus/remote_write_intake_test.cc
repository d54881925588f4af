#include "server/prometheus/remote_write_intake.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "tests/server/prometheus/remote_server.h"

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

TEST(RemoteWriteIntake, NativeHistogramsAreRefusedAndExemplarsDropped) {
  RemoteServer server;
  SentSeries sent = series("m", {{1, ms(0), 0}});
  sent.histograms = 2;
  sent.exemplars = 3;
  const RemoteAccount account = server.send({sent});
  EXPECT_EQ(account.received, 3U);
  EXPECT_EQ(account.reasons(), "2 unsupported");
  EXPECT_EQ(server.total("m"), 1);
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
