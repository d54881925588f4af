// write_whole_file(): replaces a file that others watch.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace statmill {

// Nobody ever sees half of the file: it is written under another name first, PATH.new. Errors: kIo.
Status write_whole_file(const std::filesystem::path& path, const std::string& content);

}  // namespace statmill
