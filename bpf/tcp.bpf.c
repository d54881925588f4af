// TCP: sizes of calls, the times of connecting and of round trips, states, and resets from peers; and the
// bytes that each cgroup sends and receives.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/tcp.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(tcp_banks, struct tcp_bank);

const volatile struct tcp_settings settings;

// When a socket started to connect. The kernel deletes the entry with the socket.
struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, __u64);
} connecting SEC(".maps");

enum { PROTOCOL_TCP = 6 };
enum { FAMILY_IPV4 = 2, FAMILY_IPV6 = 10 };
enum { MESSAGE_PEEK = 2 };
enum { STATE_ESTABLISHED = 1, STATE_SYN_SENT = 2 };

// Returns the slot of the cgroup of a socket; null if there is none, which `missed` counts.
static __always_inline struct tcp_cgroup* cgroup_slot(struct tcp_bank* bank, struct sock* sk, __u64* missed) {
  if (!settings.has_socket_cgroups) return 0;
  const __u64 id = sk->sk_cgrp_data.cgroup->kn->id;
  if (!id) return 0;
  struct tcp_cgroup* slot = find_slot(bank->cgroups, TCP_CGROUP_SLOT_BITS, sizeof(struct tcp_cgroup), id);
  if (!slot) ++*missed;
  return slot;
}

static __always_inline bool is_ip(struct sock* sk) {
  const unsigned short family = sk->__sk_common.skc_family;
  return family == FAMILY_IPV4 || family == FAMILY_IPV6;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(tcp_send, struct sock* sk, int length, int flags) {
  if (length <= 0 || !is_ip(sk)) return 0;
  struct tcp_bank* bank = OWN_BANK(tcp_banks);
  if (!bank) return 0;
  if (sk->sk_protocol == PROTOCOL_TCP) h2_record(&bank->sent, length);
  struct tcp_cgroup* cgroup = cgroup_slot(bank, sk, &bank->cgroups_missed_sending);
  if (cgroup) cgroup->sent_bytes += length;
  return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(tcp_receive, struct sock* sk, int length, int flags) {
  if (length <= 0 || flags & MESSAGE_PEEK || !is_ip(sk)) return 0;
  struct tcp_bank* bank = OWN_BANK(tcp_banks);
  if (!bank) return 0;
  if (sk->sk_protocol == PROTOCOL_TCP) h2_record(&bank->received, length);
  struct tcp_cgroup* cgroup = cgroup_slot(bank, sk, &bank->cgroups_missed_receiving);
  if (cgroup) cgroup->received_bytes += length;
  return 0;
}

SEC("tp_btf/tcp_probe")
int BPF_PROG(tcp_acknowledged, struct sock* sk) {
  struct tcp_bank* bank = OWN_BANK(tcp_banks);
  if (!bank || ++bank->probes % TCP_PROBE_SAMPLING) return 0;
  struct tcp_sock* tcp = bpf_skc_to_tcp_sock(sk);
  if (!tcp || !tcp->srtt_us) return 0;
  h2_record(&bank->srtt_us, tcp->srtt_us >> 3);
  h2_record(&bank->rtt_deviation_us, tcp->mdev_us >> 2);
  return 0;
}

// Counts the result of a connection that this host has opened.
static __always_inline void connected(struct tcp_bank* bank, struct sock* sk, int state) {
  const __u64* began = bpf_sk_storage_get(&connecting, sk, 0, 0);
  if (state != STATE_ESTABLISHED) {
    ++bank->connects_failed;
  } else if (began) {
    h2_record(&bank->connect_ns, bpf_ktime_get_ns() - *began);
  } else {
    ++bank->discarded;
  }
  if (began) bpf_sk_storage_delete(&connecting, sk);
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(tcp_state, struct sock* sk, int before, int state) {
  struct tcp_bank* bank = OWN_BANK(tcp_banks);
  if (!bank || sk->sk_protocol != PROTOCOL_TCP) return 0;
  if ((__u32)state < TCP_STATES) ++bank->states[state];
  if (state == STATE_SYN_SENT) {
    const __u64 now = bpf_ktime_get_ns();
    __u64* began = bpf_sk_storage_get(&connecting, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
    if (began) *began = now;
  } else if (before == STATE_SYN_SENT) {
    connected(bank, sk, state);
  }
  return 0;
}

SEC("tp_btf/tcp_retransmit_synack")
int BPF_PROG(tcp_retransmit_synack) {
  struct tcp_bank* bank = OWN_BANK(tcp_banks);
  if (bank) ++bank->synack_retransmits;
  return 0;
}

SEC("tp_btf/tcp_receive_reset")
int BPF_PROG(tcp_receive_reset) {
  struct tcp_bank* bank = OWN_BANK(tcp_banks);
  if (bank) ++bank->resets_received;
  return 0;
}
