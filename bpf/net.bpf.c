// Network interfaces: packets and bytes in each direction, packets dropped by reason, and devices that hang.
//
// Interface numbers are unique only within a network namespace, and containers have their own. So only the
// interfaces of the agent's namespace are counted separately.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/net.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(net_banks, struct net_bank);

const volatile struct net_settings settings;

static __always_inline struct net_slot* slot_of(struct net_direction* direction, struct net_device* device) {
  if (device->nd_net.net->ns.inum != settings.namespace_inode) return &direction->elsewhere;
  const __u32 ifindex = device->ifindex;
  for (__u32 i = 0; i < NET_PROBES; ++i) {
    struct net_slot* slot = &direction->slots[(ifindex + i) & (NET_SLOTS - 1)];
    if (slot->ifindex == ifindex) return slot;
    if (slot->ifindex == 0) {
      slot->ifindex = ifindex;
      return slot;
    }
  }
  ++direction->slots_missed;
  return 0;
}

static __always_inline int count(struct net_direction* direction, struct net_device* device, __u32 bytes) {
  struct net_slot* slot = slot_of(direction, device);
  if (!slot) return 0;
  ++slot->packets;
  slot->bytes += bytes;
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
