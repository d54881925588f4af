// Deletes and erases series, through the store and back: at once, forever, and without touching others.
#include <gmock/gmock.h>

#include <atomic>

#include "tests/server/admin/names_fixture.h"
#include "tests/support/answers.h"
#include "tests/support/series_copy.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using NameChangesTest = NamesFixture;

TEST_F(NameChangesTest, ADeletedSeriesIsGoneAtOnceAndForever) {
  send("a 1\nb 2\nc 3");
  pass(7 * kHour);  // in all tiers
  send("a 10");
  tick();  // journaled
  send("a 100\nb 200");
  const SeriesId id = copy_of(*table_, "a")->id;
  remove("a");
  const auto check = [&] {
    EXPECT_THAT(names(), ElementsAre("b", "c"));
    EXPECT_EQ(ask("a").error().code, ErrorCode::kNotFound);
    EXPECT_EQ(ask("*")->series.size(), 2U);
    EXPECT_EQ(sum("b"), 202);
    EXPECT_EQ(table_->series_count(), 2U);
  };
  check();
  restart();
  check();
  std::atomic<bool> cancelled{false};
  ASSERT_TRUE(store_.reclaim(cancelled));
  for (TierNo t = 0; t < tiers_.count(); ++t)
    EXPECT_EQ(*store_.snapshot()->chunk({t, tiers_[t].chunk_of_time(kStart), id}), "");
}

TEST_F(NameChangesTest, ANewSampleOfADeletedNameCreatesANewSeries) {
  send("a 1");
  flush();
  remove("a");
  restart();  // the deleted one had the highest id
  send("*a 5");
  EXPECT_EQ(copy_of(*table_, "a")->kind, Kind::kEvent);
  EXPECT_EQ(copy_of(*table_, "a")->id, 1U);
  EXPECT_EQ(sum("a"), 5);
  tick();
  restart();
  EXPECT_EQ(sum("a"), 5);
}

TEST_F(NameChangesTest, ASeriesCanBeDeletedInTheTickThatCreatedIt) {
  send("a 1\nb 1");
  remove("a");
  send("b 1");
  restart();
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_EQ(sum("b"), 1);
}

TEST_F(NameChangesTest, ADeletionIsAtomicAcrossACrash) {
  for (const auto effect : {MemoryStore::Effect::kNone, MemoryStore::Effect::kWhole}) {
    send("a 1");
    tick();
    memory_.fail_next_write({ErrorCode::kIo, "planted"}, effect);
    EXPECT_THAT(refusal(DeleteRequest{{"a"}, {}, false, {}, {}}), HasSubstr("changed in memory"));
    EXPECT_THAT(names(), ElementsAre());
    send("a 7");
    EXPECT_EQ(sum("a"), 7);
    restart();
    if (effect == MemoryStore::Effect::kNone) {
      EXPECT_EQ(sum("a"), 1);
    } else {
      EXPECT_THAT(names(), ElementsAre());
    }
  }
}

TEST_F(NameChangesTest, ADeletionThatTheStoreRefusedIsRetried) {
  send("a 1\nb 1");
  flush();
  const SeriesId id = copy_of(*table_, "a")->id;
  memory_.fail_next_write({ErrorCode::kIo, "planted"});
  EXPECT_NE(refusal(DeleteRequest{{"a"}, {}, false, {}, {}}), "");
  EXPECT_EQ(store_.expiry().class_of(id), kDefaultRetention) << "the store still has it";
  memory_.fail_next_write({ErrorCode::kIo, "planted"});
  EXPECT_THAT(refusal(DeleteRequest{{"b"}, {}, false, {}, {}}), HasSubstr("refuses ticks"));
  EXPECT_EQ(sum("b"), 1) << "nothing was changed";
  tick();
  EXPECT_EQ(store_.expiry().class_of(id), kGone);
  restart();
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(NameChangesTest, TheRollupIgnoresADeletedSeries) {
  send("a 1\nb 1");
  flush();
  const SeriesId gone = copy_of(*table_, "a")->id;
  const SeriesId kept = copy_of(*table_, "b")->id;
  remove("a");
  pass(7 * kHour);
  EXPECT_EQ(*store_.snapshot()->chunk({1, tiers_[1].chunk_of_time(kStart), gone}), "");
  EXPECT_NE(*store_.snapshot()->chunk({1, tiers_[1].chunk_of_time(kStart), kept}), "");
}

TEST_F(NameChangesTest, ARangeIsErasedFromEveryTierAndFromMemory) {
  for (int64_t h = 0; h < 4; ++h) send_at("a", kStart + h * kHour - 3 * kHour, int64_t{1} << h);
  pass(13 * kHour);                           // the first chunk is rolled up
  send_at("a", kStart - 3 * kHour + 20, 16);  // late, in memory
  send_at("a", kStart - kHour + 20, 32);
  EXPECT_EQ(sum("a"), 63);
  const auto done = erase("a", kStart - 2 * kHour, kStart);  // without 2, 4 and 32
  EXPECT_EQ(done.erased, 1U);
  EXPECT_EQ(done.deleted, 0U);
  EXPECT_EQ(sum("a"), 25);
  restart();
  EXPECT_EQ(sum("a"), 25);
  send_at("a", kStart - kHour, 64);
  EXPECT_EQ(sum("a"), 89) << "later samples count";
  pass(kHour);
  EXPECT_EQ(sum("a"), 89);
  EXPECT_EQ(erase("a", kStart + 5 * kHour, {}).erased, 0U) << "nothing is there";
}

TEST_F(NameChangesTest, AnErasedRangeIsEmptyBeforeAndAfterTheFlush) {
  send_at("a", kStart - kHour, 1);
  send_at("a", kStart, 2);
  flush();
  send_at("a", kStart - kHour, 4);
  memory_.fail_next_write({ErrorCode::kIo, "planted"});
  EXPECT_NE(refusal(DeleteRequest{{"a"}, {}, false, {}, kStart}), "");
  EXPECT_EQ(sum("a"), 2);
  send_at("a", kStart - kHour, 8);
  EXPECT_EQ(sum("a"), 10);
  tick();
  EXPECT_EQ(sum("a"), 10);
  restart();
  EXPECT_EQ(sum("a"), 10);
}

TEST_F(NameChangesTest, ErasingAllSamplesDeletesTheSeries) {
  send_at("a", kStart - kHour, 1);
  send_at("b", kStart - kHour, 1);
  EXPECT_EQ(erase("a", kStart - kHour, {}).deleted, 1U);
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(NameChangesTest, TheLifeOfAnEventSeriesStartsAfterTheErasedRange) {
  send_at("*e", kStart - 2 * kHour, 6);
  send_at("*e", kStart, 6);
  erase("e", {}, kStart - kHour);
  for (int i = 0; i < 2; ++i) {
    const auto answer = ask("e", kHour);
    const auto slot_at = [&](int64_t time_s) {
      return bucket_of(answer->series[0], answer->bins.at(time_s));
    };
    EXPECT_TRUE(slot_at(kStart - 2 * kHour).is_empty());
    EXPECT_EQ(slot_at(kStart - kHour).count(), 360U) << "no events, but within its life";
    restart();
  }
}

TEST_F(NameChangesTest, ARangeMustBeAMultipleOfTheCoarsestStep) {
  send("a 1");
  const auto says = [&](std::optional<int64_t> from_s, std::optional<int64_t> until_s) {
    return refusal(DeleteRequest{{"a"}, {}, false, from_s, until_s});
  };
  EXPECT_EQ(says(kStart + 1, {}),
            "from 1700006401: must be a multiple of 1h, the step of the coarsest tier, "
            "such as 1700006400 or 1700010000");
  EXPECT_THAT(says({}, kStart + 300), HasSubstr("until 1700006700: must be a multiple of 1h"));
  EXPECT_THAT(says(kStart, kStart), HasSubstr("not after"));
  EXPECT_THAT(says({}, 0), HasSubstr("not after"));
  EXPECT_THAT(says(-kHour, {}), HasSubstr("1970"));
  EXPECT_EQ(sum("a"), 1);
}

TEST_F(NameChangesTest, DeletesByGlobAndRefusesAmbiguousRequests) {
  send("web.1 1\nweb.2 1\ndb.1 1");
  EXPECT_THAT(*changes_->select(DeleteRequest{{"db.1"}, {"web.*", "*.1"}, false, {}, {}}),
              ElementsAre("db.1", "web.1", "web.2"));
  EXPECT_THAT(names(), ElementsAre("db.1", "web.1", "web.2")) << "a selection changes nothing";
  EXPECT_THAT(refusal(DeleteRequest{{"web.1", "web.3"}, {}, false, {}, {}}), HasSubstr("\"web.3\""));
  EXPECT_THAT(refusal(DeleteRequest{{}, {"**"}, false, {}, {}}), HasSubstr("all series"));
  EXPECT_THAT(refusal(DeleteRequest{}), HasSubstr("neither"));
  EXPECT_THAT(refusal(DeleteRequest{{}, {"[a"}, false, {}, {}}), HasSubstr("["));
  EXPECT_EQ(names().size(), 3U);
  EXPECT_EQ(changes_->run(DeleteRequest{{}, {"web.*"}, false, {}, {}})->deleted, 2U);
  EXPECT_EQ(changes_->run(DeleteRequest{{}, {"web.*"}, false, {}, {}})->deleted, 0U);
  EXPECT_EQ(changes_->run(DeleteRequest{{}, {"*"}, true, {}, {}})->deleted, 1U);
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(NameChangesTest, ManySeriesAreDeletedInSlicesAndAFailureReportsHowMany) {
  constexpr size_t kSeries = 2 * NameChanges::kDeletesPerTick + 10;
  std::string lines;
  for (size_t i = 0; i < kSeries; ++i) lines += "s." + std::to_string(i) + " 1\n";
  send(lines);
  failing_tick_ = 2;
  const auto failed = changes_->run(DeleteRequest{{}, {"s.*"}, false, {}, {}});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("500 of 1010 series were deleted before this failed: 500"));
  EXPECT_EQ(ticks_, 2);
  EXPECT_EQ(changes_->run(DeleteRequest{{}, {"s.*"}, false, {}, {}})->deleted, 10U);
  EXPECT_EQ(table_->series_count(), 0U);
  restart();
  EXPECT_EQ(table_->series_count(), 0U);
}

// A query copies the buckets in memory and makes a snapshot; the change falls before or after the snapshot.
TEST_F(NameChangesTest, AQueryDuringADeletionAnswersAsBeforeOrAsAfter) {
  for (const bool before_snapshot : {true, false}) {
    send("a 1\nb 2");
    flush();
    send("a 4\nb 8");
    const auto meanwhile = [&](std::function<void()> what) {
      (before_snapshot ? store_.before_snapshot : store_.after_snapshot) = std::move(what);
    };
    meanwhile([&] { rename("b", "c"); });
    EXPECT_EQ(ask("b").has_value(), !before_snapshot);
    meanwhile([&] { rename("c", "b"); });
    const auto both = ask("{b,c}");
    ASSERT_EQ(both->series.size(), 1U);
    meanwhile([&] { remove("a"); });
    const auto gone = ask("a");
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
    remove("b");
  }
}

}  // namespace
}  // namespace statmill
