#include "proto/recording/recording_text.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

#include "base/number_text.h"
#include "base/text.h"

namespace statmill {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kHead = "# recording ";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kMoment = "# at ";
constexpr size_t kFractionDigits = 3;
constexpr int64_t kIntervalMaxMs = int64_t{24} * 3600 * 1000;
constexpr int64_t kSecondsMax = int64_t{1} << 40;

Error damaged(std::string_view what) {
  return {ErrorCode::kCorrupt, "the first line of a block " + std::string(what)};
}

// The host goes to terminals, into URLs and into names of files.
bool is_host_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

// Returns the rest of the line after `begin`; consumes the line and its LF.
std::string_view consume_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::optional<Duration> parse_interval(std::string_view text) {
  const auto ms = parse_as<int64_t>(text);
  if (!ms || *ms < 1 || *ms > kIntervalMaxMs) return std::nullopt;
  return Duration(*ms);
}

// Parses "1796006115.300".
std::optional<Timestamp> parse_moment(std::string_view text) {
  const size_t point = text.find('.');
  if (point == std::string_view::npos || text.size() - point - 1 != kFractionDigits) return std::nullopt;
  const auto seconds = parse_as<int64_t>(text.substr(0, point));
  const auto ms = parse_as<uint16_t>(text.substr(point + 1));
  if (!seconds || !ms || *seconds < 0 || *seconds > kSecondsMax) return std::nullopt;
  return from_unix_seconds(*seconds) + milliseconds(*ms);
}

}  // namespace

std::string recording_host(std::string_view name) {
  std::string host(name.substr(0, kRecordingHostBytesMax));
  std::replace_if(
      host.begin(), host.end(), [](char c) { return !is_host_byte(c); }, '_');
  return host.empty() ? "unknown" : host;
}

void append_recording_head(std::string& out, const RecordingHead& head) {
  out.append(kHead).append(kVersion).append(" host=").append(head.host);
  out.append(" interval_ms=").append(std::to_string(head.interval.count()));
  if (head.fast) out.append(" fast_ms=").append(std::to_string(head.fast->count()));
  out.push_back('\n');
}

void append_moment(std::string& out, Timestamp at) {
  const int64_t seconds = unix_seconds(at);
  const std::string ms = std::to_string((at - from_unix_seconds(seconds)).count());
  out.append(kMoment).append(std::to_string(seconds)).append(".");
  out.append(kFractionDigits - ms.size(), '0').append(ms).append("\n");
}

Result<RecordingText> parse_recording_text(std::string_view text) {
  RecordingText parsed;
  std::string_view line = consume_line(text);
  parsed.lines = text;
  if (!line.starts_with(kHead)) return damaged("is not that of a recording");
  line.remove_prefix(kHead.size());
  const std::vector<std::string_view> words = split(line, ' ');
  if (words.empty() || words[0] != kVersion)
    return Error{ErrorCode::kVersion, "a recording of another version, which this program cannot read"};
  for (const std::string_view word : std::span(words).subspan(1)) {
    const size_t assign = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, assign);
    const std::string_view value = word.substr(std::min(assign + 1, word.size()));
    if (key == "host") {
      parsed.head.host = value;
    } else if (key == "interval_ms" || key == "fast_ms") {
      const auto interval = parse_interval(value);
      if (!interval) return damaged("has a wrong interval");
      if (key == "fast_ms") {
        parsed.head.fast = *interval;
      } else {
        parsed.head.interval = *interval;
      }
    }
  }
  if (parsed.head.host.empty() || parsed.head.host.size() > kRecordingHostBytesMax)
    return damaged("names no host");
  if (!std::all_of(parsed.head.host.begin(), parsed.head.host.end(), is_host_byte))
    return damaged("has a host with other characters than a-z A-Z 0-9 . _ -");
  if (parsed.head.interval == Duration(0)) return damaged("has no interval");
  return parsed;
}

void for_each_moment(std::string_view lines,
                     const std::function<void(std::optional<Timestamp>, std::string_view)>& moment) {
  std::optional<Timestamp> at;
  const char* begin = lines.data();
  while (!lines.empty()) {
    const char* const line_begin = lines.data();
    const std::string_view line = consume_line(lines);
    if (!line.starts_with(kMoment)) continue;
    const std::optional<Timestamp> next = parse_moment(line.substr(kMoment.size()));
    if (!next) continue;
    if (at || line_begin != begin) moment(at, {begin, static_cast<size_t>(line_begin - begin)});
    at = next;
    begin = lines.data();
  }
  const char* const end = lines.data();
  if (at || begin != end) moment(at, {begin, static_cast<size_t>(end - begin)});
}

}  // namespace statmill
