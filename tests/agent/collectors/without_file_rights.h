// WithoutFileRights: for its lifetime, the calling thread reads only files whose mode lets it, also as root.
#pragma once

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace statmill {

class WithoutFileRights {
 public:
  WithoutFileRights() {
    EXPECT_EQ(::syscall(SYS_capget, &header_, before_.data()), 0);
    std::array<__user_cap_data_struct, 2> without = before_;
    without[0].effective &= ~((1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH));
    EXPECT_EQ(::syscall(SYS_capset, &header_, without.data()), 0);
  }
  ~WithoutFileRights() { EXPECT_EQ(::syscall(SYS_capset, &header_, before_.data()), 0); }
  WithoutFileRights(const WithoutFileRights&) = delete;
  WithoutFileRights& operator=(const WithoutFileRights&) = delete;

 private:
  __user_cap_header_struct header_{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};  // this thread
  std::array<__user_cap_data_struct, 2> before_{};
};

}  // namespace statmill
