// The network: packets dropped by reason, devices that hang, and the traffic of the interfaces in other
// network namespaces than the agent's, which containers have. Their numbers are unique only within a
// namespace, so they are counted together. Also the drops of each cgroup, and what XDP programs do.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/kernel_quirks.h"
#include "bpf/net.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(net_banks, struct net_bank);

const volatile struct net_settings settings;

static __always_inline int count(struct net_traffic* traffic, struct net_device* device, __u32 bytes) {
  if (device->nd_net.net->ns.inum == settings.namespace_inode) return 0;
  ++traffic->packets;
  traffic->bytes += bytes;
  return 0;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(net_receive, struct sk_buff* packet) {
  struct net_bank* bank = OWN_BANK(net_banks);
  return bank ? count(&bank->received, packet->dev, packet->len) : 0;
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(net_send, struct sk_buff* packet, struct net_device* device) {
  struct net_bank* bank = OWN_BANK(net_banks);
  return bank ? count(&bank->sent, device, packet->len) : 0;
}

enum { STATE_TIME_WAIT = 6, STATE_NEW_SYN_RECEIVED = 12 };

// Returns the cgroup in which the socket was made, an accepted one that of its listener; 0 if there is none.
static __always_inline __u64 cgroup_of(struct sock* sk) {
  if (!sk) return 0;
  const unsigned char state = sk->__sk_common.skc_state;
  if (state == STATE_TIME_WAIT || state == STATE_NEW_SYN_RECEIVED) return 0;
  return sk->sk_cgrp_data.cgroup->kn->id;
}

SEC("tp_btf/kfree_skb")
int net_drop(__u64* arguments) {
  struct net_bank* bank = OWN_BANK(net_banks);
  if (!bank) return 0;
  struct sk_buff* packet = (struct sk_buff*)arguments[0];
  ++bank->drops[at_most((unsigned int)arguments[2], NET_REASONS - 1)];
  if (!HAS_RECEIVING_SOCKET || !settings.has_socket_cgroups) return 0;
  __u64 id = cgroup_of(packet->sk);
  if (!id) id = cgroup_of((struct sock*)arguments[3]);
  if (!id) return 0;
  struct net_cgroup* cgroup = find_slot(bank->cgroups, NET_CGROUP_SLOT_BITS, sizeof(struct net_cgroup), id);
  if (cgroup) {
    ++cgroup->drops;
  } else {
    ++bank->cgroups_missed;
  }
  return 0;
}

SEC("tp_btf/net_dev_xmit_timeout")
int BPF_PROG(net_sending_timeout) {
  struct net_bank* bank = OWN_BANK(net_banks);
  if (bank) ++bank->sending_timeouts;
  return 0;
}

// Returns the slot of an interface; null if it is in another network namespace or there is no free slot. All
// four programs run with soft interrupts disabled, so none of them interrupts another one's add.
static __always_inline struct net_xdp* xdp_slot(struct net_bank* bank, const struct net_device* device) {
  if (!bank || device->nd_net.net->ns.inum != settings.namespace_inode) return 0;
  struct net_xdp* slot = find_slot(bank->xdp, NET_XDP_SLOT_BITS, sizeof(struct net_xdp), device->ifindex);
  if (!slot) ++bank->interfaces_missed;
  return slot;
}

SEC("tp_btf/xdp_redirect")
int BPF_PROG(net_xdp_redirect, const struct net_device* device) {
  struct net_xdp* slot = xdp_slot(OWN_BANK(net_banks), device);
  if (slot) ++slot->redirected;
  return 0;
}

SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(net_xdp_redirect_failed, const struct net_device* device) {
  struct net_xdp* slot = xdp_slot(OWN_BANK(net_banks), device);
  if (slot) ++slot->redirects_failed;
  return 0;
}

SEC("tp_btf/xdp_exception")
int BPF_PROG(net_xdp_abort, const struct net_device* device) {
  struct net_xdp* slot = xdp_slot(OWN_BANK(net_banks), device);
  if (slot) ++slot->aborted;
  return 0;
}

SEC("tp_btf/xdp_devmap_xmit")
int BPF_PROG(net_xdp_send, const struct net_device* from, const struct net_device* to, int sent, int drops) {
  if (drops <= 0) return 0;
  struct net_xdp* slot = xdp_slot(OWN_BANK(net_banks), to);
  if (slot) slot->queue_full += drops;
  return 0;
}
