#include "base/exit_code.h"

#include <utility>

namespace statmill {
namespace {

ExitCode data_exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBusy:
      return ExitCode::kLocked;
    case ErrorCode::kCorrupt:
      return ExitCode::kDamaged;
    case ErrorCode::kVersion:
      return ExitCode::kOtherFormat;
    case ErrorCode::kInvalid:
      return ExitCode::kUsage;
    default:
      return ExitCode::kFailed;
  }
}

}  // namespace

Fault data_fault(Error error) {
  const ExitCode code = data_exit_code(error.code);
  return {code, std::move(error)};
}

Fault listen_fault(Error error) {
  const bool is_setting = error.code == ErrorCode::kInvalid;
  return {is_setting ? ExitCode::kUsage : ExitCode::kCannotListen, std::move(error)};
}

}  // namespace statmill
