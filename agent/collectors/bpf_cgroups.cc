#include "agent/collectors/bpf_cgroups.h"

namespace statmill {

bool BpfCgroups::scan() {
  const SteadyTime now = clock_.steady();
  if (scanned_at_ && now - *scanned_at_ < kScanInterval) return false;
  scanned_at_ = now;
  return static_cast<bool>(tree_.scan());
}

}  // namespace statmill
