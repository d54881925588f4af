#include "base/out_of_memory.h"

#include <gtest/gtest.h>

#include <new>
#include <thread>
#include <vector>

#include "base/exit_code.h"

namespace statmill {
namespace {

TEST(OutOfMemoryDeathTest, FailedAllocationEndsTheProcessWithOneLine) {
  EXPECT_EXIT(
      {
        end_when_out_of_memory("statmilld");
        std::get_new_handler()();  // called by operator new when malloc returns null
      },
      testing::ExitedWithCode(static_cast<int>(ExitCode::kOutOfMemory)),
      "^statmilld: out of memory: an allocation failed, the process ends\n$");
}

TEST(OutOfMemoryDeathTest, ThreadsThatFailSimultaneouslyWriteOneLine) {
  EXPECT_EXIT(
      {
        end_when_out_of_memory("x");
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back(std::get_new_handler());
        for (std::thread& thread : threads) thread.join();
      },
      testing::ExitedWithCode(static_cast<int>(ExitCode::kOutOfMemory)),
      "^x: out of memory: an allocation failed, the process ends\n$");
}

}  // namespace
}  // namespace statmill
