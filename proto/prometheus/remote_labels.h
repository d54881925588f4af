// RemoteLabels: the labels of one series of remote_write.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "proto/label_view.h"

namespace statmill {

// How many labels of a series are passed on; a series with more has no name here.
inline constexpr size_t kRemoteLabelsMax = 128;

// Views into the message. Used again for many series, since it takes 4 KiB.
class RemoteLabels {
 public:
  void clear() { count_ = 0; }
  void add(LabelView label) {
    if (count_ < labels_.size()) labels_[count_] = label;
    ++count_;
  }
  // Replaces the labels by those among the fields of a series of 1.0. Errors: kInvalid.
  Status read(std::string_view fields);
  // The first kRemoteLabelsMax.
  std::span<const LabelView> all() const {
    return std::span(labels_).first(std::min(count_, labels_.size()));
  }
  bool has_all() const { return count_ <= labels_.size(); }

 private:
  std::array<LabelView, kRemoteLabelsMax> labels_;
  size_t count_ = 0;
};

// Returns how many of the first bytes of a series of 1.0 are whole fields of labels.
size_t size_of_labels(std::string_view series);

// Reads a label of either version's exemplars, and of a series of 1.0. Returns false if it is damaged.
bool read_remote_label(std::string_view bytes, LabelView& label);

}  // namespace statmill
