#include "agent/recording/recorded_lines.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "proto/canonical_name.h"
#include "proto/istatd/exact_line.h"
#include "proto/istatd/exemplar_line.h"
#include "proto/istatd/family_line.h"

namespace statmill {
namespace {

constexpr std::string_view kMarks = "*%#$@&;:";  // have a meaning at the begin of a plain line's name

AddedTags read_tags(std::string_view tags) {
  auto added = AddedTags::read(tags);
  SM_CHECK(added.has_value());
  return *std::move(added);
}

// Returns the end of the first `count` words, which single spaces separate; npos if there are fewer.
size_t end_of_words(std::string_view line, size_t count) {
  size_t end = line.find(' ');
  for (; count > 1 && end != std::string_view::npos; --count) end = line.find(' ', end + 1);
  return end;
}

}  // namespace

RecordedLines::RecordedLines(std::string tags) : tags_(std::move(tags)), added_(read_tags(tags_)) {}

void RecordedLines::begin(Timestamp at) { time_text_ = " " + std::to_string(unix_seconds(at)); }

std::string_view RecordedLines::complete(std::string_view line) {
  if (is_family_line(line)) return family(line);
  const bool is_exact = line.starts_with(kExactMark);
  const size_t name_end = end_of_words(line, is_exact ? 2 : 1);
  const bool has_mark = line.starts_with('*') || line.starts_with('%');
  const size_t name_begin = is_exact ? line.find(' ') + 1 : size_t{has_mark};
  line_.assign(line, 0, name_begin);
  if (name_end == std::string_view::npos || name_end <= name_begin ||
      !append_name(line.substr(name_begin, name_end - name_begin), is_exact)) {
    ++refused_;
    return {};
  }
  if (!is_exemplar_line(line)) line_.append(time_text_);  // an exemplar has a time of its own
  line_.append(line.substr(name_end)).push_back('\n');
  return line_;
}

// Appends the canonical name with the tags of the host, spelled so that a line of this form means it: in a
// plain line, a caret would fan out, and the first byte could be a mark.
bool RecordedLines::append_name(std::string_view spelling, bool is_exact) {
  names_.clear();
  if (!is_exact && spelling.starts_with('^')) spelling.remove_prefix(1);  // a spelling of what follows
  const std::string_view path = spelling.substr(0, spelling.find(';'));
  std::string_view name;
  if (is_plainly_canonical(spelling))
    name = added_.name(path, spelling.substr(std::min(path.size() + 1, spelling.size())), names_);
  if (name.empty() && spell_name(spelling, added_, names_, name).is_refused()) return false;
  if (is_exact) {
    line_.append(name);
    return true;
  }
  if (kMarks.find(name.front()) != std::string_view::npos) line_.push_back('^');
  std::string_view rest = name.substr(0, name.find(';'));
  for (size_t caret = 0; (caret = rest.find('^')) != std::string_view::npos;) {
    line_.append(rest.substr(0, caret)).append("%5E");
    rest.remove_prefix(caret + 1);
  }
  line_.append(rest).append(name.substr(std::min(name.find(';'), name.size())));
  return true;
}

std::string_view RecordedLines::family(std::string_view line) {
  names_.clear();
  parse_family_line(line, PathRule::kKeep, names_);
  if (names_.families.empty()) {
    ++refused_;
    return {};
  }
  const FamilyText& text = names_.families.front().text;
  line_.clear();
  append_family_line(line_, text);
  const std::string key = exact_letter(text.kind) + std::string(text.path);
  const auto it = families_.find(key);
  const size_t known_bytes = it == families_.end() ? 0 : it->second.size();
  if (known_bytes > 0 && it->second == line_) return {};
  if (family_bytes_ - known_bytes + line_.size() > kFamilyBytesMax) return line_;
  family_bytes_ += line_.size() - known_bytes;
  families_.insert_or_assign(key, line_);
  return line_;
}

std::string RecordedLines::families() const {
  std::string out;
  for (const auto& [key, line] : families_) out.append(line);
  return out;
}

}  // namespace statmill
