// run_program() and report(): how a program ends, and what it prints then.
#include "base/program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace statmill {
namespace {

using testing::ExitedWithCode;

// Ends this process as a program with that body ends.
[[noreturn]] void end(const ProgramBody& body) {
  ::unsetenv("JOURNAL_STREAM");
  const char* const arguments[] = {"program", "first", "second"};
  std::exit(run_program("program", 3, arguments, body));
}

Fault damaged() { return {ExitCode::kDamaged, {ErrorCode::kCorrupt, "the data are damaged"}}; }

TEST(ProgramDeathTest, ABodyWithoutAFaultEndsWithZeroAndPrintsNothing) {
  EXPECT_EXIT(end([](auto arguments) -> std::optional<Fault> {
                if (arguments.size() == 2 && std::string_view(arguments[0]) == "first") return std::nullopt;
                return damaged();
              }),
              ExitedWithCode(0), "^$");
}

TEST(ProgramDeathTest, AFaultEndsWithItsStatusAndOneLine) {
  EXPECT_EXIT(end([](auto) { return damaged(); }), ExitedWithCode(3), "^program: the data are damaged\n$");
}

TEST(ProgramDeathTest, AReportedFaultIsPrintedOnceAndAtOnce) {
  EXPECT_EXIT(end([](auto) {
                auto fault = report(damaged());
                std::fputs("objects are destroyed\n", stderr);
                return fault;
              }),
              ExitedWithCode(3), "^program: the data are damaged\nobjects are destroyed\n$");
}

TEST(ProgramDeathTest, WhatATerminalObeysIsVisibleInAFault) {
  EXPECT_EXIT(end([](auto) -> std::optional<Fault> {
                return Fault{ExitCode::kUsage, {ErrorCode::kInvalid, "first \x1b[2J\x7f\nsecond \u009b"}};
              }),
              ExitedWithCode(2), "^program: first <U.001B>.2J<U.007F>\nsecond <U.009B>\n$");
}

TEST(ProgramDeathTest, AnExceptionIsAFault) {
  EXPECT_EXIT(end([](auto) -> std::optional<Fault> { throw std::runtime_error("no threads left"); }),
              ExitedWithCode(1), "^program: no threads left\n$");
}

TEST(ProgramDeathTest, AReaderThatClosesThePipeIsAFaultWithoutALine) {
  EXPECT_EXIT(end([](auto) {
                prepare_service();  // else SIGPIPE ends the process
                int pipe[2];
                if (::pipe(pipe) != 0 || ::dup2(pipe[1], STDOUT_FILENO) < 0) std::abort();
                ::close(pipe[0]);
                return print("lines\n");
              }),
              ExitedWithCode(1), "^$");
}

}  // namespace
}  // namespace statmill
