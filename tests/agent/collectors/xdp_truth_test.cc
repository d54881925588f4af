// Compares the counts of XDP with XDP programs of the test on the loopback of a new network namespace. Needs
// root and BTF.
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tests/agent/collectors/kernel_test.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

constexpr uint64_t kDatagrams = 100;
constexpr int kLoopback = 1;  // the number of the loopback in a new namespace
constexpr int kNowhere = 9999;

bpf_insn instruction(int code, unsigned to, unsigned from, __s16 offset, __s32 value) {
  bpf_insn made{};
  made.code = static_cast<__u8>(code);
  made.dst_reg = to & 0xf;
  made.src_reg = from & 0xf;
  made.off = offset;
  made.imm = value;
  return made;
}
bpf_insn set(unsigned to, __s32 value) { return instruction(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value); }
bpf_insn load(int size, unsigned to, unsigned from, size_t offset) {
  return instruction(BPF_LDX | BPF_MEM | size, to, from, static_cast<__s16>(offset), 0);
}
bpf_insn call(__s32 helper) { return instruction(BPF_JMP | BPF_CALL, 0, 0, 0, helper); }
bpf_insn end() { return instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0); }

std::vector<bpf_insn> returns(__s32 action) { return {set(BPF_REG_0, action), end()}; }

std::vector<bpf_insn> redirects_to(__s32 interface) {
  return {set(BPF_REG_1, interface), set(BPF_REG_2, 0), call(BPF_FUNC_redirect), end()};
}

// Redirects each packet to the loopback once, and drops it when it comes again: it marks the first byte.
std::vector<bpf_insn> redirects_once() {
  constexpr __s32 kMark = 0x66;
  constexpr __s16 kToEnd = 6;     // from the first jump
  constexpr __s16 kToEndToo = 4;  // from the second
  return {load(BPF_W, BPF_REG_2, BPF_REG_1, offsetof(xdp_md, data)),
          load(BPF_W, BPF_REG_3, BPF_REG_1, offsetof(xdp_md, data_end)),
          instruction(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_4, BPF_REG_2, 0, 0),
          instruction(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_4, 0, 0, 1),
          set(BPF_REG_0, XDP_DROP),
          instruction(BPF_JMP | BPF_JGT | BPF_X, BPF_REG_4, BPF_REG_3, kToEnd, 0),
          load(BPF_B, BPF_REG_5, BPF_REG_2, 0),
          instruction(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_5, 0, kToEndToo, kMark),
          instruction(BPF_ST | BPF_MEM | BPF_B, BPF_REG_2, 0, 0, kMark),
          set(BPF_REG_1, kLoopback),
          set(BPF_REG_2, 0),
          call(BPF_FUNC_redirect),
          end()};
}

class XdpTruthTest : public KernelTest {
 protected:
  // Sends datagrams through the loopback of a new namespace, with `program` on it, and keeps what the
  // collector counts there. Returns why it cannot; empty if it has.
  std::string run(const std::vector<bpf_insn>& program) {
    std::string why_not;
    std::thread([&] { why_not = measure(program); }).join();
    return why_not;
  }
  uint64_t drops(const std::string& reason) {
    return grown_.totals["host.net.xdp_drops;device=lo;reason=" + reason];
  }

  RecordingSink grown_;

 private:
  std::string measure(const std::vector<bpf_insn>& program) {
    if (::unshare(CLONE_NEWNET) != 0) return "may not make a network namespace";
    const std::string why = KernelTest::load(load_net_probe(environment_), make_net_ebpf);
    if (!why.empty()) return why;
    const Descriptor loaded(
        ::bpf_prog_load(BPF_PROG_TYPE_XDP, "test", "GPL", program.data(), program.size(), nullptr));
    if (loaded.get() < 0) return "may not load XDP";
    const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq loopback{};
    std::snprintf(loopback.ifr_name, sizeof(loopback.ifr_name), "lo");
    loopback.ifr_flags = IFF_UP;
    if (::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) != 0) return "cannot use the loopback";
    if (::bpf_xdp_attach(kLoopback, loaded.get(), XDP_FLAGS_SKB_MODE, nullptr) != 0) return "no XDP here";
    grown_ = growth([&] { send(socket.get()); });
    // The kernel handles packets of the loopback in a soft interrupt, maybe later.
    for (int i = 0; i < 10'000 && seen() < kDatagrams; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      grown_ = read();
    }
    return {};
  }
  uint64_t seen() {
    return grown_.totals["host.net.xdp_redirects;device=lo"] + drops("redirect_failed") + drops("aborted") +
           missed(grown_);
  }
  static void send(int socket) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (uint64_t i = 0; i < kDatagrams; ++i)
      ASSERT_EQ(::sendto(socket, "x", 1, 0, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 1);
  }
};

TEST_F(XdpTruthTest, CountsProgramsThatAbort) {
  const std::string why_not = run(returns(XDP_ABORTED));
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  EXPECT_GE(drops("aborted") + missed(grown_), kDatagrams);
}

TEST_F(XdpTruthTest, CountsRedirectsThatFail) {
  const std::string why_not = run(redirects_to(kNowhere));
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  EXPECT_GE(drops("redirect_failed") + missed(grown_), kDatagrams);
}

TEST_F(XdpTruthTest, CountsRedirects) {
  const std::string why_not = run(redirects_once());
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  EXPECT_GE(grown_.totals["host.net.xdp_redirects;device=lo"] + missed(grown_), kDatagrams);
}

}  // namespace
}  // namespace statmill
