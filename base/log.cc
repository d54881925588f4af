#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/journal_stream.h"
#include "base/visible.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"error", "warn", "info", "debug"};
constexpr std::array<std::string_view, 4> kPriorities = {"<3>", "<4>", "<6>", "<7>"};  // sd-daemon(3)

// Returns the text in one line, and nothing in it that a terminal would obey: `journalctl` prints a log as it
// is.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return visible(line);
}

// Every form escapes these alike, since no control character is left.
void append_quoted(std::string& out, std::string_view line) {
  out.push_back('"');
  for (const char c : line) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
}

void append_value(std::string& out, std::string_view text) {
  const std::string value = one_line(text);
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != '"' && c != '=' && c != '\\';
  };
  if (!value.empty() && std::all_of(value.begin(), value.end(), is_plain)) {
    out.append(value);
  } else {
    append_quoted(out, value);
  }
}

std::string time_text() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  gmtime_r(&now.tv_sec, &parts);
  std::array<char, 40> text{};
  const size_t n = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), n};
}

struct Line {
  std::string_view time;  // empty: none
  std::string_view level;
  std::string_view message;
  std::initializer_list<LogField> fields;
};

void append_pairs(std::string& out, std::initializer_list<LogField> fields) {
  for (const LogField& field : fields) {
    out.append(" ").append(field.key).append("=");
    append_value(out, field.value);
  }
}

void append_text(std::string& out, const Line& line) {
  if (!line.time.empty()) out.append(line.time).append(" ").append(line.level).append(" ");
  out.append(one_line(line.message));
  append_pairs(out, line.fields);
}

void append_logfmt(std::string& out, const Line& line) {
  if (!line.time.empty()) out.append("time=").append(line.time).append(" ");
  out.append("level=").append(line.level).append(" msg=");
  append_value(out, line.message);
  append_pairs(out, line.fields);
}

void append_json(std::string& out, const Line& line) {
  out.push_back('{');
  if (!line.time.empty()) out.append("\"time\":\"").append(line.time).append("\",");
  out.append("\"level\":\"").append(line.level).append("\",\"msg\":");
  append_quoted(out, one_line(line.message));
  for (const LogField& field : line.fields) {
    out.append(",\"").append(field.key).append("\":");
    if (field.is_number) {
      out.append(field.value);
    } else {
      append_quoted(out, one_line(field.value));
    }
  }
  out.push_back('}');
}

}  // namespace

Result<LogLevel> parse_log_level(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<LogLevel>(i);
  }
  return Error{ErrorCode::kInvalid,
               "log level \"" + std::string(text) + "\" is not one of error, warn, info, debug"};
}

Result<LogFormat> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::kTextLines;
  if (text == "logfmt") return LogFormat::kLogfmtLines;
  if (text == "json") return LogFormat::kJsonLines;
  return Error{ErrorCode::kInvalid,
               "log format \"" + std::string(text) + "\" is not one of text, logfmt, json"};
}

Log::Log(LogOptions options)
    : level_(options.level), format_(options.format), journal_(is_journal_stream(STDERR_FILENO)) {}

void Log::error(std::string_view m, std::initializer_list<LogField> f) { line(LogLevel::kError, m, f); }
void Log::warn(std::string_view m, std::initializer_list<LogField> f) { line(LogLevel::kWarn, m, f); }
void Log::info(std::string_view m, std::initializer_list<LogField> f) { line(LogLevel::kInfo, m, f); }
void Log::debug(std::string_view m, std::initializer_list<LogField> f) { line(LogLevel::kDebug, m, f); }

void Log::line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level > level_.load(std::memory_order_relaxed)) return;
  const auto i = static_cast<size_t>(level);
  const std::string time = journal_ ? std::string() : time_text();
  const Line line{time, kNames[i], message, fields};
  std::string out;
  out.reserve(160);
  if (journal_) out.append(kPriorities[i]);
  switch (format_) {
    case LogFormat::kTextLines:
      append_text(out, line);
      break;
    case LogFormat::kLogfmtLines:
      append_logfmt(out, line);
      break;
    case LogFormat::kJsonLines:
      append_json(out, line);
      break;
  }
  out.push_back('\n');
  // If the log cannot be written, there is nowhere to report it.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, out.data(), out.size());
}

int64_t LogLimiter::admit(SteadyTime now) {
  const int64_t now_ns = now.time_since_epoch().count();
  int64_t next = next_ns_.load(std::memory_order_relaxed);
  const int64_t after = now_ns + std::chrono::nanoseconds(interval_).count();
  if (now_ns >= next && next_ns_.compare_exchange_strong(next, after, std::memory_order_relaxed)) {
    left_.store(lines_ - 1, std::memory_order_relaxed);
    return held_back_.exchange(0, std::memory_order_relaxed);
  }
  if (left_.load(std::memory_order_relaxed) > 0 && left_.fetch_sub(1, std::memory_order_relaxed) > 0)
    return held_back_.exchange(0, std::memory_order_relaxed);
  held_back_.fetch_add(1, std::memory_order_relaxed);
  return -1;
}

}  // namespace statmill
