// The end of a program whose allocation failed: one line, and the status that is documented.
#include "base/out_of_memory.h"

#include <gtest/gtest.h>

#include <new>
#include <thread>
#include <vector>

namespace statmill {
namespace {

TEST(OutOfMemoryDeathTest, AFailedAllocationEndsTheProcessWithOneLine) {
  EXPECT_EXIT(
      {
        end_when_out_of_memory("statmilld");
        std::get_new_handler()();  // as operator new does when malloc returns null
      },
      testing::ExitedWithCode(kExitOutOfMemory),
      "^statmilld: out of memory: an allocation failed, the process ends\n$");
}

TEST(OutOfMemoryDeathTest, ThreadsThatFailTogetherWriteOneLine) {
  EXPECT_EXIT(
      {
        end_when_out_of_memory("x");
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back(std::get_new_handler());
        for (std::thread& thread : threads) thread.join();
      },
      testing::ExitedWithCode(kExitOutOfMemory),
      "^x: out of memory: an allocation failed, the process ends\n$");
}

}  // namespace
}  // namespace statmill
