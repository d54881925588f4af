// LargestExemplar: the largest value that was recorded with a text since it was last read, such as the
// slowest request with the id of its trace.
#pragma once

#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace statmill {

struct RecordedExemplar {
  uint64_t value = 0;
  int64_t time_ms = 0;  // unix time
  std::string labels;   // as they were given

  bool operator==(const RecordedExemplar&) const = default;
};

// Thread-safe and async-signal-safe, but for read(). Nobody waits: what comes while another thread writes or
// reads is left out.
class LargestExemplar {
 public:
  static constexpr size_t kTextBytesMax = 160;

  // `labels` are words `label=value` with blanks between them, in which what a word cannot have is written as
  // %XX. A text that is empty or longer than kTextBytesMax is left out. Cost: one load, unless the value is
  // the largest since the last read: then it reads the clock and copies the text, 40 ns.
  void offer(uint64_t value, std::string_view labels) noexcept {
    if (value < least_.load(std::memory_order_relaxed) || labels.empty() || labels.size() > kTextBytesMax)
      return;
    if (is_busy_.exchange(true, std::memory_order_acquire)) return;
    if (size_ == 0 || value > value_) {
      timespec now{};
      ::clock_gettime(CLOCK_REALTIME, &now);
      time_ms_ = static_cast<int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
      value_ = value;
      size_ = labels.size();
      std::copy(labels.begin(), labels.end(), text_.begin());
      least_.store(value + 1, std::memory_order_relaxed);
    }
    is_busy_.store(false, std::memory_order_release);
  }

  // Returns the largest since the last call with `resets`; nullopt if there was none, or if another thread
  // writes one at this moment.
  std::optional<RecordedExemplar> read(bool resets) {
    if (is_busy_.exchange(true, std::memory_order_acquire)) return std::nullopt;
    std::optional<RecordedExemplar> out;
    if (size_ > 0) out = {value_, time_ms_, std::string(text_.data(), size_)};
    if (resets) {
      size_ = 0;
      least_.store(0, std::memory_order_relaxed);
    }
    is_busy_.store(false, std::memory_order_release);
    return out;
  }

 private:
  // A smaller value cannot be the largest. offer() reads this hint without the flag, so it is relaxed.
  std::atomic<uint64_t> least_{0};
  // Acquired before the fields below are used, and released after. Any thread that finds it set gives up.
  std::atomic<bool> is_busy_{false};
  uint64_t value_ = 0;
  int64_t time_ms_ = 0;
  size_t size_ = 0;  // 0: there is none
  std::array<char, kTextBytesMax> text_{};
};

}  // namespace statmill
