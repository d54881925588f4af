// RuleSource and RuleSink: where rules read, and where what they record goes. The server implements them;
// tests have their own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/promql/ast.h"
#include "server/query/labels.h"
#include "server/query/query.h"

namespace statmill::rules {

struct RuleSample {
  SeriesLabels labels;
  AnswerNumber value;
};

class RuleSource {
 public:
  virtual ~RuleSource() = default;
  // Evaluates an expression at one time. `text` is the expression, for the log of slow queries. Errors:
  // those of the query; kInvalid: the result has histograms, or is a text.
  virtual Result<std::vector<RuleSample>> evaluate(const promql::SyntaxTree& tree, std::string_view text,
                                                   Timestamp at, Duration timeout) = 0;
  // Cancels the evaluation that is under way, and all further ones. Thread-safe.
  virtual void stop() {}
};

struct RecordedSample {
  std::string name;  // canonical
  AnswerNumber value;
};

class RuleSink {
 public:
  virtual ~RuleSink() = default;
  // Adds gauges to the slot that ends at `at`, or has it inside, so that a query at that time finds them.
  // Errors: kInvalid: some were refused, with the reasons; the others are added.
  virtual Status record(std::span<const RecordedSample> samples, Timestamp at) = 0;
  // The series has no more samples: a query at `at` or later does not find its last one.
  virtual void end(std::span<const std::string> names, Timestamp at) = 0;
};

// The time of samples that are recorded at `at`.
inline int64_t recorded_time_s(Timestamp at) { return unix_seconds(at - Duration(1)); }

}  // namespace statmill::rules
