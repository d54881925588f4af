// QueryEngine: names and a range in, merged buckets out; the road back (design: plan, pieces in RAM, chunks,
// merge to the output step).
#pragma once

#include "base/clock.h"
#include "base/glob.h"
#include "base/result.h"
#include "server/query/query.h"

namespace statmill {

class Store;
class Table;

// Thread-safe; holds no lock during I/O.
class QueryEngine {
 public:
  // All must outlive it.
  QueryEngine(const Table& table, Store& store, QueryLimits limits)
      : table_(table), store_(store), limits_(limits) {}

  // Errors: kInvalid (range, step), kNotFound (a plain name that does not exist; a glob may match nothing),
  // kLimit (too many series or points), kBusy (series kept being deleted, renamed or flushed meanwhile), kIo
  // and kCorrupt from the store.
  Result<QueryAnswer> run(const QueryRequest& request, Timestamp now) const;

  // Series that match, by name, at most `limit`.
  SeriesPage list(const Glob& glob, size_t limit) const;

 private:
  Result<QueryAnswer> attempt(const QueryRequest& request, Timestamp now) const;

  const Table& table_;
  Store& store_;
  const QueryLimits limits_;
};

}  // namespace statmill
