// Reporter: a thread that sends what a program counts to a statmill server or agent, as lines of its
// protocol.
//
//   std::string error;
//   const auto reporter = statmill::Reporter::start({.address = "udp:127.0.0.1:8111"}, error);
//
// Counters go out as events ("*http.requests;code=200 17": what was added since the last report, none when it
// is nothing), gauges as gauges, a MaxGauge as the highest of the interval, histograms as distributions
// ("%http.latency_ns h5 61000 327:2 329:1": what was added to the sum and to which buckets). Counts that could
// not be handed to the kernel are in the next report.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "statmill/registry.h"

namespace statmill {

struct ReporterOptions {
  // "udp:HOST:PORT", "tcp:HOST:PORT" ("[::1]" is a host too) or "unix:PATH", a datagram socket.
  std::string address = "udp:127.0.0.1:8111";
  std::chrono::milliseconds interval{10'000};  // >= 10
  Registry* registry = nullptr;                // null: that of the process; must outlive the reporter
};

// A child of fork() has no reporter: it starts its own.
class Reporter {
 public:
  struct Stats {
    uint64_t reports = 0;   // that were sent whole
    uint64_t lines = 0;     // sent
    uint64_t failures = 0;  // reports that were not sent, or not whole
  };

  // None when the options are wrong, which `error` says. Whether someone listens shows in failures alone: a
  // program runs without its statistics.
  static std::unique_ptr<Reporter> start(const ReporterOptions& options, std::string& error);
  // Sends a last report and ends. Each step waits two seconds at most: a report under way, connecting to each
  // address of the host, sending. Looking up a name takes what the system allows it.
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // Sends a report now. False: it was not sent whole.
  bool report();
  Stats stats() const;

 private:
  class Impl;
  explicit Reporter(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace statmill
