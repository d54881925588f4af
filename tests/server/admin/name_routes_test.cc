// The requests and answers of the admin socket for deleting and renaming series.
#include "server/admin/name_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/istatd/parser.h"
#include "tests/support/manual_clock.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

using testing::HasSubstr;

// Makes the changes in a table without a store.
class NameRoutes : public testing::Test {
 protected:
  NameRoutes() {
    Batch batch;
    parse_istatd_lines("web.1 1\nweb.2 1\n*db 1\n", batch);
    table_.apply(batch, clock_.wall());
  }
  HttpResponse post(std::string_view target, std::string_view body = {}) {
    return Router(name_routes(changes_, clock_,
                              [this](const ChangeNote& note) {
                                notes_.push_back(note.title + ": " + note.text + ", by " + note.by);
                              }))
        .answer({.method = "POST",
                 .target = target,
                 .body = body,
                 .host = "localhost",
                 .origin = origin_,
                 .content_encoding = {},
                 .peer = peer_,
                 .user = user_});
  }
  std::string ok(std::string_view target, std::string_view body = {}) {
    const HttpResponse got = post(target, body);
    EXPECT_EQ(got.status, 200U) << got.body;
    return got.body;
  }

  // Does what a tick does, without a store.
  Result<ChangedSeries> change(const SeriesChanges& changes) {
    if (changes.slots) slots_ = *changes.slots;
    Table::EpochEnd end = table_.end_epoch(changes);
    for (int shard = 0; shard < kShardCount; ++shard)
      static_cast<void>(table_.collect(static_cast<ShardNo>(shard), end.parity, nullptr));
    return std::move(end.changed);
  }

  ManualClock clock_{kNow};
  Table table_{*Tiers::parse("10s:1d,5m:10d"), {}};
  NameChanges changes_{table_, [this](const SeriesChanges& changes) { return change(changes); }};
  SlotRange slots_;
  std::vector<std::string> notes_;  // of the changes
  // Of the requests.
  std::string_view origin_;
  std::string_view peer_;
  std::string_view user_;
};

TEST_F(NameRoutes, ADryRunListsTheChangesAndMakesNone) {
  EXPECT_EQ(ok("/admin/v1/delete?match=web.*&dry_run=true", "db\r\n"),
            "{\"count\":3,\"truncated\":false,\"series\":[\"db\",\"web.1\",\"web.2\"]}\n");
  EXPECT_EQ(ok("/admin/v1/rename?from=web.*&to=host.*&dry_run=true"),
            "{\"count\":2,\"truncated\":false,\"series\":[{\"from\":\"web.1\",\"to\":\"host.1\"},"
            "{\"from\":\"web.2\",\"to\":\"host.2\"}]}\n");
  EXPECT_EQ(table_.series_count(), 3U);
}

TEST_F(NameRoutes, ReturnsTheNumberOfChangedSeries) {
  EXPECT_EQ(ok("/admin/v1/rename?from=db&to=database"), "{\"renamed\":1}\n");
  EXPECT_EQ(ok("/admin/v1/delete", "web.1\ndatabase"), "{\"deleted\":2,\"erased\":0}\n");
  EXPECT_EQ(ok("/admin/v1/delete?match=*&all=true&from=1699999800&until=1700000100"),
            "{\"deleted\":1,\"erased\":0}\n");
  EXPECT_THAT(notes_, testing::ElementsAre("1 series renamed: db to database, by the admin socket",
                                           "2 series deleted: web.1, database, by the admin socket",
                                           "1 series deleted: *, by the admin socket"));
  EXPECT_EQ(slots_.begin, 169'999'980);
  EXPECT_EQ(slots_.end, 170'000'010);
  EXPECT_EQ(table_.series_count(), 0U);
}

TEST_F(NameRoutes, SaysWhoseRequestItWas) {
  peer_ = "10.0.0.7";
  ok("/admin/v1/delete", "db");
  user_ = "the operator";
  ok("/admin/v1/rename?from=web.1&to=web.3");
  EXPECT_THAT(notes_, testing::ElementsAre("1 series deleted: db, by 10.0.0.7",
                                           "1 series renamed: web.1 to web.3, by the operator at 10.0.0.7"));
}

TEST_F(NameRoutes, RefusesThePagesOfOthers) {
  origin_ = "https://elsewhere.example";
  for (const char* target : {"/admin/v1/delete?match=web.*", "/admin/v1/rename?from=db&to=x"})
    EXPECT_EQ(post(target).status, 403) << target;
  EXPECT_EQ(table_.series_count(), 3U);
  origin_ = "http://localhost";
  EXPECT_EQ(post("/admin/v1/delete?match=web.*").status, 200);
}

TEST_F(NameRoutes, ReportsWhatIsWrongWithARequest) {
  struct Case {
    std::string target;
    std::string body;
    unsigned status;
    std::string want;
  };
  const std::vector<Case> cases = {
      {"/admin/v1/delete", "", 400, "neither a name nor a pattern"},
      {"/admin/v1/delete?match=*", "", 400, "set all=true"},
      {"/admin/v1/delete?match=*&all=yes", "", 400, "all must be true or false"},
      {"/admin/v1/delete?dry_run=1", "db", 400, "dry_run must be true or false"},
      {"/admin/v1/delete?from=soon", "db", 400, "parameter from"},
      {"/admin/v1/delete?until=-1h", "db", 400, "must be a multiple of 5m"},
      {"/admin/v1/delete?name=db", "", 400, "unknown parameter"},
      {"/admin/v1/delete", "no.such", 404, "no.such"},
      {"/admin/v1/rename?from=db", "", 400, "from or to is missing"},
      {"/admin/v1/rename?from=db&to=web.1", "", 400, "already"},
      {"/admin/v1/rename?from=no.such&to=x", "", 404, "no.such"},
      {"/admin/v1/rename?from=db&to=x", "body", 400, "does not allow a body"},
  };
  for (const Case& c : cases) {
    const HttpResponse got = post(c.target, c.body);
    EXPECT_EQ(got.status, c.status) << c.target;
    EXPECT_THAT(got.body, HasSubstr(c.want)) << c.target;
  }
  EXPECT_EQ(table_.series_count(), 3U);
}

}  // namespace
}  // namespace statmill
