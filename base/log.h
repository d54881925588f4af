// Log: writes one line per event to standard error: `severity message key=value ...`.
//
// Log changes of state and faults; count traffic instead. Under systemd (JOURNAL_STREAM is set), lines start
// with the <N> priority prefix and without a time. Use a LogLimiter for everything that a remote peer can
// trigger.
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

// One `key=value` of a log line. Values that contain spaces or quotes are quoted and escaped.
struct LogField {
  std::string_view key;
  std::string value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)) {}
};

// Thread-safe: each line is a single write().
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

// Lets one line per interval through and counts the others. Thread-safe.
class LogLimiter {
 public:
  explicit LogLimiter(Duration interval) : interval_(interval) {}

  // Returns -1 if this line must be held back. Otherwise returns how many lines were held back since the last
  // one that was let through.
  int64_t admit(SteadyTime now);

 private:
  const Duration interval_;
  // Written and read by all threads that log. Relaxed: an occasional line more or less does no harm.
  std::atomic<int64_t> next_ns_{INT64_MIN};
  std::atomic<int64_t> held_back_{0};
};

}  // namespace statmill
