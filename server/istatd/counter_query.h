// CounterQuery: what a request about counters asks: GET of a name, and POST to /*.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/http/url.h"
#include "server/istatd/counter_range.h"

namespace statmill::istatd {

inline constexpr size_t kCounterKeysMax = 1000;

struct CounterQuery {
  AskedRange range;  // without defaults
  bool is_trailing = false;
  bool is_csv = false;  // of one counter
};
// Parses start, end, samples, format and trailing; ignores others. Errors: kInvalid, in istatd's words.
Result<CounterQuery> parse_counter_query(const Url& url);

struct CountersQuery {
  AskedRange range;
  bool is_trailing = false;
  bool is_compact = false;        // rows are arrays
  std::vector<std::string> keys;  // each once
};
// Parses {"start":0,"stop":0,"keys":["a"],"maxSamples":100,"trailing":0,"compact":false}; only `keys` is
// required. Errors: kInvalid, in istatd's words; kLimit (kCounterKeysMax).
Result<CountersQuery> parse_counters_query(std::string_view body);

}  // namespace statmill::istatd
