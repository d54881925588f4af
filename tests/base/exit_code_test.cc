#include "base/exit_code.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(ExitCode, AWrongSettingIsNotAPortThatCannotBeOpened) {
  EXPECT_EQ(listen_fault({ErrorCode::kInvalid, ""}).code, ExitCode::kUsage);
  for (const ErrorCode code : {ErrorCode::kBusy, ErrorCode::kNotFound, ErrorCode::kIo})
    EXPECT_EQ(listen_fault({code, ""}).code, ExitCode::kCannotListen);
}

TEST(ExitCode, EachErrorOfADataDirectoryHasItsStatus) {
  EXPECT_EQ(data_fault({ErrorCode::kBusy, ""}).code, ExitCode::kLocked);
  EXPECT_EQ(data_fault({ErrorCode::kCorrupt, ""}).code, ExitCode::kDamaged);
  EXPECT_EQ(data_fault({ErrorCode::kVersion, ""}).code, ExitCode::kOtherFormat);
  EXPECT_EQ(data_fault({ErrorCode::kInvalid, ""}).code, ExitCode::kUsage);
  EXPECT_EQ(data_fault({ErrorCode::kIo, "no space"}).code, ExitCode::kFailed);
  EXPECT_EQ(data_fault({ErrorCode::kIo, "no space"}).error.message, "no space");
}

}  // namespace
}  // namespace statmill
