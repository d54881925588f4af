#include "server/documents/view_set.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

namespace statmill {
namespace {

Timestamp at_second(int64_t s) { return Timestamp(std::chrono::seconds(s)); }
std::string content(int i) { return "{\"fragment\":\"" + std::to_string(i) + "\"}"; }

class ViewSetTest : public testing::Test {
 protected:
  std::string keep(int i, int64_t s) {
    const auto kept = views_->keep(content(i), at_second(s));
    EXPECT_TRUE(kept);
    return kept ? kept->name : "";
  }
  // Returns how many rows a tick would write.
  size_t save() {
    StoreBatch batch;
    changes_.add_to(batch);
    for (const DocumentRow& row : batch.documents) rows_[row.key] = row;
    for (const DocumentKey& key : batch.removed_documents) rows_.erase(key);
    return batch.documents.size();
  }
  void restart(const ViewLimits& limits = {}) {
    save();
    registry_ = std::make_unique<Registry>();
    views_ = std::make_unique<ViewSet>(limits, changes_, *registry_);
    for (const auto& [key, row] : rows_) views_->restore(row);
  }
  bool has(int i, int64_t s) { return views_->read(view_name(content(i)), at_second(s)) == content(i); }

  DocumentChanges changes_;
  std::map<DocumentKey, DocumentRow> rows_;
  std::unique_ptr<Registry> registry_ = std::make_unique<Registry>();
  std::unique_ptr<ViewSet> views_ = std::make_unique<ViewSet>(ViewLimits{}, changes_, *registry_);
};

TEST_F(ViewSetTest, NamesFollowFromTheContent) {
  EXPECT_EQ(view_name("{}"), "euqdwuhksgoxyie7");
  EXPECT_EQ(keep(1, 1), view_name(content(1)));
  EXPECT_EQ(keep(1, 2), view_name(content(1)));
  EXPECT_EQ(views_->size(), 1U);
  EXPECT_FALSE(views_->read("none", at_second(1)));
}

TEST_F(ViewSetTest, ViewsSurviveARestart) {
  keep(1, 1);
  restart();
  EXPECT_TRUE(has(1, 2));
}

TEST_F(ViewSetTest, OnlyShortObjectsAreViews) {
  for (const std::string& bad :
       {std::string(), std::string("[]"), std::string("{"), std::string("1"), std::string("{\"a\":\"\xff\"}"),
        "{\"a\":\"" + std::string(kViewBytesMax, 'x') + "\"}"}) {
    const auto kept = views_->keep(bad, at_second(1));
    ASSERT_FALSE(kept) << bad;
    EXPECT_EQ(kept.error().code, ErrorCode::kInvalid);
  }
}

TEST_F(ViewSetTest, TheOnesThatNobodyReadsGo) {
  restart({.views_max = 3});
  for (int i = 1; i <= 3; ++i) keep(i, i);
  EXPECT_TRUE(has(1, 10));
  keep(4, 11);
  EXPECT_FALSE(has(2, 12));
  EXPECT_TRUE(has(1, 12));
  restart({.views_max = 3});
  EXPECT_EQ(views_->size(), 3U);
  EXPECT_EQ(rows_.size(), 3U);
}

TEST_F(ViewSetTest, TheirBytesAreLimited) {
  restart({.views_max = 100, .bytes_max = 1000});
  for (int i = 1; i <= 9; ++i) keep(i, i);
  EXPECT_EQ(views_->size(), 2U);
  EXPECT_TRUE(has(9, 10));
}

TEST_F(ViewSetTest, ReadsAreStoredOnceADay) {
  keep(1, 1);
  EXPECT_EQ(save(), 1U);
  EXPECT_TRUE(has(1, 100));
  EXPECT_EQ(save(), 0U);
  EXPECT_TRUE(has(1, 100'000));
  EXPECT_EQ(save(), 1U);
  EXPECT_EQ(rows_.begin()->second.time, at_second(100'000));
  EXPECT_TRUE(has(1, 5)) << "a clock that went back";
  EXPECT_EQ(save(), 0U);
}

}  // namespace
}  // namespace statmill
