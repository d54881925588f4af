// Uses only the object's bytes from the skeletons that bpftool generates.
#include "agent/collectors/bpf_images.h"

#include <cstddef>

#include "base/check.h"
#include "block.skel.h"
#include "bpf/net.h"
#include "bpf/sched.h"
#include "bpf/syscalls.h"
#include "bpf/tcp.h"
#include "faults.skel.h"
#include "interrupts.skel.h"
#include "net.skel.h"
#include "process.skel.h"
#include "reclaim.skel.h"
#include "sched.skel.h"
#include "syscalls.skel.h"
#include "tcp.skel.h"
#include "tlb.skel.h"

namespace statmill {
namespace {

struct Image {
  std::string_view subject;
  const void* (*bytes)(size_t*);
};

constexpr Image kImages[] = {
    {"block", block_bpf::elf_bytes},
    {"faults", faults_bpf::elf_bytes},
    {"interrupts", interrupts_bpf::elf_bytes},
    {"net", net_bpf::elf_bytes},
    {"process", process_bpf::elf_bytes},
    {"reclaim", reclaim_bpf::elf_bytes},
    {"sched", sched_bpf::elf_bytes},
    {"syscalls", syscalls_bpf::elf_bytes},
    {"tcp", tcp_bpf::elf_bytes},
    {"tlb", tlb_bpf::elf_bytes},
};

}  // namespace

std::string_view bpf_image(std::string_view subject) {
  for (const Image& image : kImages) {
    if (image.subject != subject) continue;
    size_t size = 0;
    const void* const bytes = image.bytes(&size);
    return {static_cast<const char*>(bytes), size};
  }
  SM_CHECK(false);
  return {};
}

}  // namespace statmill
