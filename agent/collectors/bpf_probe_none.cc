// The agent built without eBPF.
#include "agent/collectors/bpf_probe.h"

namespace statmill {

LoadedProbe load_bpf_probe(const BpfPlan&, Log&) {
  return Error{ErrorCode::kUnavailable, "built without eBPF"};
}

std::map<uint64_t, std::string> kernel_enum(const char*) { return {}; }

}  // namespace statmill
