#include "tests/support/temp_directory.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "base/check.h"

namespace statmill {

TempDirectory::TempDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "statmill-test-XXXXXX").string();
  SM_CHECK(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;  // no test fails because a file cannot be removed
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempDirectory::write(std::string_view name, std::string_view content) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  SM_CHECK(out.flush().good());
  return file;
}

}  // namespace statmill
