#include "storage/expiry.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

namespace statmill {
namespace {

class ExpiryTest : public testing::Test {
 protected:
  bool is_expired(TierNo tier, ChunkNo chunk, SeriesId id) const {
    return expiry_->is_expired({tier, chunk, id});
  }

  std::unique_ptr<Expiry> expiry_ = std::make_unique<Expiry>();
};

TEST_F(ExpiryTest, NothingIsExpiredBeforeACutoffIsSet) {
  expiry_->set_class(1, 3);
  EXPECT_FALSE(is_expired(0, 0, 0));
  EXPECT_FALSE(is_expired(0, 0, 1));
  EXPECT_EQ(expiry_->end(0), 0U);
  EXPECT_EQ(expiry_->version(), 0U);
}

TEST_F(ExpiryTest, EachClassOfEachTierHasItsCutoff) {
  expiry_->set_class(1, 3);
  expiry_->set_class(4'000'000'000, 2);
  expiry_->set_cutoff(0, kDefaultRetention, 10);
  expiry_->set_cutoff(0, 3, 20);
  expiry_->set_cutoff(1, 2, 5);
  EXPECT_TRUE(is_expired(0, 9, 0));
  EXPECT_FALSE(is_expired(0, 10, 0));
  EXPECT_TRUE(is_expired(0, 19, 1));
  EXPECT_FALSE(is_expired(0, 20, 1));
  EXPECT_FALSE(is_expired(1, 4, 1));
  EXPECT_TRUE(is_expired(1, 4, 4'000'000'000));
  EXPECT_EQ(expiry_->end(0), 20U);
  EXPECT_EQ(expiry_->end(1), 5U);
  EXPECT_EQ(expiry_->class_of(1), 3);
  EXPECT_EQ(expiry_->class_of(2), kDefaultRetention) << "on the same page";
  EXPECT_EQ(expiry_->class_of(3'000'000'000), kDefaultRetention);
}

TEST_F(ExpiryTest, ALoweredCutoffKeepsChunksAgain) {
  expiry_->set_class(7, 1);
  expiry_->set_cutoff(0, 1, 10);
  const uint64_t version = expiry_->version();
  expiry_->set_cutoff(0, 1, 9);
  EXPECT_EQ(expiry_->cutoff(0, 1), 9U);
  EXPECT_FALSE(is_expired(0, 9, 7));
  EXPECT_TRUE(is_expired(0, 8, 7));
  EXPECT_EQ(expiry_->version(), version) << "nothing more to reclaim";
  expiry_->set_cutoff(0, 1, 11);
  EXPECT_NE(expiry_->version(), version);
}

TEST_F(ExpiryTest, ChunksBelowTheHighestFloorEverAreNotWhole) {
  EXPECT_EQ(expiry_->whole_from(1), 0U);
  expiry_->set_whole_from(1, 5);
  EXPECT_EQ(expiry_->whole_from(1), 5U);
  EXPECT_EQ(expiry_->whole_from(2), 0U);
  expiry_->set_floor(0, 7);
  expiry_->set_floor(1, 9);
  expiry_->set_floor(0, 6);
  EXPECT_EQ(expiry_->whole_from(1), 7U);
  EXPECT_EQ(expiry_->whole_from(2), 7U);
}

TEST_F(ExpiryTest, EverythingBelowTheFloorIsExpired) {
  expiry_->set_class(4, 3);
  expiry_->set_cutoff(0, 3, 20);
  const uint64_t version = expiry_->version();
  expiry_->set_floor(0, 11);
  expiry_->set_floor(0, 10);
  EXPECT_EQ(expiry_->floor(0), 10U);
  EXPECT_TRUE(is_expired(0, 9, 1));
  EXPECT_FALSE(is_expired(0, 10, 1));
  EXPECT_TRUE(is_expired(0, 19, 4));
  EXPECT_FALSE(is_expired(1, 9, 1));
  EXPECT_NE(expiry_->version(), version);
}

TEST_F(ExpiryTest, EverythingOfADeletedSeriesIsExpired) {
  const uint64_t version = expiry_->version();
  expiry_->set_class(7, kGone);
  EXPECT_TRUE(is_expired(0, 0, 7));
  EXPECT_TRUE(is_expired(2, 4'000'000, 7));
  EXPECT_FALSE(is_expired(0, 0, 6));
  EXPECT_EQ(expiry_->end(1), std::numeric_limits<ChunkNo>::max());
  EXPECT_NE(expiry_->version(), version);
}

}  // namespace
}  // namespace statmill
