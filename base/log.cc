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

void append_value(std::string& out, std::string_view text) {
  const std::string value = one_line(text);
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != '"' && c != '=' && c != '\\';
  };
  if (!value.empty() && std::all_of(value.begin(), value.end(), is_plain)) {
    out.append(value);
    return;
  }
  out.push_back('"');
  for (const char c : value) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
}

void append_time(std::string& out) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  gmtime_r(&now.tv_sec, &parts);
  std::array<char, 40> text{};
  const size_t n = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ ", &parts);
  out.append(text.data(), n);
}

}  // namespace

Result<LogLevel> parse_log_level(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<LogLevel>(i);
  }
  return Error{ErrorCode::kInvalid,
               "log level \"" + std::string(text) + "\" is not one of error, warn, info, debug"};
}

Log::Log(LogLevel level) : level_(level), journal_(is_journal_stream(STDERR_FILENO)) {}

void Log::error(std::string_view m, std::initializer_list<LogField> f) { line(LogLevel::kError, m, f); }
void Log::warn(std::string_view m, std::initializer_list<LogField> f) { line(LogLevel::kWarn, m, f); }
void Log::info(std::string_view m, std::initializer_list<LogField> f) { line(LogLevel::kInfo, m, f); }
void Log::debug(std::string_view m, std::initializer_list<LogField> f) { line(LogLevel::kDebug, m, f); }

void Log::line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level > level_) return;
  const auto i = static_cast<size_t>(level);
  std::string out;
  out.reserve(160);
  if (journal_) {
    out.append(kPriorities[i]);
  } else {
    append_time(out);
    out.append(kNames[i]).push_back(' ');
  }
  out.append(one_line(message));
  for (const LogField& field : fields) {
    out.push_back(' ');
    out.append(field.key).push_back('=');
    append_value(out, field.value);
  }
  out.push_back('\n');
  // If the log cannot be written, there is nowhere to report it.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, out.data(), out.size());
}

int64_t LogLimiter::admit(SteadyTime now) {
  const int64_t now_ns = now.time_since_epoch().count();
  int64_t next = next_ns_.load(std::memory_order_relaxed);
  const int64_t after = now_ns + std::chrono::nanoseconds(interval_).count();
  if (now_ns < next || !next_ns_.compare_exchange_strong(next, after, std::memory_order_relaxed)) {
    held_back_.fetch_add(1, std::memory_order_relaxed);
    return -1;
  }
  return held_back_.exchange(0, std::memory_order_relaxed);
}

}  // namespace statmill
