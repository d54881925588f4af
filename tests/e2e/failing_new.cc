// A library for LD_PRELOAD that makes the n-th allocation of C++ code fail. The environment has n in
// FAILING_NEW (0: none fails) and, in FAILING_NEW_COUNT, the path of a file that receives the number of
// allocations at an orderly exit. If FAILING_NEW_THROWS is set, a failure throws std::bad_alloc instead of
// calling the new handler.
//
// This replaces operator new of the program and of its libraries; allocations by C code do not fail.
// Allocations count from the moment the program installs its new handler, at the start of main.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

std::atomic<unsigned long> allocations{0};

unsigned long failing_allocation() {
  static const unsigned long nth = [] {
    const char* const text = std::getenv("FAILING_NEW");
    return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
  }();
  return nth;
}

bool fails() { return std::get_new_handler() != nullptr && ++allocations == failing_allocation(); }

void* allocate(std::size_t size, std::size_t alignment) {
  while (true) {
    void* memory = nullptr;
    if (!fails() && ::posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) == 0) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr || std::getenv("FAILING_NEW_THROWS") != nullptr) throw std::bad_alloc();
    handler();
  }
}

[[gnu::destructor]] void write_count() {
  const char* const path = std::getenv("FAILING_NEW_COUNT");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return;
  std::fprintf(file, "%lu\n", allocations.load());
  std::fclose(file);
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(std::max<std::size_t>(size, 1), alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(std::max<std::size_t>(size, 1), static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
