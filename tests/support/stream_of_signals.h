// Stops a program by many signals.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "tests/support/process.h"

namespace statmill {

// Sends SIGTERM again and again during the first half second of the stop, and waits for the end. Succeeds if
// the status is 0, or if it is 1 after a second or more: on a machine that is busy for so long, a signal may
// come late enough to count as a second one.
inline testing::AssertionResult ends_cleanly_by_a_stream_of_signals(Process& process) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [start] { return std::chrono::steady_clock::now() - start; };
  std::optional<int> status;
  while (!(status = process.wait(std::chrono::seconds(0))) && elapsed() < std::chrono::milliseconds(500))
    process.signal_if_running(SIGTERM);
  if (!status) status = process.wait();
  if (status == 0 || (status == 1 && elapsed() >= std::chrono::seconds(1)))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "status " << status.value_or(-1000) << "\n"
                                     << process.standard_error();
}

}  // namespace statmill
