// An agent that has sent all of a long frame leaves no memory in use.
#include "ingest/agents/unread_bytes.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(UnreadBytes, KeepsWhatIsNotDropped) {
  UnreadBytes unread;
  unread.assign("a frame and");
  unread.drop(8);
  EXPECT_EQ(unread.text(), "and");
  unread.assign("more");
  EXPECT_EQ(unread.text(), "more");
  unread.drop(4);
  EXPECT_EQ(unread.text(), "");
}

TEST(UnreadBytes, AnEmptyOneKeepsLittleMemory) {
  const std::string frame(200'000, 'x');
  UnreadBytes unread;
  unread.assign(frame);
  unread.assign("");
  EXPECT_LE(unread.capacity(), UnreadBytes::kEmptyCapacityMax);
  unread.assign(frame);
  unread.drop(frame.size());
  EXPECT_LE(unread.capacity(), UnreadBytes::kEmptyCapacityMax);
}

}  // namespace
}  // namespace statmill
