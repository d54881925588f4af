#include "server/documents/dashboard_set.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

#include "base/bytes.h"

namespace statmill {
namespace {

using Outcome = DashboardSet::Outcome;

std::string document_text(const std::string& title) {
  return R"({"format":1,"title":")" + title + R"(","panels":[]})";
}

DashboardVersion version_of(const std::string& title, int64_t s = 1) {
  const std::string text = document_text(title);
  return {.changed = Timestamp(std::chrono::seconds(s)),
          .by = "10.0.0.7",
          .note = "because",
          .text = std::make_shared<const std::string>(text),
          .summary = check_dashboard(text).summary};
}

class DashboardSetTest : public testing::Test {
 protected:
  DashboardSet::Changed create(const std::string& id, const std::string& title) {
    return set_->save(id, version_of(title), {.is_new = true});
  }
  DashboardSet::Changed replace(const std::string& id, const std::string& title) {
    const auto newest = set_->find(id);
    EXPECT_TRUE(newest);
    return set_->save(id, version_of(title), {.if_match = newest->etag()});
  }
  std::string titles() const {
    std::string out;
    for (const auto& one : set_->list())
      out += one.id + "=" + one.newest.summary.title + "@" + std::to_string(one.newest.version) + " ";
    return out;
  }
  void restart(const DashboardLimits& limits = {}) {
    StoreBatch batch;
    changes_.add_to(batch);
    for (const DocumentRow& row : batch.documents) rows_[row.key] = row;
    for (const DocumentKey& key : batch.removed_documents) rows_.erase(key);
    registry_ = std::make_unique<Registry>();
    set_ = std::make_unique<DashboardSet>(limits, changes_, *registry_);
    for (const auto& [key, row] : rows_) set_->restore(*dashboard_of(row));
  }

  DocumentChanges changes_;
  std::map<DocumentKey, DocumentRow> rows_;
  std::unique_ptr<Registry> registry_ = std::make_unique<Registry>();
  std::unique_ptr<DashboardSet> set_ =
      std::make_unique<DashboardSet>(DashboardLimits{}, changes_, *registry_);
};

TEST_F(DashboardSetTest, RowsHaveGoldenBytes) {
  DashboardVersion version = version_of("x");
  version.version = 258;
  const DocumentRow row = dashboard_row("disks", version);
  EXPECT_EQ(row.key.id, std::string("disks\0\0\0\1\2", 10));
  EXPECT_EQ(row.time, Timestamp(Duration(1000)));
  EXPECT_EQ(row.body, std::string("\0\x08"
                                  "10.0.0.7\x07"
                                  "because{\"format\":1,\"title\":\"x\",\"panels\":[]}",
                                  54));
  const auto again = dashboard_of(row);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, "disks");
  EXPECT_EQ(again->version.version, 258U);
  EXPECT_EQ(again->version.note, "because");
  EXPECT_EQ(again->version.summary.title, "x");
}

TEST_F(DashboardSetTest, ImpossibleRowsAreRefused) {
  const DocumentRow good = dashboard_row("disks", [] {
    DashboardVersion version = version_of("x");
    version.version = 1;
    return version;
  }());
  ASSERT_TRUE(dashboard_of(good));
  for (const std::string& id :
       {std::string("disks"), std::string("\0\0\0\0\1", 5), std::string("a b\0\0\0\0\1", 8),
        std::string("disks\0\0\0\0\0", 10), std::string("disks\1\0\0\0\1", 10)}) {
    DocumentRow row = good;
    row.key.id = id;
    EXPECT_FALSE(dashboard_of(row));
  }
  for (const std::string& body :
       {std::string(), std::string("\2\0\0", 3), std::string("\0\x09x", 3), std::string("\1\0\0x", 4)}) {
    DocumentRow row = good;
    row.body = body;
    EXPECT_FALSE(dashboard_of(row));
  }
}

TEST_F(DashboardSetTest, AChangeNeedsTheVersionThatItReplaces) {
  const auto first = create("disks", "one");
  EXPECT_EQ(first.outcome, Outcome::kDone);
  EXPECT_EQ(first.version, 1U);
  EXPECT_EQ(create("disks", "other").outcome, Outcome::kConflict);
  EXPECT_EQ(set_->save("disks", version_of("two"), {}).outcome, Outcome::kNoCondition);
  const auto second = set_->save("disks", version_of("two"), {.if_match = first.etag});
  EXPECT_EQ(second.outcome, Outcome::kDone);
  const auto late = set_->save("disks", version_of("three"), {.if_match = first.etag});
  EXPECT_EQ(late.outcome, Outcome::kConflict);
  EXPECT_EQ(late.version, 2U);
  EXPECT_EQ(set_->save("none", version_of("x"), {.if_match = "*"}).outcome, Outcome::kConflict);
  EXPECT_EQ(titles(), "disks=two@2 ");
}

TEST_F(DashboardSetTest, VersionsSurviveARestart) {
  create("disks", "one");
  replace("disks", "two");
  create("cpu", "c");
  restart();
  EXPECT_EQ(titles(), "cpu=c@1 disks=two@2 ");
  EXPECT_EQ(*set_->find("disks", 1)->text, document_text("one"));
  EXPECT_EQ(set_->versions("disks").size(), 2U);
  EXPECT_EQ(set_->versions("disks").front().version, 2U) << "the newest first";
  EXPECT_FALSE(set_->find("disks", 3));
}

TEST_F(DashboardSetTest, OnlyTheLastVersionsAreKept) {
  restart({.versions_max = 3});
  create("disks", "1");
  for (int i = 2; i <= 5; ++i) replace("disks", std::to_string(i));
  const size_t bytes = set_->bytes();
  restart({.versions_max = 3});
  EXPECT_EQ(set_->versions("disks").size(), 3U);
  EXPECT_FALSE(set_->find("disks", 2));
  EXPECT_TRUE(set_->find("disks", 3));
  EXPECT_EQ(set_->bytes(), bytes);
}

TEST_F(DashboardSetTest, ADeletedOneCanBeBroughtBackForAWhile) {
  create("disks", "one");
  EXPECT_EQ(set_->remove("disks", {.changed = Timestamp(std::chrono::hours(1))}, {}).outcome,
            Outcome::kNoCondition);
  const auto removed =
      set_->remove("disks", {.changed = Timestamp(std::chrono::hours(1))}, {.if_match = "*"});
  EXPECT_EQ(removed.outcome, Outcome::kDone);
  EXPECT_EQ(removed.version, 2U);
  restart();
  EXPECT_EQ(titles(), "");
  EXPECT_FALSE(set_->find("disks"));
  EXPECT_TRUE(set_->find("disks", 1));
  EXPECT_TRUE(set_->versions("disks").front().is_deleted);
  EXPECT_EQ(set_->remove("disks", {}, {.if_match = "*"}).outcome, Outcome::kNotFound);
  set_->expire(Timestamp(std::chrono::hours(24 * 30)));
  EXPECT_EQ(create("disks", "again").version, 3U);
  EXPECT_EQ(titles(), "disks=again@3 ");
}

TEST_F(DashboardSetTest, WhatWasDeletedLongAgoGoes) {
  create("disks", "one");
  create("cpu", "c");
  set_->remove("disks", {.changed = Timestamp(std::chrono::hours(1))}, {.if_match = "*"});
  set_->expire(Timestamp(std::chrono::hours(24 * 30 + 1)));
  restart();
  EXPECT_TRUE(set_->versions("disks").empty());
  EXPECT_EQ(titles(), "cpu=c@1 ");
  EXPECT_EQ(rows_.size(), 1U);
}

TEST_F(DashboardSetTest, HasLimits) {
  restart({.bytes_max = 1300, .dashboards_max = 2, .versions_max = 3});
  create("a", "1");
  EXPECT_EQ(create("b", std::string(700, 'x')).outcome, Outcome::kLimit) << "bytes";
  for (int i = 2; i <= 9; ++i) EXPECT_EQ(replace("a", std::to_string(i)).outcome, Outcome::kDone) << i;
  restart({.dashboards_max = 2});
  EXPECT_EQ(create("b", "1").outcome, Outcome::kDone);
  EXPECT_EQ(create("c", "1").outcome, Outcome::kLimit) << "number";
}

}  // namespace
}  // namespace statmill
