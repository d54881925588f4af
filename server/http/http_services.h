// HttpServices: everything that the HTTP handlers use from the rest of the server.
//
// The composition root supplies the functions; tests supply fakes. All of them must be thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/glob.h"
#include "base/result.h"
#include "proto/sample.h"
#include "server/health.h"
#include "server/query/query.h"
#include "statmill/registry.h"

namespace statmill {

// The outcome of the samples of one request: received == accepted + sum of refused.
struct LinesAccount {
  uint64_t received = 0;
  uint64_t accepted = 0;
  std::array<uint64_t, kRefusalCount> refused{};
};

struct HttpServices {
  // QueryEngine::run.
  std::function<Result<QueryAnswer>(const QueryRequest& request, Timestamp now)> query;
  // QueryEngine::list.
  std::function<SeriesPage(const Glob& match, size_t limit)> list;
  // Parses line protocol and hands it to the Intake under the listener "http".
  std::function<LinesAccount(std::string_view text, Timestamp now)> take_lines;
  // The whole answer of /api/v1/status: one JSON object.
  std::function<std::string()> status_json;
  // The whole answer of /api/v1/status/rejects.
  std::function<std::string()> rejects_json;
  // The whole answer of /api/v1/status/cardinality, for prefixes of so many parts.
  std::function<std::string(size_t parts)> cardinality_json;

  // The whole answer of /api/v1/status/agents.
  std::function<std::string()> agents_json;
  // Watchdog::makes_progress.
  std::function<bool()> makes_progress;

  // Must outlive the HTTP server.
  Registry& registry;
  const Health& health;
  const Clock& clock;
};

}  // namespace statmill
