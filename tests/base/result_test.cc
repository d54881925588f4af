#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace statmill {
namespace {

Result<std::unique_ptr<int>> half(int n) {
  if (n % 2 != 0) return Error{ErrorCode::kInvalid, "odd"};
  return std::make_unique<int>(n / 2);
}

Status check_even(int n) {
  if (auto halved = half(n); !halved) return std::move(halved).error().with("check " + std::to_string(n));
  return Status::ok();
}

TEST(Result, HasAValueOrAnError) {
  EXPECT_EQ(**half(4), 2);
  ASSERT_FALSE(half(3));
  EXPECT_EQ(half(3).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(half(3).error().message, "odd");
}

TEST(Result, AddsContextInFrontAndKeepsTheCode) {
  EXPECT_TRUE(check_even(2));
  const Status failed = check_even(3);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "check 3: odd");
  EXPECT_EQ(Error(failed.error()).with("start").message, "start: check 3: odd");
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalid);
}

TEST(Result, ValueOfAnErrorEndsTheProcess) { EXPECT_DEATH(static_cast<void>(half(3).value()), ""); }

}  // namespace
}  // namespace statmill
