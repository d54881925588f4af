// Log: one line per event to standard error, `severity message key=value ...`.
//
// State changes and faults are logged; traffic is counted. Under systemd (JOURNAL_STREAM set) lines carry the
// <N> priority prefix and no time. Anything a stranger can trigger goes through a LogLimiter.
#pragma once

#include <atomic>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

enum class LogLevel { kError, kWarn, kInfo, kDebug };

Result<LogLevel> parse_log_level(std::string_view text);

// One `key=value` of a log line. Values with spaces or quotes are quoted and escaped.
struct LogField {
  std::string_view key;
  std::string value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)) {}
};

// Thread-safe: a line is one write().
class Log {
 public:
  explicit Log(LogLevel level);

  void error(std::string_view message, std::initializer_list<LogField> fields = {});
  void warn(std::string_view message, std::initializer_list<LogField> fields = {});
  void info(std::string_view message, std::initializer_list<LogField> fields = {});
  void debug(std::string_view message, std::initializer_list<LogField> fields = {});

 private:
  void line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

  const LogLevel level_;
  const bool journal_;
};

// Lets one line through per interval and counts the rest. Thread-safe.
class LogLimiter {
 public:
  explicit LogLimiter(Duration interval) : interval_(interval) {}

  // How many lines were held back since the last one let through, or -1: hold this one back too.
  int64_t admit(SteadyTime now);

 private:
  const Duration interval_;
  // Both are written and read by whoever logs; relaxed: a line more or less is no harm.
  std::atomic<int64_t> next_ns_{INT64_MIN};
  std::atomic<int64_t> held_back_{0};
};

}  // namespace statmill
