#include "tests/architecture/include_line.h"

namespace statmill {

Include include_of(std::string_view line) {
  const auto skip_blanks = [&] {
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  };
  skip_blanks();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return {};
  line.remove_prefix(std::string_view("include").size());
  skip_blanks();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return {};
  const bool is_quoted = line.front() == '"';
  const size_t end = line.find(is_quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return {};
  return {std::string(line.substr(1, end - 1)), is_quoted};
}

}  // namespace statmill
