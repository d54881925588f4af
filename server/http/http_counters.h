// HttpCounters: the HTTP server's own metrics. Labels come from fixed lists, never from input.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "server/http/http_refusal.h"
#include "statmill/registry.h"

namespace statmill {

// Thread-safe.
class HttpCounters {
 public:
  // `registry` must outlive it.
  explicit HttpCounters(Registry& registry);

  // Counts answers by status. Requires: the server uses this status.
  Counter& requests(unsigned status);
  Counter& refused(HttpRefusal refusal) { return *refused_[static_cast<size_t>(refusal)]; }

  Gauge& connections;
  Counter& handler_failures;
  Counter& accept_failures;

 private:
  std::vector<std::pair<unsigned, Counter*>> requests_;
  std::array<Counter*, kHttpRefusalCount> refused_;
};

}  // namespace statmill
