#include "base/csv_text.h"

namespace statmill {

void append_csv_text(std::string& out, std::string_view text) {
  constexpr std::string_view kFormulaBegins = "=+-@\t\r";
  constexpr std::string_view kQuoted = ",\"\r\n";
  const bool is_formula = !text.empty() && kFormulaBegins.find(text.front()) != std::string_view::npos;
  if (!is_formula && text.find_first_of(kQuoted) == std::string_view::npos) {
    out.append(text);
    return;
  }
  out.append(is_formula ? "\"'" : "\"");
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

}  // namespace statmill
