// Family: all series of one path and kind, as the agent's collectors report them; the catalogue lists them
// all.
//
// A collector names a family by its path. A path that the catalogue lacks, or that has another kind, does
// not compile (catalogue.h).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "proto/sample.h"

namespace statmill {

// All texts are constants of the program.
struct Family {
  static constexpr size_t kTagKeysMax = 5;
  using TagKeys = std::array<std::string_view, kTagKeysMax>;

  std::string_view path;  // "host.block.bytes": lower case, without `;` and `%`
  Kind kind = Kind::kGauge;
  std::string_view unit{};           // "bytes", "ns", "percent", ...; empty: a plain count
  TagKeys tags{};                    // ascending; the first empty one ends them. Not each series has all
  std::string_view collector{};      // a name of --collectors, or "agent" if the agent reports about itself
  bool is_ebpf = false;              // served by eBPF only, as text cannot tell it
  std::string_view help{};           // one sentence
  std::string_view node_exporter{};  // its name there, or that of the nearest metric; empty if there is none
  std::string_view netdata{};
  std::string_view rezolus{};

  constexpr size_t tag_count() const {
    size_t count = 0;
    while (count < tags.size() && !tags[count].empty()) ++count;
    return count;
  }
};

}  // namespace statmill
