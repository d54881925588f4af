// See bpf_images.h. Of the skeletons that bpftool makes, we take the bytes alone.
#include "agent/collectors/bpf_images.h"

#include <cstddef>

#include "base/check.h"
#include "bpf/sched.h"
#include "sched.skel.h"

namespace statmill {
namespace {

struct Image {
  std::string_view subject;
  const void* (*bytes)(size_t*);
};

constexpr Image kImages[] = {
    {"sched", sched_bpf::elf_bytes},
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
