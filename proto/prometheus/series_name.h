// The canonical name of a series that comes with labels.
#pragma once

#include <span>
#include <string_view>

#include "base/verdict.h"
#include "proto/batch.h"
#include "proto/prometheus/labels_name.h"

namespace statmill {

// Compares the name of a label with one that most labels of its length differ from in their first byte.
inline bool is_label(const LabelView& label, std::string_view name) {
  return label.name.size() == name.size() && !name.empty() && label.name.front() == name.front() &&
         label.name == name;
}

// Sets `name`, which `batch` keeps. Refuses with kEmptyName (no __name__), kBadName (a label without a name,
// or a hidden character), kDuplicateTag, kTagLimit and kNameTooLong. Cost: about 1 ns for each byte if the
// labels ascend and need no escapes, as nearly all do; otherwise some allocations.
Verdict<Refusal> read_series_name(std::span<const LabelView> labels, Batch& batch, std::string_view& name);

}  // namespace statmill
