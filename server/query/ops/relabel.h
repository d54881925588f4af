// The labels that label_replace() and label_join() give, and the order of sort_by_label().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/query/plan/nodes.h"

namespace re2 {
class RE2;
}

namespace statmill {

// Compiled once for all series. Not copyable.
class LabelReplacement {
 public:
  // `node` must outlive this. Errors: kInvalid for the regular expression.
  static Result<LabelReplacement> of(const plan::LabelReplace& node);
  LabelReplacement(LabelReplacement&&) noexcept;
  ~LabelReplacement();

  void apply(SeriesLabels& labels) const;

 private:
  LabelReplacement(const plan::LabelReplace& node, std::unique_ptr<re2::RE2> regex);
  const plan::LabelReplace* node_;
  std::unique_ptr<re2::RE2> regex_;
};

// Errors: kInvalid for a regular expression that RE2 does not accept: "error parsing regexp: ...".
Status check_regex(const std::string& regex);

void join_labels(SeriesLabels& labels, const plan::LabelJoin& node);

// Numbers in texts are compared by value: "a2" is before "a10".
bool is_naturally_before(std::string_view a, std::string_view b);

}  // namespace statmill
