#include "server/documents/statsd_events.h"

#include <string>
#include <utility>

#include "base/text.h"
#include "proto/tagged_name.h"
#include "server/documents/event.h"
#include "server/documents/event_where.h"

namespace statmill {
namespace {

constexpr int64_t kEventTimeEnd_s = 253402300799;  // the last second of the year 9999

// Line ends are written as a backslash and n.
std::string with_line_ends(std::string_view text, char line_end) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_line_end = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n';
    out.push_back(is_line_end ? line_end : text[i]);
    if (is_line_end) ++i;
  }
  return out;
}

void add_tag(std::string tag, Event& event) {
  if (tag.empty() || event.tags.size() == kEventTagsMax) return;
  event.tags.push_back(shortened_text(std::move(tag), kEventTagBytesMax));
}

}  // namespace

bool StatsdEvents::add(const StatsdEvent& from, Timestamp now) {
  Event event{.time = now};
  if (from.time_s && 0 <= *from.time_s && *from.time_s <= kEventTimeEnd_s)
    event.time = Timestamp(std::chrono::seconds(*from.time_s));
  event.title = shortened_text(with_line_ends(from.title, ' '), kEventTitleBytesMax);
  if (is_text(from.text)) event.text = shortened_text(with_line_ends(from.text, '\n'), kEventTextBytesMax);
  if (!from.alert.empty()) add_tag("alert:" + std::string(from.alert), event);
  for (const std::string_view tag : split(from.tags, ',')) add_tag(std::string(tag), event);
  event.where = where_of_host(std::string(from.host));
  event.by = from.sender.name();
  return static_cast<bool>(events_.add(std::move(event)));
}

}  // namespace statmill
