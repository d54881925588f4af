// Queries: the interface for reading series, which QueryEngine implements. The HTTP handlers use it, so that
// their tests need no table and no store.
#pragma once

#include "base/clock.h"
#include "base/glob.h"
#include "base/result.h"
#include "server/query/query.h"

namespace statmill {

// Thread-safe.
class Queries {
 public:
  virtual ~Queries() = default;
  virtual Result<QueryAnswer> run(const QueryRequest& request, Timestamp now) const = 0;
  virtual SeriesPage list(const Glob& glob, size_t limit) const = 0;
};

}  // namespace statmill
