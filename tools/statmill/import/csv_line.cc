#include "tools/statmill/import/csv_line.h"

#include <algorithm>

namespace statmill {

// Reads a field after its first quote, up to the comma after its last one.
bool CsvLine::read_quoted(std::string_view& rest) {
  const size_t begin = texts_.size();
  while (true) {
    const size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    texts_.append(rest.substr(0, quote));
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    texts_.push_back('"');
    rest.remove_prefix(1);
  }
  std::string_view field = std::string_view(texts_).substr(begin);
  constexpr std::string_view kFormula = "=+-@\t\r";
  if (field.size() > 1 && field[0] == '\'' && kFormula.find(field[1]) != std::string_view::npos)
    field.remove_prefix(1);
  fields_.push_back(field);
  return rest.empty() || rest.front() == ',';
}

bool CsvLine::read(std::string_view line) {
  texts_.clear();
  texts_.reserve(line.size());  // views stay valid
  fields_.clear();
  while (true) {
    if (fields_.size() == kCsvFieldsMax) return false;
    if (line.starts_with('"')) {
      line.remove_prefix(1);
      if (!read_quoted(line)) return false;
    } else {
      const size_t end = std::min(line.find(','), line.size());
      fields_.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    if (line.empty()) return true;
    line.remove_prefix(1);
  }
}

}  // namespace statmill
