#include "base/verdict.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace statmill {
namespace {

enum class Fault { kTooLong, kEmpty };

static_assert(!std::is_convertible_v<Verdict<Fault>, bool> && !std::is_constructible_v<bool, Verdict<Fault>>);

TEST(Verdict, IsAcceptedOrHasAReason) {
  const Verdict<Fault> accepted = kAccepted;
  EXPECT_TRUE(accepted.is_accepted());
  EXPECT_FALSE(accepted.is_refused());
  const Verdict<Fault> refused = Fault::kEmpty;
  EXPECT_FALSE(refused.is_accepted());
  EXPECT_TRUE(refused.is_refused());
  EXPECT_EQ(refused.reason(), Fault::kEmpty);
}

TEST(Verdict, AcceptIfReturnsTheReasonOnlyIfTheConditionFails) {
  EXPECT_TRUE(accept_if(true, Fault::kTooLong).is_accepted());
  EXPECT_EQ(accept_if(false, Fault::kTooLong).reason(), Fault::kTooLong);
}

TEST(Verdict, EqualsVerdictsWithTheSameReason) {
  EXPECT_EQ(Verdict<Fault>(kAccepted), Verdict<Fault>(kAccepted));
  EXPECT_EQ(Verdict<Fault>(Fault::kEmpty), Verdict<Fault>(Fault::kEmpty));
  EXPECT_NE(Verdict<Fault>(Fault::kEmpty), Verdict<Fault>(Fault::kTooLong));
  EXPECT_NE(Verdict<Fault>(Fault::kEmpty), Verdict<Fault>(kAccepted));
}

TEST(Verdict, ReasonOfAnAcceptedInputFailsACheck) {
  const Verdict<Fault> accepted = kAccepted;
  EXPECT_DEATH(static_cast<void>(accepted.reason()), "check failed");
}

}  // namespace
}  // namespace statmill
