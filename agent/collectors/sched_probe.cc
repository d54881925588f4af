// See sched_probe.h.
#include "agent/collectors/sched_probe.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "sched.skel.h"

namespace statmill {
namespace {

struct DestroySkeleton {
  void operator()(sched_bpf* skeleton) const { sched_bpf::destroy(skeleton); }
};
using Skeleton = std::unique_ptr<sched_bpf, DestroySkeleton>;

// libbpf takes one function for all its messages and hands it nothing of ours: the log it means for this
// thread's load has to wait in a variable. Set by LibbpfLog alone.
thread_local Log* libbpf_log = nullptr;

int print_to_log(libbpf_print_level, const char* format, va_list arguments) {
  if (libbpf_log == nullptr) return 0;
  std::array<char, 1024> text{};
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  if (length > 0) {
    std::string_view message(text.data());
    if (message.ends_with('\n')) message.remove_suffix(1);
    libbpf_log->debug(message);
  }
  return length;
}

// While it lives, libbpf's messages of this thread go to the log at debug.
class LibbpfLog {
 public:
  explicit LibbpfLog(Log& log) {
    libbpf_log = &log;
    libbpf_set_print(print_to_log);
  }
  ~LibbpfLog() { libbpf_log = nullptr; }
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;
};

Error unavailable(std::string reason) { return {ErrorCode::kUnavailable, std::move(reason)}; }

// What a failed load or attach means. libbpf returns the negative errno.
Error refused(const char* step, int error) {
  if (error == -EPERM || error == -EACCES) return unavailable("permission (needs CAP_BPF and CAP_PERFMON)");
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) return unavailable("no BTF");
  return unavailable(std::string(step) + " refused by this kernel: " + std::strerror(-error));
}

// The kernel writes the cell at the same time: a plain aligned load, once, by the compiler's word.
uint64_t load(const __u64& cell) { return __atomic_load_n(&cell, __ATOMIC_RELAXED); }

void add(const __u64 (&cells)[H2_BUCKETS], H2Histogram& histogram) {
  for (size_t i = 0; i < H2_BUCKETS; ++i) histogram[i] += load(cells[i]);
}

class BpfSchedProbe final : public SchedProbe {
 public:
  BpfSchedProbe(Skeleton skeleton, const sched_bank* banks, size_t cpus, size_t mapped_bytes)
      : skeleton_(std::move(skeleton)), banks_(banks), cpus_(cpus), mapped_bytes_(mapped_bytes) {}
  ~BpfSchedProbe() override { ::munmap(const_cast<sched_bank*>(banks_), mapped_bytes_); }

  // 0 or the negative errno.
  int attach() { return sched_bpf::attach(skeleton_.get()); }

  SchedTotals read() const override {
    SchedTotals totals;
    for (size_t cpu = 0; cpu < cpus_; ++cpu) {
      const sched_bank& bank = banks_[cpu];
      add(bank.runqueue_wait, totals.runqueue_wait);
      add(bank.off_cpu, totals.off_cpu);
      add(bank.on_cpu, totals.on_cpu);
      totals.switches_voluntary += load(bank.switches_voluntary);
      totals.switches_involuntary += load(bank.switches_involuntary);
      totals.discarded += load(bank.discarded);
    }
    return totals;
  }

 private:
  const Skeleton skeleton_;
  const sched_bank* const banks_;  // one per possible CPU, mapped from the kernel
  const size_t cpus_;
  const size_t mapped_bytes_;
};

}  // namespace

Result<std::unique_ptr<SchedProbe>> load_sched_probe(Log& log) {
  const LibbpfLog messages(log);
  const int cpus = libbpf_num_possible_cpus();
  if (cpus <= 0) return unavailable("number of CPUs unknown");
  Skeleton skeleton(sched_bpf::open());
  if (!skeleton) return refused("eBPF object", -errno);
  if (const int error = bpf_map__set_max_entries(skeleton->maps.sched_banks, static_cast<__u32>(cpus));
      error != 0) {
    return refused("map size", error);
  }
  const int loaded = sched_bpf::load(skeleton.get());
  ::malloc_trim(0);  // libbpf parsed the whole kernel's BTF: give those megabytes back
  if (loaded != 0) return refused("eBPF program", loaded);
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t bytes = (sizeof(sched_bank) * static_cast<size_t>(cpus) + page - 1) / page * page;
  void* const banks =
      ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(skeleton->maps.sched_banks), 0);
  if (banks == MAP_FAILED) return refused("mapping", -errno);
  auto probe = std::make_unique<BpfSchedProbe>(std::move(skeleton), static_cast<const sched_bank*>(banks),
                                               static_cast<size_t>(cpus), bytes);
  if (const int error = probe->attach(); error != 0) return refused("eBPF attachment", error);
  return Result<std::unique_ptr<SchedProbe>>(std::move(probe));
}

}  // namespace statmill
