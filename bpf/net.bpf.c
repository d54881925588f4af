// The network: packets dropped by reason, devices that hang, and the traffic of the interfaces in other
// network namespaces than the agent's, which containers have. Their numbers are unique only within a
// namespace, so they are counted together.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
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

SEC("tp_btf/kfree_skb")
int BPF_PROG(net_drop, struct sk_buff* packet, void* place, unsigned int reason) {
  struct net_bank* bank = OWN_BANK(net_banks);
  if (bank) ++bank->drops[at_most(reason, NET_REASONS - 1)];
  return 0;
}

SEC("tp_btf/net_dev_xmit_timeout")
int BPF_PROG(net_sending_timeout) {
  struct net_bank* bank = OWN_BANK(net_banks);
  if (bank) ++bank->sending_timeouts;
  return 0;
}
