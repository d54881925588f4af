// Reporter: a thread that periodically sends a program's counts to a statmill server or agent, as lines of
// the statmill protocol.
//
//   std::string error;
//   const auto reporter = statmill::Reporter::start({.address = "udp:127.0.0.1:8111"}, error);
//
// A counter is sent as an event with what was added since the last report ("*http.requests;code=200 17"), and
// omitted if that is nothing; a gauge as a gauge; a MaxGauge as the highest value of the interval; a
// histogram as a distribution with what was added to its sum and buckets ("%http.latency_ns h5 61000 327:2
// 329:1"). Counts that the kernel did not accept are sent again with the next report.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "statmill/registry.h"

namespace statmill {

struct ReporterOptions {
  // "udp:HOST:PORT", "tcp:HOST:PORT" or "unix:PATH" (a datagram socket). HOST may be "[::1]".
  std::string address = "udp:127.0.0.1:8111";
  std::chrono::milliseconds interval{10'000};  // at least 10 ms
  Registry* registry = nullptr;                // must outlive the reporter; null: the process's
};

// Thread-safe. A child of fork() has no reporter; it may start its own.
class Reporter {
 public:
  struct Stats {
    uint64_t reports = 0;   // sent completely
    uint64_t lines = 0;     // sent
    uint64_t failures = 0;  // reports that were not sent, or only in part
  };

  // Starts the thread. Returns null if the options are invalid, with the reason in `error`. Throws
  // std::system_error if no thread can be started. Does not check that anything listens at the address: a
  // program runs without its statistics, too. Failures to send only count in stats().
  static std::unique_ptr<Reporter> start(const ReporterOptions& options, std::string& error);
  // Sends a last report and stops the thread. Each step takes at most two seconds: finishing a report that is
  // under way, connecting to each address of the host, sending. Looking up a host name takes as long as the
  // system allows.
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // Sends a report now. Returns false if it was not sent completely.
  bool report();
  Stats stats() const;

 private:
  class Impl;
  explicit Reporter(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace statmill
