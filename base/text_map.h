// Hash tables of texts that strangers may choose: a sender, a client of HTTP, or a series' name in a query.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/process_hash.h"

namespace statmill {

// Searched by string_view, too.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return process_hash()(text); }
};

template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

}  // namespace statmill
