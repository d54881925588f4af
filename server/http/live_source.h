// LiveSource: where sessions get the bytes of live streams (POST /api/v1/live), which server/live makes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Bytes of one stream that its client has not read yet. A stream whose client leaves more than this and one
// event is cut: one event alone may have more, such as the first slots of a thousand series.
inline constexpr size_t kLiveBufferBytesMax = size_t{256} << 10;

// One stream. Thread-safe. It ends when its session releases it.
class LiveFeed {
 public:
  virtual ~LiveFeed() = default;
  // Returns the bytes that came since the last call; may be empty.
  virtual std::string take() = 0;
  // Returns true if the stream has ended because its client was too slow; then no bytes follow.
  virtual bool is_cut() const = 0;
};

// Thread-safe.
class LiveSource {
 public:
  virtual ~LiveSource() = default;
  // Opens a stream of what the JSON body asks for. `wake` is called, on any thread, after bytes came or the
  // stream was cut; it must not block. Errors: kInvalid (the body), kLimit (too many series), kUnavailable
  // (too many streams).
  virtual Result<std::shared_ptr<LiveFeed>> open(std::string_view body, std::function<void()> wake) = 0;
};

}  // namespace statmill
