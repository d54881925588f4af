#include "tools/statmill/doctor/host_facts.h"

#include <sys/resource.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace statmill {
namespace {

constexpr uint64_t kDatagramBytes = uint64_t{32} << 20;  // --line.udp_buffer
constexpr uint64_t kOpenFiles = 65'536;                  // as in the server's unit
constexpr int kKernelMajor = 6;                          // the first with all that the agent's probes use
constexpr int kKernelMinor = 1;

Finding judge_kernel(const HostFacts& facts) {
  int major = 0;
  int minor = 0;
  const bool is_known = std::sscanf(facts.kernel.c_str(), "%d.%d", &major, &minor) == 2;
  const bool is_new = major > kKernelMajor || (major == kKernelMajor && minor >= kKernelMinor);
  if (is_known && is_new && facts.has_btf)
    return {Verdict::kOk, "kernel", "Linux " + facts.kernel + ", with the types that eBPF needs"};
  return {Verdict::kWarning, "kernel",
          "Linux " + facts.kernel + (facts.has_btf ? "" : ", without /sys/kernel/btf/vmlinux"),
          "what an agent collects through eBPF needs Linux 6.1 or later with BTF; the rest works"};
}

Finding judge_clock(const HostFacts& facts) {
  if (!facts.is_clock_synchronized) return {Verdict::kOk, "clock", "whether it is kept right is not known"};
  if (*facts.is_clock_synchronized) return {Verdict::kOk, "clock", "a program keeps it right"};
  return {
      Verdict::kWarning, "clock", "no program keeps it right",
      "run chrony or systemd-timesyncd: samples more than 10 min ahead are refused, and so are agents that "
      "are 25 h off"};
}

Finding judge_datagrams(const HostFacts& facts) {
  if (!facts.receive_buffer_max) return {Verdict::kOk, "datagrams", "how many the kernel keeps is not known"};
  const std::string text =
      "the kernel keeps up to " + std::to_string(*facts.receive_buffer_max >> 10) + " KiB of them for a port";
  if (*facts.receive_buffer_max >= kDatagramBytes) return {Verdict::kOk, "datagrams", text};
  return {Verdict::kWarning, "datagrams", text,
          "sysctl -w net.core.rmem_max=" + std::to_string(kDatagramBytes) +
              ", so that bursts are not dropped; lines over TCP need nothing"};
}

Finding judge_open_files(const HostFacts& facts) {
  const std::string text = "a process may open " + std::to_string(facts.open_files_max);
  if (facts.open_files_max >= kOpenFiles) return {Verdict::kOk, "open files", text};
  return {
      Verdict::kWarning, "open files", text,
      "the unit of the package allows 65536; with fewer, fewer connections fit (LimitNOFILE=, ulimit -n)"};
}

std::optional<uint64_t> read_number(const char* path) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

}  // namespace

HostFacts read_host_facts() {
  HostFacts facts;
  utsname name{};
  if (::uname(&name) == 0) facts.kernel = name.release;
  facts.has_btf = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
  timex clock{};  // without modes it only reads
  const int state = ::adjtimex(&clock);
  if (state >= 0) facts.is_clock_synchronized = state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0;
  facts.receive_buffer_max = read_number("/proc/sys/net/core/rmem_max");
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) facts.open_files_max = limit.rlim_max;
  return facts;
}

std::vector<Finding> judge_host(const HostFacts& facts) {
  return {judge_kernel(facts), judge_clock(facts), judge_datagrams(facts), judge_open_files(facts)};
}

}  // namespace statmill
