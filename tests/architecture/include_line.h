// Parses the #include directive in a line of a source file.
#pragma once

#include <string>
#include <string_view>

namespace statmill {

struct Include {
  std::string path;        // empty if the line is not an #include
  bool is_quoted = false;  // "path", not <path>
};

Include include_of(std::string_view line);

}  // namespace statmill
