// LabelView: a label, or an attribute, as it was sent.
#pragma once

#include <string_view>

namespace statmill {

struct LabelView {
  std::string_view name;  // any bytes, as is the value
  std::string_view value;
  bool operator==(const LabelView&) const = default;
};

}  // namespace statmill
