// ExitCode: what statmilld's exit status means. Documented in docs/operations.md; never renumber.
#pragma once

#include "base/out_of_memory.h"
#include "base/result.h"

namespace statmill {

enum class ExitCode {
  kOk = 0,            // stopped by a signal, everything is in the store
  kFailed = 1,        // anything without a number of its own
  kUsage = 2,         // a setting: unreadable, out of bounds, or not what the data directory holds
  kDamaged = 3,       // the data directory is damaged
  kLocked = 4,        // another process uses the data directory
  kOtherFormat = 5,   // data of another format version
  kCannotListen = 6,  // an address is in use or not ours to take
  kOutOfMemory = kExitOutOfMemory,  // an allocation failed
};

struct Fault {
  ExitCode code = ExitCode::kFailed;
  Error error;
};

}  // namespace statmill
