#include "tests/tools/terminal/small_terminal.h"

#include "base/text.h"
#include "tools/statmill/terminal/text_cells.h"

namespace statmill {
namespace {

int number(std::string_view text) {
  const auto parsed = parse_integer(text, 0, 9999);
  return parsed ? static_cast<int>(*parsed) : -1;
}

}  // namespace

void SmallTerminal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (bytes.starts_with("\x1b[")) {
      const size_t end = bytes.find_first_not_of("0123456789;?", 2);
      if (end == std::string_view::npos) break;
      run_sequence(bytes.substr(2, end - 2), bytes[end]);
      bytes.remove_prefix(end + 1);
      continue;
    }
    const size_t length = std::max<size_t>(1, utf8_length(bytes));
    const std::string_view character = bytes.substr(0, length);
    const int end = screen_.put(row_, column_, character, style_);
    if (display_width(character) > 2 || end > screen_.columns() || row_ >= screen_.rows()) ++faults_;
    column_ = end;
    bytes.remove_prefix(length);
  }
}

void SmallTerminal::run_sequence(std::string_view parameters, char final) {
  if (final == 'm') return set_style(parameters);
  if (final == 'J' && parameters == "2") {
    screen_ = Screen(screen_.rows(), screen_.columns());
  } else if (final == 'H') {
    const auto parts = split(parameters, ';');
    row_ = parts.size() == 2 ? number(parts[0]) - 1 : 0;
    column_ = parts.size() == 2 ? number(parts[1]) - 1 : 0;
  } else if (parameters == "?1049" && (final == 'h' || final == 'l')) {
    is_alternate_ = final == 'h';
  } else if (parameters == "?25" && (final == 'h' || final == 'l')) {
    is_cursor_shown_ = final == 'h';
  } else {
    ++faults_;
  }
}

void SmallTerminal::set_style(std::string_view parameters) {
  for (const std::string_view part : split(parameters, ';')) {
    const int n = number(part);
    if (n == 0) {
      style_ = {};
    } else if (n == 1) {
      style_.is_bold = true;
    } else if (n == 2) {
      style_.is_dim = true;
    } else if (n == 7) {
      style_.is_reverse = true;
    } else if (n >= 31 && n <= 36) {
      style_.color = static_cast<Color>(n - 30);
    } else {
      ++faults_;
    }
  }
}

}  // namespace statmill
