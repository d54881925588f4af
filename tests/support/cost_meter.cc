#include "tests/support/cost_meter.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local uint64_t allocated = 0;

void* allocate(std::size_t size, std::size_t alignment) {
  allocated += size;
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace statmill {

uint64_t allocated_bytes() { return allocated; }

}  // namespace statmill

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
