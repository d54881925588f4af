// ExitCode: the exit statuses of statmilld. They are documented in docs/operations.md; never renumber them.
#pragma once

#include "base/out_of_memory.h"
#include "base/result.h"

namespace statmill {

enum class ExitCode {
  kOk = 0,                          // stopped by a signal; everything is in the store
  kFailed = 1,                      // any failure not listed below
  kUsage = 2,                       // a setting is invalid, or does not match the data directory
  kDamaged = 3,                     // the data directory is damaged
  kLocked = 4,                      // another process uses the data directory
  kOtherFormat = 5,                 // the data have another format version
  kCannotListen = 6,                // an address is in use or may not be used
  kOutOfMemory = kExitOutOfMemory,  // an allocation failed
};

struct Fault {
  ExitCode code = ExitCode::kFailed;
  Error error;
};

}  // namespace statmill
