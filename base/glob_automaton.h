// GlobAutomaton: matches texts that come in pieces against a glob. The state after one piece is a small
// number, so the result for a piece that occurs in many texts is computed once.
//
// It simulates all alternatives of the glob at once, one bit per unit, and remembers the transitions that it
// has computed: a deterministic automaton that is built as far as it is used.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/text_map.h"

namespace statmill {

// One thread at a time may use it.
class GlobAutomaton {
 public:
  using State = uint32_t;
  static constexpr State kDead = 0;     // nothing that follows can match
  static constexpr State kAll = 1;      // everything that follows matches
  static constexpr State kTooMany = 2;  // there are too many states: match the whole text by the glob
  static constexpr State kStart = 3;
  static constexpr size_t kStatesMax = 4096;  // 4 MiB at most

  explicit GlobAutomaton(const Glob& glob);

  // Returns the state after `text` in that state. Cost: 1 to 2 ns per byte, and for each byte that is new in
  // its state up to 1 ns per 64 units of the glob.
  State step(State state, std::string_view text);
  // Returns true if a text that ends in this state matches. Requires: not kTooMany.
  bool accepts(State state) const { return accepts_[state]; }

 private:
  using Bits = std::vector<uint64_t>;  // bit i: the units before unit i are matched
  void add_alternative(const GlobAlternative& alternative, size_t at);
  State next(State state, uint8_t byte_class);
  State state_of(Bits bits);

  size_t words_ = 0;
  Bits stars_;               // the bits that any byte keeps
  Bits ends_;                // the bit after the last unit of each alternative
  Bits begins_;              // the first bit of each alternative
  std::vector<Bits> masks_;  // indexed by class of bytes: the units that match it
  std::array<uint8_t, 256> class_of_{};
  size_t classes_ = 0;
  std::vector<Bits> bits_;  // indexed by state
  std::vector<bool> accepts_;
  std::vector<State> next_;  // [state * classes_ + class]; kUnknown until it is needed
  TextMap<State> states_;    // keyed by the bytes of their bits
};

}  // namespace statmill
