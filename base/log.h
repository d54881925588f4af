// Log: writes one line per event to standard error, in one of these forms:
//
//   2026-11-20T18:49:00Z info up port=1                                      text
//   time=2026-11-20T18:49:00Z level=info msg=up port=1                       logfmt
//   {"time":"2026-11-20T18:49:00Z","level":"info","msg":"up","port":1}       json
//
// Log changes of state and faults; count traffic instead, but for lines of debug. Under systemd
// (JOURNAL_STREAM is set), lines start with the <N> priority prefix and have no time; those of the form
// `text` have no level either. Use a LogLimiter for everything that a remote peer can trigger.
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

enum class LogFormat { kTextLines, kLogfmtLines, kJsonLines };

Result<LogLevel> parse_log_level(std::string_view text);
Result<LogFormat> parse_log_format(std::string_view text);

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kTextLines;
};

// One `key=value` of a log line. Values that contain spaces or quotes are quoted and escaped.
struct LogField {
  std::string_view key;
  std::string value;
  bool is_number = false;  // JSON writes it without quotes

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)), is_number(true) {}
};

// Thread-safe: each line is a single write().
class Log {
 public:
  explicit Log(LogOptions options);
  explicit Log(LogLevel level) : Log(LogOptions{level}) {}

  // Applies to lines from now on.
  void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }

  void error(std::string_view message, std::initializer_list<LogField> fields = {});
  void warn(std::string_view message, std::initializer_list<LogField> fields = {});
  void info(std::string_view message, std::initializer_list<LogField> fields = {});
  void debug(std::string_view message, std::initializer_list<LogField> fields = {});

 private:
  void line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

  std::atomic<LogLevel> level_;  // relaxed: no other data depend on it
  const LogFormat format_;
  const bool journal_;
};

// Lets so many lines per interval through and counts the others. Thread-safe.
class LogLimiter {
 public:
  explicit LogLimiter(Duration interval, int64_t lines = 1) : interval_(interval), lines_(lines) {}

  // Returns -1 if this line must be held back. Otherwise returns how many lines were held back since the last
  // one that was let through.
  int64_t admit(SteadyTime now);

 private:
  const Duration interval_;
  const int64_t lines_;
  // Written and read by all threads that log. Relaxed: an occasional line more or less does no harm.
  std::atomic<int64_t> next_ns_{INT64_MIN};
  std::atomic<int64_t> left_{0};  // how many more lines this interval may have
  std::atomic<int64_t> held_back_{0};
};

}  // namespace statmill
