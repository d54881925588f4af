// Labels and annotations as a JSON object.
#pragma once

#include <string>

#include "server/json.h"
#include "server/rules/template_value.h"

namespace statmill::rules {

inline void append_labels(std::string& out, const LabelMap& labels) {
  JsonObject object(out);
  for (const auto& [name, value] : labels) object.text(name, value);
}

}  // namespace statmill::rules
