// Block devices: errors and latency of each device and operation. All come from the
// completion, because the kernel stores in a request when it was created and when the driver accepted it.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/block.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(block_banks, struct block_bank);

// enum req_op of include/linux/blk_types.h.
static __always_inline __u32 op_of(__u32 flags) {
  switch (flags & 0xff) {
    case 0:
      return BLOCK_READ;
    case 1:
      return BLOCK_WRITE;
    case 2:
      return BLOCK_FLUSH;
    case 3:  // discard
    case 5:  // secure erase
    case 9:  // write zeroes
      return BLOCK_DISCARD;
    default:
      return BLOCK_OTHER;
  }
}

static __always_inline struct block_slot* slot_of(struct block_bank* bank, __u64 key) {
  struct block_slot* slot =
      find_slot_in(bank->slots, BLOCK_SLOT_BITS, BLOCK_PROBES, sizeof(struct block_slot), key);
  if (!slot) ++bank->slots_missed;
  return slot;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_complete, struct request* request, unsigned char error, unsigned int bytes) {
  struct block_bank* bank = OWN_BANK(block_banks);
  if (!bank) return 0;
  const __u32 op = op_of(request->cmd_flags);
  struct gendisk* disk = request->q->disk;
  struct block_slot* slot = slot_of(bank, block_key(disk->major, disk->first_minor, op));
  if (!slot) return 0;
  if (error) ++slot->errors;
  if (bytes < request->__data_len) return 0;  // a part of the request: the rest completes later
  const __u64 made = request->start_time_ns;
  if (!made) {
    ++bank->discarded;
    return 0;
  }
  const __u64 now = bpf_ktime_get_ns();
  h2_record(&slot->latency_ns, now > made ? now - made : 0);
  const __u64 taken = request->io_start_time_ns;
  if (taken >= made && op < BLOCK_OPS) h2_record(&bank->queue_ns[op], taken - made);
  return 0;
}

SEC("tp_btf/block_rq_requeue")
int BPF_PROG(block_requeue) {
  struct block_bank* bank = OWN_BANK(block_banks);
  if (bank) ++bank->requeues;
  return 0;
}
