// Memory reclaim: how long tasks are delayed to free memory or to make room for large pages. This is rare.
// Tasks sleep and migrate meanwhile, so a map has the start times.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/reclaim.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(reclaim_banks, struct reclaim_bank);

// Start times by thread and activity. When the map is full, the oldest entry is evicted.
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 1024);
  __type(key, __u64);
  __type(value, __u64);
} began SEC(".maps");

enum { DIRECT = 1, COMPACT = 2 };

static __always_inline __u64 key_of(__u64 what) { return what << 32 | (__u32)bpf_get_current_pid_tgid(); }

static __always_inline int begin(__u64 what) {
  const __u64 key = key_of(what);
  const __u64 now = bpf_ktime_get_ns();
  bpf_map_update_elem(&began, &key, &now, BPF_ANY);
  return 0;
}

// Returns the nanoseconds since the start of the activity; 0 if its start is unknown.
static __always_inline __u64 end(__u64 what) {
  const __u64 key = key_of(what);
  const __u64* start = bpf_map_lookup_elem(&began, &key);
  if (!start) return 0;
  const __u64 ns = bpf_ktime_get_ns() - *start;
  bpf_map_delete_elem(&began, &key);
  return ns ? ns : 1;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(reclaim_begin) { return begin(DIRECT); }

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int BPF_PROG(reclaim_end) {
  struct reclaim_bank* bank = OWN_BANK(reclaim_banks);
  if (!bank) return 0;
  const __u64 ns = end(DIRECT);
  if (ns) {
    h2_record(&bank->direct_ns, ns);
  } else {
    ++bank->direct_discarded;
  }
  return 0;
}

SEC("tp_btf/mm_compaction_begin")
int BPF_PROG(compact_begin) { return begin(COMPACT); }

SEC("tp_btf/mm_compaction_end")
int BPF_PROG(compact_end) {
  struct reclaim_bank* bank = OWN_BANK(reclaim_banks);
  if (!bank) return 0;
  const __u64 ns = end(COMPACT);
  if (ns) {
    h2_record(&bank->compact_ns, ns);
  } else {
    ++bank->compact_discarded;
  }
  return 0;
}
