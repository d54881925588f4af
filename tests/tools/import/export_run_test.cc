// Which ranges `statmill export` asks for: each slot in one request, whole.
#include "tools/statmill/export/export_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <regex>

#include "server/query/bins.h"
#include "tests/tools/fake_server.h"

namespace statmill {
namespace {

constexpr int64_t kNow_s = 1'700'000'123;
constexpr int64_t kDay_s = 86'400;

struct Asked {
  int64_t from_s = 0;
  int64_t until_s = 0;
};

struct Exported {
  Status status = Status::ok();
  std::vector<Asked> asked;
};

// What an export of one series asks a server that has nothing.
Exported exported(const ExportedSeries& series, const ExportRange& range) {
  FakeServer server(200, "{\"series\":0,\"damaged\":0,\"joined\":0}\n");
  const auto client = Client::to(server.url(), std::chrono::seconds(30));
  EXPECT_TRUE(client);
  ExportAccount account;
  LongJob job;
  Exported out;
  out.status = export_series(
      *client, {&series, 1}, range, [](std::string_view) { return Status::ok(); }, account, job);
  const std::regex times("from=([0-9]+)&until=([0-9]+)&step=([0-9]+)");
  for (const std::string& request : server.requests()) {
    std::smatch found;
    EXPECT_TRUE(std::regex_search(request, found, times)) << request;
    EXPECT_EQ(std::stoll(found[3]), range.step_s);
    out.asked.push_back({std::stoll(found[1]), std::stoll(found[2])});
  }
  return out;
}

ExportedSeries series_of(const Tiers& tiers, int64_t first_s) {
  return {"a", false, first_s, kNow_s - 10, *Tiers::parse(tiers.text())};
}

// The server chooses the tier of each request, and rounds the step up to whole slots of it.
RC_GTEST_PROP(ExportSeries, EachSlotIsInOneRequest, ()) {
  const std::string retention = *rc::gen::element<std::string>("10s:10d,5m:1y,1h:6y", "10s:1d,1h:10d,1d:60d",
                                                               "1s:1d,1m:30d", "30s:2d,7m:40d", "10s:5d");
  Tiers tiers = *Tiers::parse(retention);
  if (tiers.has_detail() && *rc::gen::arbitrary<bool>()) tiers = *tiers.with_retention("1s:6h");
  const int64_t step_s = *rc::gen::oneOf(
      rc::gen::element<int64_t>(10, 15, 90, 300, 5400, 3600, 7200, kDay_s, 7 * kDay_s, 30 * kDay_s),
      rc::gen::inRange<int64_t>(1, 400),
      rc::gen::map(rc::gen::inRange<int64_t>(1, 2000), [](int64_t n) { return n * 60; }));
  const int64_t from_s = kNow_s - *rc::gen::inRange<int64_t>(100, 120 * kDay_s);
  const ExportedSeries series = series_of(tiers, from_s);
  const auto [status, asked] = exported(series, {from_s, kNow_s + 1, step_s, kNow_s});
  if (!status) {
    RC_ASSERT(status.error().code == ErrorCode::kInvalid);
    RC_ASSERT(step_s % tiers.coarsest().step_s != 0);
    RC_DISCARD("no such slots");
  }
  std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
  RC_ASSERT(!asked.empty());
  RC_ASSERT(asked.front().from_s == from_s && asked.back().until_s == kNow_s + 1);
  int64_t until_s = from_s;
  int64_t slots_until_s = 0;
  for (const Asked& one : asked) {
    RC_ASSERT(one.from_s == until_s && one.until_s > one.from_s);
    until_s = one.until_s;
    // A request may find that the seconds lack samples, and then reads the other tiers.
    const Tiers read = random() % 2 == 0 ? tiers : tiers.without_detail();
    QueryRequest request;
    request.from_s = one.from_s;
    request.until_s = one.until_s;
    request.step_s = step_s;
    const auto plan = plan_bins(request, read, int64_t{1} << 40, from_unix_seconds(kNow_s));
    RC_ASSERT(plan.has_value());
    RC_ASSERT(plan->bins.first_s >= slots_until_s);
    slots_until_s = plan->bins.end_s();
  }
}

TEST(ExportSeries, AStepWithoutCommonSlotsIsRefused) {
  const ExportedSeries series = series_of(*Tiers::parse("10s:10d,5m:1y,1h:6y"), kNow_s - kDay_s);
  const auto asked_at = [&](int64_t step_s) {
    return exported(series, {kNow_s - kDay_s, kNow_s, step_s, kNow_s});
  };
  EXPECT_TRUE(asked_at(5400).status) << "90 min; once in six hours";
  const Exported refused = asked_at(86'410);
  ASSERT_FALSE(refused.status);
  EXPECT_EQ(refused.status.error().message,
            "--step: slots of 86410 s do not fit the tiers of \"a\", 10s:10d,5m:1y,1h:6y: use a "
            "multiple of its longest step");
  EXPECT_TRUE(refused.asked.empty());
  EXPECT_FALSE(asked_at(INT64_MAX).status);
}

}  // namespace
}  // namespace statmill
