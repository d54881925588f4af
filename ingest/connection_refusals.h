// ConnectionRefusals: counts the connections that a port closes at once, by reason.
#pragma once

#include <array>
#include <string_view>

#include "base/net/session_limit.h"
#include "statmill/registry.h"

namespace statmill {

// Thread-safe.
class ConnectionRefusals {
 public:
  // Makes the counters `name`, each with `labels` and its reason. `registry` must outlive this.
  ConnectionRefusals(Registry& registry, std::string_view name, const Help& help, const Labels& labels);

  void add(ConnectionRefusal why) const { counters_[static_cast<size_t>(why)]->add(); }

 private:
  std::array<Counter*, kConnectionRefusalCount> counters_{};
};

}  // namespace statmill
