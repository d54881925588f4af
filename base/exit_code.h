// ExitCode: the exit statuses of all programs, one meaning each. docs/operations.md documents them; never
// renumber them.
#pragma once

#include "base/result.h"

namespace statmill {

enum class ExitCode : int {
  kOk = 0,            // done, or stopped by a signal with everything on disk
  kFailed = 1,        // any failure not listed below
  kUsage = 2,         // the command line or a setting is invalid, or does not match the data directory
  kDamaged = 3,       // the data directory is damaged
  kLocked = 4,        // another process uses the data directory or the spool
  kOtherFormat = 5,   // the data directory or the spool has another format version
  kCannotListen = 6,  // an address is in use or may not be used
  kOutOfMemory = 7,   // an allocation failed
  kRefused = 8,       // the server did not accept all samples
  kUnreachable = 9,   // the server cannot be reached or does not answer in time
};

// Why a program ends with a status other than 0.
struct Fault {
  ExitCode code = ExitCode::kFailed;
  Error error;
};

// Returns the fault for an error that opening a data directory or a spool returned.
Fault data_fault(Error error);

// Returns the fault for an error that opening a port or a socket returned: a wrong setting, or kCannotListen.
Fault listen_fault(Error error);

}  // namespace statmill
