// The labels of stored names, without their escapes; and NameTest: whether a name satisfies matchers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/result.h"
#include "server/names/label_matcher.h"
#include "server/names/value_test.h"

namespace statmill {

using NameLabels = std::vector<std::pair<std::string, std::string>>;  // label and value, ascending

// Returns n of `__n00n__`, the label of a part of the path; nullopt for other labels.
std::optional<size_t> part_number(std::string_view label);

// The path is `__name__`.
NameLabels labels_of_name(std::string_view name);
// The inverse. Empty if no name can have these labels.
std::string name_of_labels(const NameLabels& labels);

// Thread-safe.
class NameTest {
 public:
  // Errors: kInvalid (a regular expression or a glob), kLimit.
  static Result<NameTest> parse(std::span<const LabelMatcher> matchers);

  // `labels`: those of the name. Cost: up to 1 us for a name with nine labels.
  bool accepts(std::string_view name, const NameLabels& labels) const;
  // A glob that all accepted names match; the longest prefix that the matchers of `__name__` give.
  const Glob& prefilter() const { return prefilter_; }

 private:
  explicit NameTest(Glob prefilter) : prefilter_(std::move(prefilter)) {}

  struct Condition {
    std::string label;
    ValueTest test;
  };
  std::vector<Condition> conditions_;
  std::vector<Glob> globs_;  // over whole names
  Glob prefilter_;
};

}  // namespace statmill
