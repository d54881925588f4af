// tools/kernel-test with a fake QEMU: what it says of the machines that it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/scripts.h"

namespace statmill {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class KernelTest : public Scripts {
 protected:
  KernelTest() {
    program("build/release/tests/agent_kernel_tests", "");
    for (const char* name : {"busybox", "cpio", "depmod", "mkfs.ext4", "modprobe", "ldd", "dpkg-deb"})
      program("bin/" + std::string(name), "");
    program("bin/apt-cache",
            "case $2 in none) exit 1;; esac; echo $2; echo \"  Depends: linux-image-6.9-$2\"");
    program("bin/apt-get", "for last; do :; done; touch $last.deb");
    machine_prints(
        "[       OK ] A.One (1 ms)\\r\\n[  SKIPPED ] A.Two (0 ms)\\r\\nkernel-test: status 0\\r\\n");
  }
  // What the serial port of the machine has.
  void machine_prints(const std::string& text) {
    program("bin/qemu-system-x86_64",
            "for option; do case $option in file:*) log=${option#file:};; esac; done\nprintf '" + text +
                "' >$log");
  }
  Ended run(std::vector<std::string> arguments = {"a"}) const {
    return run_program(command("kernel-test", std::move(arguments)));
  }
};

TEST_F(KernelTest, CountsTheTestsOnEachKernel) {
  const Ended one = run();
  EXPECT_EQ(one.status, 0) << one.said;
  EXPECT_EQ(one.out, "6.9-a: 1 passed, 0 failed, 1 skipped (tcg)\n");
  const Ended two = run({"a", "none", "b"});
  EXPECT_EQ(two.status, 0) << two.said;
  EXPECT_THAT(two.out,
              EndsWith("\n6.9-a: 1 passed, 0 failed, 1 skipped (tcg);none: skipped, apt does not have it;"
                       "6.9-b: 1 passed, 0 failed, 1 skipped (tcg)\n"));
}

TEST_F(KernelTest, FailsWithATestThatFails) {
  machine_prints(
      "[  FAILED  ] A/B.One/2, where GetParam() = 3 (1 ms)\\r\\n[  FAILED  ] A/B.One/2, where GetParam() = "
      "3\\r\\n"
      "kernel-test: status 1\\r\\n");
  const Ended ended = run();
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(
      ended.out,
      StartsWith("6.9-a: 0 passed, 1 failed, 0 skipped (tcg), failed: build/nightly/kernel-6.9-a.log"));
}

TEST_F(KernelTest, FailsWithAMachineThatEndsEarlyOrDoesNotBoot) {
  machine_prints("[       OK ] A.One (1 ms)\\r\\n");
  EXPECT_EQ(run().status, 1);
  program("bin/qemu-system-x86_64", "exit 1");
  const Ended ended = run();
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("0 passed, 0 failed")) << "the log of an earlier run does not count";
}

TEST_F(KernelTest, IsSkippedWithoutTheTests) {
  std::filesystem::remove(tree_.path() / "build/release/tests/agent_kernel_tests");
  const Ended ended = run();
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, StartsWith("skipped: no build/release/tests/agent_kernel_tests"));
}

}  // namespace
}  // namespace statmill
