// Interruption: makes Ctrl-C, SIGTERM and SIGHUP end a long command in order, instead of at once.
#pragma once

#include <array>
#include <csignal>
#include <stop_token>
#include <thread>

namespace statmill {

// While it exists, the first of these signals requests a stop; the second one ends the process. A signal that
// the process ignores stays ignored. At most one exists at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  void wait();

  std::stop_source stop_;
  std::array<struct sigaction, kSignals.size()> before_{};
  std::thread thread_;  // a handler may not request a stop itself
};

}  // namespace statmill
