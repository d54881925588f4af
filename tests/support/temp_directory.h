// TempDirectory: a directory of a test's own, gone with all its content when the test ends.
#pragma once

#include <filesystem>
#include <string_view>

namespace statmill {

class TempDirectory {
 public:
  TempDirectory();  // ends the process when the system's temporary directory cannot be written
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes `content` to the file `name` ("a/b.txt": folders are made) and gives its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace statmill
