// Verdict<Reason>: whether something that a stranger sent is accepted, or the reason why it is refused.
//
// Status and Result report failures of the environment (a disk, a peer, the configuration), with a message. A
// Verdict is about input: its reason is an enumerator that the caller counts, so it needs no allocation.
//   if (const auto verdict = read_name(text); verdict.is_refused()) return verdict;
#pragma once

#include <optional>

#include "base/check.h"

namespace statmill {

struct Accepted {};
inline constexpr Accepted kAccepted;  // converts to any Verdict

// There is no conversion to bool, since true could mean either.
template <class Reason>
class [[nodiscard]] Verdict {
 public:
  constexpr Verdict(Accepted) {}                         // NOLINT(google-explicit-constructor): for `return`
  constexpr Verdict(Reason reason) : reason_(reason) {}  // NOLINT(google-explicit-constructor): for `return`

  constexpr bool is_accepted() const { return !reason_.has_value(); }
  constexpr bool is_refused() const { return reason_.has_value(); }
  // Requires: is_refused().
  constexpr Reason reason() const {
    SM_CHECK(is_refused());
    return *reason_;
  }

  friend constexpr bool operator==(const Verdict&, const Verdict&) = default;

 private:
  std::optional<Reason> reason_;
};

// Returns kAccepted if `condition` holds, else `reason`.
template <class Reason>
constexpr Verdict<Reason> accept_if(bool condition, Reason reason) {
  return condition ? Verdict<Reason>(kAccepted) : Verdict<Reason>(reason);
}

}  // namespace statmill
