// Built without eBPF.
#include "tools/statmill-bench/bpf_programs.h"

namespace statmill {
namespace {

Error none() { return {ErrorCode::kUnavailable, "built without eBPF"}; }

}  // namespace

Result<BpfRunsByName> bpf_runs_of(pid_t) { return none(); }
Result<uint64_t> bpf_map_bytes_of(pid_t) { return none(); }
Result<std::unique_ptr<BpfMeasuring>> begin_bpf_measuring() { return none(); }

}  // namespace statmill
