#include "storage/files/data_directory.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

std::string raised(const std::string& text) {
  const TempDirectory directory;
  directory.write("FORMAT", text);
  EXPECT_TRUE(raise_format(directory.path().string()));
  return *read_format(directory.path().string());
}

TEST(RaiseFormat, ChangesOnlyAnOlderVersion) {
  EXPECT_EQ(raised("statmill store 1.0\nsteps 10s,5m\n"), "statmill store 2.1\nsteps 10s,5m\n");
  EXPECT_EQ(raised("statmill store 1.7\nsteps 10s,5m\n"), "statmill store 2.1\nsteps 10s,5m\n");
  for (const char* const kept : {"statmill store 2.1\nsteps 10s\n", "statmill store 2.2\nsteps 10s\n"})
    EXPECT_EQ(raised(kept), kept);
}

}  // namespace
}  // namespace statmill
