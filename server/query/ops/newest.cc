#include "server/query/ops/newest.h"

#include <algorithm>

namespace statmill {
namespace {

// For windows of `length` elements that slide: window w ends with element `first` + w.
void copy_rows(const Presence& present, const std::vector<int64_t>& integers, size_t first, uint32_t length,
               Numbers& out) {
  const size_t end = first + out.size();
  for (size_t i = first; i < end;) {
    if (present[i]) {
      const size_t stop = std::min(present.next_absent(i), end);
      std::copy_n(integers.data() + i, stop - i, out.integers.data() + (i - first));
      out.present.set(i - first, stop - first);
      i = stop;
      continue;
    }
    const size_t stop = std::min(present.next(i), end);
    const size_t newest = present.previous(i);
    if (newest < i && newest + length > i) {
      const size_t last = std::min(stop, newest + length);
      std::fill_n(out.integers.data() + (i - first), last - i, integers[newest]);
      out.present.set(i - first, last - first);
    }
    i = stop;
  }
}

}  // namespace

std::optional<uint32_t> sliding_length(std::span<const SlotWindow> windows) {
  if (windows.size() < 2) return std::nullopt;
  const uint32_t first_end = windows.front().end;
  const uint32_t length = windows.back().end - windows.back().begin;
  if (first_end == 0 || length == 0) return std::nullopt;
  for (size_t w = 0; w < windows.size(); ++w) {
    const uint32_t end = first_end + static_cast<uint32_t>(w);
    if (windows[w].end != end || windows[w].begin != end - std::min(end, length)) return std::nullopt;
  }
  return length;
}

Numbers newest_integers(const Presence& present, const std::vector<int64_t>& integers, int8_t scale,
                        std::span<const SlotWindow> windows, std::optional<uint32_t> sliding) {
  Numbers out = Numbers::of_decimals(windows.size(), scale);
  if (sliding) {
    copy_rows(present, integers, windows.front().end - 1, *sliding, out);
    return out;
  }
  for_each_newest(present, windows, [&](size_t w, size_t element) {
    out.present.set(w);
    out.integers[w] = integers[element];
  });
  return out;
}

}  // namespace statmill
