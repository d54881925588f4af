// Runs tests of queries with a planted bug. Succeeds if one of them fails, or if one of our assertions does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace {

extern "C" void found_by_assertion(int) { _exit(0); }

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGABRT, found_by_assertion);
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(fail_fast, true);
  return RUN_ALL_TESTS() == 0 ? 1 : 0;
}
