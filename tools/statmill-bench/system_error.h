// The error of a failed system call.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Returns "WHAT: " and the text of `error`, which is an errno value.
inline Error system_error(ErrorCode code, std::string_view what, int error = errno) {
  return {code, std::string(what) + ": " + std::strerror(error)};
}

}  // namespace statmill
