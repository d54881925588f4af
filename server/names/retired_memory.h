// RetiredMemory: keeps arrays that a writer has replaced until no reader can use them any more.
//
// A reader holds a Pin while it uses what it found through a pointer of the structure. The writer stores the
// new pointer, then retires the old array; it is freed at a moment at which no reader holds a pin. All loads
// and stores of such pointers are sequentially consistent: a reader that pins after the writer has seen no
// pin then finds the new pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace statmill {

// One writer; any number of readers.
class RetiredMemory {
 public:
  // Cost: two atomic additions.
  class Pin {
   public:
    explicit Pin(const RetiredMemory& memory) : memory_(memory) { memory_.readers_.fetch_add(1); }
    ~Pin() { memory_.readers_.fetch_sub(1); }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    const RetiredMemory& memory_;
  };

  // For the writer. Requires: readers that pin from now on cannot find `old`.
  template <class T>
  void retire(std::unique_ptr<T> old) {
    if (old == nullptr) return;
    kept_.push_back(std::shared_ptr<void>(std::shared_ptr<T>(std::move(old))));
    reclaim();
  }
  // Frees what was retired, if no reader holds a pin.
  void reclaim() {
    if (!kept_.empty() && readers_.load() == 0) kept_.clear();
  }

 private:
  mutable std::atomic<uint32_t> readers_{0};  // pins; sequentially consistent, see above
  std::vector<std::shared_ptr<void>> kept_;   // used by the writer only
};

}  // namespace statmill
