#include "base/out_of_memory.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <new>

#include "base/exit_code.h"

namespace statmill {
namespace {

// Written once by main before it starts other threads; read by the handler.
const char* program_name = "";
// Set by the first thread whose allocation fails: only that one writes the line. Relaxed: it orders nothing
// else.
std::atomic_flag is_ending = ATOMIC_FLAG_INIT;

void write_text(const char* text) {
  // If the line cannot be written, the exit status still shows the cause.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

// Allocates nothing and takes no lock: any code may be on the stack.
[[noreturn]] void end_process() {
  while (is_ending.test_and_set(std::memory_order_relaxed)) ::pause();
  write_text(program_name);
  write_text(": out of memory: an allocation failed, the process ends\n");
  ::_exit(static_cast<int>(ExitCode::kOutOfMemory));
}

}  // namespace

void end_when_out_of_memory(const char* program) noexcept {
  program_name = program;
  std::set_new_handler(end_process);
}

}  // namespace statmill
