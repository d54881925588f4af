#include "proto/statsd/event.h"

#include "proto/line_text.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

// Consumes `size`, which `end` follows. Returns nullopt if it is no size.
std::optional<size_t> read_size(std::string_view& rest, char end) {
  const size_t digits = rest.find(end);
  int64_t size = 0;
  if (digits == std::string_view::npos || parse_integer(rest.substr(0, digits), size).is_refused() ||
      size < 0)
    return std::nullopt;
  rest.remove_prefix(digits + 1);
  return static_cast<size_t>(size);
}

Verdict<Refusal> read_field(std::string_view field, StatsdEvent& event) {
  if (field.starts_with("d:"))
    return accept_if(parse_integer(field.substr(2), event.time_s.emplace()).is_accepted(), Refusal::kBadTime);
  if (field.starts_with("h:")) event.host = field.substr(2);
  if (field.starts_with("t:")) event.alert = field.substr(2);
  if (field.starts_with("#")) event.tags = field.substr(1);
  return kAccepted;
}

}  // namespace

Verdict<Refusal> parse_statsd_event(std::string_view line, StatsdEvent& event) {
  if (!is_text(line)) return Refusal::kBadName;
  std::string_view rest = line.substr(line.find('{') + 1);
  const auto title_size = read_size(rest, ',');
  const auto text_size = read_size(rest, '}');
  if (!title_size || !text_size || !rest.starts_with(':')) return Refusal::kFieldCount;
  rest.remove_prefix(1);
  if (*title_size >= rest.size() || rest[*title_size] != '|') return Refusal::kFieldCount;
  event.title = rest.substr(0, *title_size);
  rest.remove_prefix(*title_size + 1);
  if (*text_size > rest.size()) return Refusal::kFieldCount;
  event.text = rest.substr(0, *text_size);
  rest.remove_prefix(*text_size);
  if (!rest.empty() && rest.front() != '|') return Refusal::kFieldCount;
  if (event.title.empty()) return Refusal::kEmptyName;
  if (!is_text(event.title) || !is_text(event.text)) return Refusal::kBadName;  // cut inside a character
  Cursor cursor(rest);
  while (cursor.skip('|')) {
    if (const auto verdict = read_field(cursor.until<'|'>(), event); verdict.is_refused()) return verdict;
  }
  return kAccepted;
}

}  // namespace statmill
