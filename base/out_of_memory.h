// What a program does when an allocation fails: it says so in one line on standard error and ends at once,
// with a status of its own. Nothing catches std::bad_alloc and goes on, so nothing goes on with half a
// change: what is durable is whole, because each change of a store or a spool is one write, and a start after
// this end is a start after a crash.
#pragma once

namespace statmill {

// The exit status of each of our programs then. Documented in README.md; never renumber.
inline constexpr int kExitOutOfMemory = 7;

// From now on an operator new that fails, on any thread and in any C++ library, ends the process. Allocations
// that a C library makes by itself (OpenSSL, zstd, libbpf, libc) are not covered: there a failure is an error
// of the call. Call it first in main. `program` must be a literal.
void end_when_out_of_memory(const char* program) noexcept;

}  // namespace statmill
