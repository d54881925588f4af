// Programs that do nothing, attached where the measured programs are: they show how much time the kernel's
// own statistics take there. For statmill-bench.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>

char program_license[] SEC("license") = "Dual MIT/GPL";

// The kernel limits names to 15 bytes.
#define EMPTY(place, name) \
  SEC("tp_btf/" #place)    \
  int name(__u64* arguments) { return 0; }

EMPTY(sched_switch, empty_switch)
EMPTY(block_rq_complete, empty_block)
EMPTY(netif_receive_skb, empty_receive)
EMPTY(net_dev_start_xmit, empty_send)
EMPTY(sock_send_length, empty_tcp_send)
EMPTY(sock_recv_length, empty_tcp_recv)
EMPTY(softirq_entry, empty_sirq_in)
EMPTY(softirq_exit, empty_sirq_out)
