// ScrapeOptions: which targets are scraped, and what a scrape may cost.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"

namespace statmill {

struct ScrapeOptions {
  std::vector<std::string> files;                   // --scrape.targets
  Duration interval = std::chrono::seconds(10);     // --scrape.interval, of targets that say none
  Duration timeout = std::chrono::seconds(10);      // --scrape.timeout; never longer than the interval
  size_t body_bytes_max = size_t{64} << 20;         // --scrape.body_bytes: of one answer
  size_t all_bodies_bytes_max = size_t{256} << 20;  // --scrape.all_body_bytes: of all that are in RAM
  size_t connections_max = 100;                     // --scrape.connections: open at the same time
  std::string authority;                            // --scrape.authority: PEM, for https; empty: the system's

  bool is_on() const { return !files.empty(); }
  size_t descriptors() const { return is_on() ? connections_max : 0; }
};

// In all files together.
inline constexpr size_t kScrapeTargetsMax = 10'000;
inline constexpr size_t kScrapeFileBytesMax = size_t{16} << 20;

}  // namespace statmill
