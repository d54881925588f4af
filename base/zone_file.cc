#include "base/zone_file.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file_version.h"
#include "base/text.h"
#include "base/zone_rule.h"

namespace statmill {
namespace {

constexpr int64_t kTimeMin_s = -62'135'596'800;  // the begin of the year 1
constexpr int64_t kTimeMax_s = 253'402'300'799;  // the end of the year 9999
constexpr size_t kHeaderRestBytes = 15;          // unused bytes of a header
constexpr size_t kTypesMax = 256;                // their numbers are bytes

// From `from_s` on the offset is types[type].
struct Change {
  int64_t from_s = 0;
  uint8_t type = 0;
};

class FileZone {
 public:
  ZoneOffset operator()(int64_t unix_s) const {
    const int64_t time_s = std::clamp(unix_s, kTimeMin_s, kTimeMax_s);
    if (rule && (changes.empty() || time_s >= changes.back().from_s)) return rule->at(time_s);
    const auto after = std::ranges::upper_bound(changes, time_s, {}, &Change::from_s);
    return types[after == changes.begin() ? 0 : std::prev(after)->type];
  }

  std::vector<Change> changes;  // ascending
  std::vector<ZoneOffset> types;
  std::optional<ZoneRule> rule;  // after the last change; without one that change's offset stays
};

// The numbers of a header.
struct Counts {
  char version = 0;
  uint32_t utc_marks = 0;
  uint32_t standard_marks = 0;
  uint32_t leap_seconds = 0;
  uint32_t changes = 0;
  uint32_t types = 0;
  uint32_t text_bytes = 0;
};

Error not_valid(std::string_view why) {
  return {ErrorCode::kInvalid, "no valid file of a time zone: " + std::string(why)};
}

Result<Counts> read_header(Reader& in) {
  if (in.bytes(4) != "TZif") return not_valid("it does not begin with TZif");
  Counts out;
  out.version = static_cast<char>(in.u8());
  in.bytes(kHeaderRestBytes);
  for (uint32_t* count :
       {&out.utc_marks, &out.standard_marks, &out.leap_seconds, &out.changes, &out.types, &out.text_bytes})
    *count = in.u32be();
  if (in.failed()) return not_valid("it is cut");
  if (out.version < '2') return not_valid("it is of version 1");
  for (const uint32_t count :
       {out.utc_marks, out.standard_marks, out.leap_seconds, out.changes, out.types, out.text_bytes})
    if (count > kZoneFileBytesMax) return not_valid("it has too many entries");
  return out;
}

// How many bytes come after a header whose times have so many bytes.
size_t body_bytes(const Counts& counts, size_t time_bytes) {
  return counts.changes * (time_bytes + 1) + counts.types * size_t{6} + counts.text_bytes +
         counts.leap_seconds * (time_bytes + 4) + counts.standard_marks + counts.utc_marks;
}

// An offset that no zone has is no offset (RFC 8536, 3.2: 25 hours west to 26 hours east).
bool is_offset(int32_t east_s) { return east_s >= -89'999 && east_s <= 93'599; }

Result<std::vector<Change>> read_changes(Reader& in, const Counts& counts) {
  std::vector<Change> out(counts.changes);
  for (Change& change : out) change.from_s = static_cast<int64_t>(in.u64be());
  for (Change& change : out) change.type = in.u8();
  const auto is_not_before = [](const Change& a, const Change& b) { return a.from_s >= b.from_s; };
  if (std::ranges::adjacent_find(out, is_not_before) != out.end())
    return not_valid("its times do not ascend");
  if (std::ranges::any_of(out, [&](const Change& change) { return change.type >= counts.types; }))
    return not_valid("a change is to an offset that it does not have");
  return out;
}

Result<std::vector<ZoneOffset>> read_types(Reader& in, const Counts& counts) {
  if (counts.types == 0 || counts.types > kTypesMax) return not_valid("it has no offsets, or more than 256");
  std::vector<std::pair<int32_t, size_t>> types;  // offset, place of the name
  for (uint32_t i = 0; i < counts.types; ++i) {
    const auto east_s = static_cast<int32_t>(in.u32be());
    in.u8();  // whether it is daylight saving time
    types.emplace_back(east_s, in.u8());
    if (!is_offset(east_s)) return not_valid("an offset is more than a day");
  }
  const std::string_view texts = in.bytes(counts.text_bytes);
  std::vector<ZoneOffset> out;
  for (const auto& [east_s, place] : types) {
    const size_t end = texts.find('\0', place);
    if (place >= texts.size() || end == std::string_view::npos) return not_valid("a name has no end");
    const std::string_view name = texts.substr(place, end - place);
    if (!is_zone_name(name)) return not_valid("a name is not of letters and digits");
    out.push_back({east_s, std::string(name)});
  }
  return out;
}

// The text between the last two line feeds.
Result<std::optional<ZoneRule>> read_rule(Reader& in) {
  const std::string_view rest = in.bytes(in.remaining());
  const size_t end = rest.find('\n', 1);
  if (rest.empty() || rest.front() != '\n' || end == std::string_view::npos)
    return not_valid("it has no rule at its end");
  const std::string_view text = rest.substr(1, end - 1);
  if (text.empty()) return std::optional<ZoneRule>();
  auto rule = ZoneRule::parse(text);
  if (!rule) return not_valid("the rule at its end is wrong");
  return rule;
}

// Letters, digits, _, + and - in parts between slashes; each begins with a letter.
bool is_name(std::string_view name) {
  if (name.empty() || name.size() > kZoneNameBytesMax || name.back() == '/') return false;
  char before = '/';
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_other = (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-' || c == '/';
    if (!is_letter && (before == '/' || !is_other)) return false;
    before = c;
  }
  return true;
}

}  // namespace

Result<Zone> parse_zone_file(std::string_view bytes) {
  Reader in(bytes);
  const auto old = read_header(in);  // of the same in 32 bits
  if (!old) return old.error();
  in.bytes(body_bytes(*old, 4));
  const auto counts = read_header(in);
  if (!counts) return counts.error();
  if (body_bytes(*counts, 8) > in.remaining()) return not_valid("it is cut");
  if (counts->leap_seconds > 0) return not_valid("it counts leap seconds");
  FileZone zone;
  auto changes = read_changes(in, *counts);
  if (!changes) return changes.error();
  zone.changes = *std::move(changes);
  auto types = read_types(in, *counts);
  if (!types) return types.error();
  zone.types = *std::move(types);
  in.bytes(size_t{counts->standard_marks} + counts->utc_marks);
  auto rule = read_rule(in);
  if (!rule) return rule.error();
  zone.rule = *std::move(rule);
  return Zone(std::move(zone));
}

Result<Zone> read_zone(std::string_view name, const std::string& folder) {
  const Error unknown{ErrorCode::kInvalid, "\"" + visible_text(name) + "\" is no time zone of " + folder};
  if (!is_name(name)) return unknown;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return Error{ErrorCode::kInvalid,
                 "there are no time zones here: " + folder + " does not exist; the package tzdata has it"};
  const std::string path = folder + "/" + std::string(name);
  if (!std::filesystem::is_regular_file(path, error)) return unknown;
  const auto bytes = read_file(path, kZoneFileBytesMax);
  if (!bytes) return Error{ErrorCode::kInvalid, "the time zone \"" + std::string(name) + "\" cannot be read"};
  if (bytes->size() > kZoneFileBytesMax) return unknown;
  auto zone = parse_zone_file(*bytes);
  return zone ? std::move(zone) : unknown;
}

}  // namespace statmill
