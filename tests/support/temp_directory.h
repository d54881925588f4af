// TempDirectory: a temporary directory that is removed with all its contents on destruction.
#pragma once

#include <filesystem>
#include <string_view>

namespace statmill {

class TempDirectory {
 public:
  TempDirectory();  // ends the process if the system's temporary directory is not writable
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes `content` to the file `name` ("a/b.txt": creates directories) and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace statmill
