#include "base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <stdexcept>

namespace statmill {
namespace {

std::string name_of_this_thread() {
  std::array<char, 16> name{};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  return name.data();
}

TEST(Thread, HasItsNameCutTo15Bytes) {
  Log log(LogLevel::kError);
  std::string short_name;
  std::string long_name;
  {
    const Thread one(log, "tick", [&] { short_name = name_of_this_thread(); });
    const Thread other(log, "a.name.of.20.bytes..", [&] { long_name = name_of_this_thread(); });
  }  // joined here
  EXPECT_EQ(short_name, "tick");
  EXPECT_EQ(long_name, "a.name.of.20.by");
}

TEST(Thread, IsStartedUntilItIsJoined) {
  Log log(LogLevel::kError);
  Thread thread;
  EXPECT_FALSE(thread.is_started());
  thread = Thread(log, "x", [] {});
  EXPECT_TRUE(thread.is_started());
  thread.join();
  EXPECT_FALSE(thread.is_started());
  thread.join();
}

TEST(ThreadDeathTest, AnExceptionAbortsWithTheNameOfTheThread) {
  EXPECT_DEATH(
      {
        Log log(LogLevel::kError);
        Thread(log, "x", [] { throw std::runtime_error("some fault"); }).join();
      },
      "thread failed thread=x reason=\"some fault\"");
}

}  // namespace
}  // namespace statmill
