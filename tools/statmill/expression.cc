#include "tools/statmill/expression.h"

#include <optional>
#include <string>

#include "base/number_text.h"
#include "base/text.h"
#include "base/visible.h"
#include "tools/statmill/options.h"
#include "tools/statmill/terminal/text_cells.h"

namespace statmill {
namespace {

struct Position {
  size_t line = 0;  // from 1
  size_t byte = 0;  // in the line, from 1
};

// Finds "LINE:BYTE: parse error".
std::optional<Position> position_in(std::string_view message) {
  constexpr std::string_view kAfter = ": parse error";
  message = message.substr(0, message.find(kAfter));
  const size_t colon = message.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const size_t blank = message.rfind(' ', colon);
  const size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const auto line = parse_as<size_t>(message.substr(begin, colon - begin));
  const auto byte = parse_as<size_t>(message.substr(colon + 1));
  if (!line || !byte || *line == 0 || *byte == 0) return std::nullopt;
  return Position{*line, *byte};
}

}  // namespace

Outcome expression_outcome(const HttpAnswer& answer, std::string_view expression) {
  Outcome out = query_outcome(answer);
  const std::optional<Position> at = position_in(out.messages);
  if (!at) return out;
  for (size_t line = 1; line < at->line; ++line) {
    const size_t end = expression.find('\n');
    if (end == std::string_view::npos) return out;
    expression.remove_prefix(end + 1);
  }
  const std::string_view line = expression.substr(0, expression.find('\n'));
  if (at->byte > line.size() + 1) return out;
  out.messages.append("  ").append(visible(line)).append("\n  ");
  out.messages.append(display_width(line.substr(0, at->byte - 1)), ' ').append("^\n");
  return out;
}

}  // namespace statmill
