#include "agent/collectors/bpf_cgroups.h"

namespace statmill {

bool BpfCgroups::scan() {
  const SteadyTime now = services_.clock.steady();
  if (scanned_at_ && now - *scanned_at_ < kScanInterval) return false;
  scanned_at_ = now;
  const bool is_read = static_cast<bool>(tree_.scan());
  if (services_.containers != nullptr) services_.containers->look_up(tree_);
  return is_read;
}

const ContainerName* BpfCgroups::container_of(const Cgroup& cgroup) const {
  return services_.containers == nullptr ? &no_name_ : services_.containers->find_around(cgroup.path);
}

}  // namespace statmill
