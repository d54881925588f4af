// Window: the buckets of one series that are not in the store yet, as the bytes of their entries.
//
// A slot of a gauge takes one or two bytes where a bucket takes 64. Samples come mostly in order: the newest
// bucket is coded again as it grows, older ones stand; what comes for an older slot goes to a short list of
// its own. A value: copying copies the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/codec.h"
#include "storage/entry.h"

namespace statmill {

class Window {
 public:
  Window() = default;
  Window(const Window& other);
  Window(Window&& other) noexcept { swap(other); }
  Window& operator=(Window other) noexcept {
    swap(other);
    return *this;
  }
  void swap(Window& other) noexcept;

  // Adds a partial bucket. `journal`, unless null, gets the entry that add_entry() turns into the same.
  void add(const SlotBucket& bucket, Combine combine, std::string* journal);
  // Replays an entry from the journal; gives its slot. None when the bytes are no entry; then nothing has
  // changed.
  std::optional<Slot> add_entry(Reader& in, Combine combine);

  bool is_empty() const { return size_ == 0; }
  // Ascending, each slot once.
  std::vector<SlotBucket> buckets(Combine combine) const;
  size_t memory_bytes() const;  // beside the object itself

 private:
  // Of the newest bucket; as constructed when the window is empty.
  EntryReference newest_reference() const;
  void put(const SlotBucket& bucket, std::string_view entry, const EntryReference& reference,
           Combine combine);
  std::string_view newest_entry() const { return {bytes_.get() + last_, size_ - last_}; }
  void append(std::string_view entry);

  EntryReference before() const { return {before_slot_, before_mean_, before_scale_}; }
  void set_before(const EntryReference& reference);

  std::unique_ptr<char[]> bytes_;
  std::unique_ptr<std::vector<SlotBucket>> late_;  // for slots below the newest; ascending
  // What the newest entry is told against: an EntryReference, cut up so that a window takes 48 bytes.
  Slot before_slot_ = 0;
  int64_t before_mean_ = 0;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
  uint32_t last_ = 0;  // where the newest entry begins
  int8_t before_scale_ = 0;
};
static_assert(sizeof(Window) == 48);  // each series has one

}  // namespace statmill
