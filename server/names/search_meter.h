// SearchMeter: decides when a search asks whether it is cancelled: by the work of its tests, since a text may
// cost 50 ns or, with a large regular expression, 2 ms.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "server/names/value_test.h"

namespace statmill {

// Confined to one thread.
class SearchMeter {
 public:
  using IsCancelled = std::function<bool()>;

  // Counts a test of this text, before it is made. Returns false if the search is cancelled, which it asks
  // about every millisecond or two.
  bool allows(const ValueTest& test, std::string_view text, const IsCancelled& is_cancelled) {
    work_ += test.work_of(text);
    if (work_ < kWorkPerCheck) return true;
    work_ = 0;
    return !is_cancelled || !is_cancelled();
  }

 private:
  static constexpr size_t kWorkPerCheck = size_t{1} << 20;

  size_t work_ = 0;  // since the last check
};

}  // namespace statmill
