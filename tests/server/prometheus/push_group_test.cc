#include "server/prometheus/push_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/prometheus/exposition_pieces.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

LabelPairs group(std::string_view path) {
  const auto out = push_group(path);
  EXPECT_TRUE(out) << (out ? "" : out.error().message);
  return out ? *out : LabelPairs();
}

std::string fault(std::string_view path) {
  const auto out = push_group(path);
  return out ? "" : out.error().message;
}

TEST(PushGroup, LabelsFollowTheJob) {
  EXPECT_THAT(group("/metrics/job/backup"), ElementsAre(Pair("job", "backup")));
  EXPECT_THAT(group("/metrics/job/backup/instance/db1/dc/eu"),
              ElementsAre(Pair("dc", "eu"), Pair("instance", "db1"), Pair("job", "backup")));
}

TEST(PushGroup, ValuesMayBeBase64) {
  EXPECT_THAT(group("/metrics/job@base64/L3Zhci90bXA/path@base64/Lw=="),
              ElementsAre(Pair("job", "/var/tmp"), Pair("path", "/")));
  EXPECT_THAT(group("/metrics/job/titan/name@base64/zqDPgc6_zrzOt864zrXPjc-C"),
              ElementsAre(Pair("job", "titan"), Pair("name", "Προμηθεύς")));
  EXPECT_THAT(group("/metrics/job/a/empty@base64/="), ElementsAre(Pair("job", "a")));
}

TEST(PushGroup, AWrongPathIsSaid) {
  EXPECT_THAT(fault("/metrics"), HasSubstr("does not begin"));
  EXPECT_THAT(fault("/metrics/job"), HasSubstr("a label without a value"));
  EXPECT_THAT(fault("/metrics/job/a/b"), HasSubstr("a label without a value"));
  EXPECT_THAT(fault("/metrics/job//b/c"), HasSubstr("names no job"));
  EXPECT_THAT(fault("/metrics/job@base64/="), HasSubstr("names no job"));
  EXPECT_THAT(fault("/metrics/instance/a"), HasSubstr("names no job"));
  EXPECT_THAT(fault("/metrics/job@base64/%"), HasSubstr("not base64"));
  EXPECT_THAT(fault("/metrics/job/a//b"), HasSubstr("a label without a name"));
  EXPECT_THAT(fault("/metrics/job/a/__name__/b"), HasSubstr("reserved"));
  EXPECT_THAT(fault("/metrics/job/a/b/c/b/d"), HasSubstr("a label twice"));
}

// A long text of refused values is no reason to keep their names.
TEST(ExpositionPieces, RefusedValuesFillAPiece) {
  constexpr Timestamp kNow = Timestamp(Duration(1'700'000'000'000));
  const Tiers tiers = *Tiers::parse("10s:10d");
  Registry registry;
  Table table(tiers, {});
  FamilyTypes types;
  RemoteTable values({}, table, types, registry);
  Intake intake(table, registry);
  const ListenerAccount account = intake.account("push");
  ExpositionPieces pieces(values, types, intake, account, kNow, LineSender::http());
  std::string text;
  for (size_t i = 0; i < 2 * RemotePieces::kPieceSamples; ++i) text += "a NaN\nb{\n";
  read_scraped({}, text, ExpositionFormat::kText, kNow, pieces);
  EXPECT_LE(pieces.batch().received, RemotePieces::kPieceSamples);
  EXPECT_EQ(pieces.finish().received, 4 * RemotePieces::kPieceSamples);
}

}  // namespace
}  // namespace statmill
