// See sched_probe.h: the agent built without eBPF.
#include "agent/collectors/sched_probe.h"

namespace statmill {

Result<std::unique_ptr<SchedProbe>> load_sched_probe(Log&) {
  return Error{ErrorCode::kUnavailable, "built without eBPF"};
}

}  // namespace statmill
