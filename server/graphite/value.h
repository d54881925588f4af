// Value: an argument of a function of a target, or its result.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "server/graphite/series.h"

namespace statmill::graphite {

struct Number {
  double value = 0;
  bool is_integer = false;  // as it was written
};

using SeriesLists = std::vector<SeriesList>;

// std::monostate is none, or a missing argument.
using Value = std::variant<std::monostate, bool, Number, std::string, SeriesList, SeriesLists>;

// The bytes of its series.
size_t memory_bytes_of(const Value& value);

}  // namespace statmill::graphite
