#include "agent/capabilities.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace statmill {
namespace {

constexpr unsigned long kCapabilitiesMax = 64;  // the kernel's sets have 64 bits

void drop_bounding_set() {
  // EINVAL: no more capabilities. EPERM: without CAP_SETPCAP the set stays, which has no
  // effect under no_new_privs.
  for (unsigned long i = 0; i < kCapabilitiesMax; ++i) {
    if (::prctl(PR_CAPBSET_DROP, i, 0, 0, 0) != 0) return;
  }
}

bool drop_own_sets() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

}  // namespace

void give_up_capabilities(Log& log) {
  const auto complain = [&](const char* what) {
    log.warn("cannot drop privileges", {{"what", what}, {"reason", std::strerror(errno)}});
  };
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) complain("no_new_privs");
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) complain("ambient");
  drop_bounding_set();
  if (!drop_own_sets()) complain("capabilities");
}

}  // namespace statmill
