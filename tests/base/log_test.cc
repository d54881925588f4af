#include "base/log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace statmill {
namespace {

// Under systemd, lines have a priority and no time, so tests can compare whole lines.
class JournalLog : public testing::Test {
 protected:
  void TearDown() override { unsetenv("JOURNAL_STREAM"); }

  template <class Write>
  static std::string lines(LogLevel level, const Write& write) {
    return lines(LogOptions{level}, write);
  }
  template <class Write>
  static std::string lines(LogOptions options, const Write& write) {
    testing::internal::CaptureStderr();
    struct stat status {};
    EXPECT_EQ(::fstat(STDERR_FILENO, &status), 0);
    const std::string stream = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
    setenv("JOURNAL_STREAM", stream.c_str(), 1);
    Log log(options);
    write(log);
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(JournalLog, LinesHavePriorityMessageAndFields) {
  EXPECT_EQ(lines(LogLevel::kDebug,
                  [](Log& log) {
                    log.error("disk full", {{"path", "/x"}, {"bytes", 12}});
                    log.warn("slow");
                    log.info("up", {{"version", std::string("1.2")}});
                    log.debug("tick");
                  }),
            "<3>disk full path=/x bytes=12\n<4>slow\n<6>up version=1.2\n<7>tick\n");
}

// With what each form must escape.
const auto write_line = [](Log& log) {
  log.warn("disk\n\"full\"",
           {{"path", "/x y"}, {"bytes", 12}, {"by", "a=\\\x1b"}, {"empty", ""}, {"id", "007"}});
};

TEST_F(JournalLog, LogfmtNamesEachValue) {
  EXPECT_EQ(
      lines(LogOptions{LogLevel::kInfo, LogFormat::kLogfmtLines}, write_line),
      "<4>level=warn msg=\"disk \\\"full\\\"\" path=\"/x y\" bytes=12 by=\"a=\\\\ \" empty=\"\" id=007\n");
}

TEST_F(JournalLog, JsonHasNumbersAndTexts) {
  EXPECT_EQ(lines(LogOptions{LogLevel::kInfo, LogFormat::kJsonLines}, write_line),
            "<4>{\"level\":\"warn\",\"msg\":\"disk \\\"full\\\"\",\"path\":\"/x "
            "y\",\"bytes\":12,\"by\":\"a=\\\\ \","
            "\"empty\":\"\",\"id\":\"007\"}\n");
}

TEST_F(JournalLog, OmitsLowerLevels) {
  const auto all = [](Log& log) {
    log.error("e");
    log.warn("w");
    log.info("i");
    log.debug("d");
  };
  EXPECT_EQ(lines(LogLevel::kWarn, all), "<3>e\n<4>w\n");
  EXPECT_EQ(lines(LogLevel::kError, all), "<3>e\n");
}

TEST_F(JournalLog, ValuesCannotForgeALineOrAField) {
  EXPECT_EQ(lines(LogLevel::kInfo,
                  [](Log& log) {
                    log.info("a\nb", {{"text", "x\n<0>y=\"z\\\""}, {"empty", ""}, {"escape", "\x1b[2J"}});
                  }),
            "<6>a b text=\"x <0>y=\\\"z\\\\\\\"\" empty=\"\" escape=\" [2J\"\n");
}

TEST_F(JournalLog, WhatATerminalObeysIsVisible) {
  EXPECT_EQ(
      lines(LogLevel::kInfo,
            [](Log& log) {
              log.info("\x7f", {{"c1", "h\u009b31m"}, {"direction", "\u202egpj"}, {"byte", "größe \x9b"}});
            }),
      "<6><U+007F> c1=h<U+009B>31m direction=<U+202E>gpj byte=\"größe <x9B>\"\n");
}

// Processes inherit the variable even if their output goes elsewhere.
TEST(Log, LinesOutsideOfTheJournalHaveTimeAndSeverity) {
  setenv("JOURNAL_STREAM", "8:1", 1);
  Log log(LogLevel::kInfo);
  testing::internal::CaptureStderr();
  log.info("up", {{"port", 1}});
  const std::string line = testing::internal::GetCapturedStderr();
  const size_t time_size = std::string_view("2026-11-20T18:49:00Z ").size();
  ASSERT_GT(line.size(), time_size);
  EXPECT_EQ(line.substr(time_size), "info up port=1\n");
  EXPECT_EQ(line[10], 'T');
  EXPECT_EQ(line[19], 'Z');
  unsetenv("JOURNAL_STREAM");
}

// Returns what a log of this form writes outside of the journal, without its time, which must be one.
std::string without_time(LogFormat format, std::string_view before, size_t time_bytes) {
  Log log({LogLevel::kInfo, format});
  testing::internal::CaptureStderr();
  log.info("up", {{"port", 1}});
  std::string line = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(line.starts_with(before)) << line;
  EXPECT_EQ(line.substr(before.size() + time_bytes - 1, 1), "Z") << line;
  return line.erase(before.size(), time_bytes);
}

TEST(Log, EachFormHasTheTime) {
  constexpr size_t kTimeBytes = std::string_view("2026-11-20T18:49:00Z").size();
  EXPECT_EQ(without_time(LogFormat::kLogfmtLines, "time=", kTimeBytes), "time= level=info msg=up port=1\n");
  EXPECT_EQ(without_time(LogFormat::kJsonLines, "{\"time\":\"", kTimeBytes),
            "{\"time\":\"\",\"level\":\"info\",\"msg\":\"up\",\"port\":1}\n");
}

TEST(Log, ParsesFormats) {
  EXPECT_EQ(parse_log_format("text").value(), LogFormat::kTextLines);
  EXPECT_EQ(parse_log_format("logfmt").value(), LogFormat::kLogfmtLines);
  EXPECT_EQ(parse_log_format("json").value(), LogFormat::kJsonLines);
  EXPECT_FALSE(parse_log_format("JSON"));
  EXPECT_FALSE(parse_log_format(""));
}

TEST(Log, ParsesLevels) {
  EXPECT_EQ(parse_log_level("error").value(), LogLevel::kError);
  EXPECT_EQ(parse_log_level("warn").value(), LogLevel::kWarn);
  EXPECT_EQ(parse_log_level("info").value(), LogLevel::kInfo);
  EXPECT_EQ(parse_log_level("debug").value(), LogLevel::kDebug);
  EXPECT_FALSE(parse_log_level("INFO"));
  EXPECT_FALSE(parse_log_level(""));
}

SteadyTime at(int64_t ms) { return SteadyTime(std::chrono::milliseconds(ms)); }

TEST(LogLimiter, AdmitsOneLinePerIntervalAndCountsTheRest) {
  LogLimiter limiter(Duration(1000));
  EXPECT_EQ(limiter.admit(at(5000)), 0);
  EXPECT_EQ(limiter.admit(at(5000)), -1);
  EXPECT_EQ(limiter.admit(at(5999)), -1);
  EXPECT_EQ(limiter.admit(at(6000)), 2) << "two were held back";
  EXPECT_EQ(limiter.admit(at(6999)), -1);
  EXPECT_EQ(limiter.admit(at(60'000)), 1);
  EXPECT_EQ(limiter.admit(at(120'000)), 0);
}

TEST(LogLimiter, AdmitsSomeLinesPerInterval) {
  LogLimiter limiter(Duration(1000), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.admit(at(i)), 0);
  for (int i = 3; i < 8; ++i) EXPECT_EQ(limiter.admit(at(i)), -1);
  EXPECT_EQ(limiter.admit(at(1000)), 5);
  EXPECT_EQ(limiter.admit(at(1000)), 0);
  EXPECT_EQ(limiter.admit(at(1999)), 0);
  EXPECT_EQ(limiter.admit(at(1999)), -1);
  EXPECT_EQ(limiter.admit(at(2000)), 1);
}

TEST(LogLimiter, AdmitsTheFirstLineAtAnyTime) {
  EXPECT_EQ(LogLimiter(Duration(1000)).admit(at(0)), 0);
  EXPECT_EQ(LogLimiter(Duration(1000)).admit(at(-1'000'000)), 0);
}

TEST(LogLimiter, CountsEveryLineOfManyThreads) {
  LogLimiter limiter(Duration(1000));
  std::atomic<int64_t> through{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) through += limiter.admit(at(0)) >= 0 ? 1 : 0;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(through, 1);
  EXPECT_EQ(limiter.admit(at(1000)), 3999);
}

}  // namespace
}  // namespace statmill
