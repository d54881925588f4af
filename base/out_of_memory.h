// Ends the program when an allocation fails: with one line on standard error and ExitCode::kOutOfMemory.
// Nothing catches std::bad_alloc and continues, so no change is ever half done in memory. Durable data is
// whole, because each change of a store or a spool is a single write; the next start is like one after a
// crash.
#pragma once

namespace statmill {

// From now on, the process ends if operator new fails on any thread and in any C++ library. Allocations by C
// libraries (OpenSSL, zstd, libbpf, libc) are not covered: there the call returns an error. Call this first
// in main. `program` must be a string literal.
void end_when_out_of_memory(const char* program) noexcept;

}  // namespace statmill
