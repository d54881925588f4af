// History: tests that read a file of another system.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_directory.h"
#include "tests/tools/import/collected_history.h"
#include "tools/statmill/import/history_files.h"

namespace statmill {

class History : public testing::Test {
 protected:
  CollectedHistory read(const std::string& name, const std::string& text, HistoryFormat format) {
    const std::string path = directory_.write(name, text);
    auto reader = open_history({.path = path, .format = format, .relative = name}, -1, {});
    CollectedHistory out;
    EXPECT_TRUE(reader) << reader.error().message;
    if (reader) error_ = out.read_all(**reader);
    return out;
  }

  TempDirectory directory_;
  std::string error_;
};

}  // namespace statmill
