// SM_CHECK: an assertion about our own code that is active in every build.
//
// Use it for our bugs only. Functions report failures of the environment as a Result, and count invalid input
// by reason.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace statmill {

[[noreturn]] inline void check_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "<0>check failed: %s at %s:%d\n", what, file, line);
  std::abort();
}

}  // namespace statmill

#define SM_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::statmill::check_failed(#condition, __FILE__, __LINE__))
