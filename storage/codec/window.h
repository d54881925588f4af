// Window: the buckets of one series that are not in the store yet, as the bytes of their entries.
//
// A slot of a gauge takes one or two bytes where a bucket takes 48. Samples come mostly in order: a newest
// bucket that grows stays open, behind the entries, and is coded once a later slot comes; what comes for an
// older slot goes to a short list of its own. The histograms of a distribution are kept beside. A value:
// copying copies the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/codec/codec.h"
#include "storage/codec/entry.h"
#include "storage/codec/histogram_window.h"

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

  // Adds a partial bucket, and the histogram of its samples, where there is one. `journal`, unless null, gets
  // the entry that add_entry() turns into the same.
  void add(const SlotBucket& bucket, Combine combine, std::string* journal,
           const SparseHistogram* histogram = nullptr);
  // Replays an entry from the journal; gives its slot. None when the bytes are no entry; then nothing has
  // changed.
  std::optional<Slot> add_entry(Reader& in, Combine combine);

  // Asks for the memory that add() begins with.
  void prefetch() const {
    const char* const end = bytes_.get() + size_;
    __builtin_prefetch(end, 1);
    // By its number: there may be nothing behind the entries.
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(end) + sizeof(Open) - 1), 1);
  }

  bool is_empty() const { return size_ == 0 && !is_open_; }
  // Codes what is newest, if that is not done yet. Of a window without histograms the memory stays the same.
  void close();
  // All that buckets() gives, as it stands in RAM; none when some came late. Valid until a change. Requires:
  // nothing was added since close().
  struct Run {
    Slot first = 0;  // of the first entry, which like that of any window is told against no bucket
    Slot last = 0;
    std::string_view entries;  // ascending, each slot once
  };
  std::optional<Run> run() const;
  // Ascending, each slot once.
  std::vector<SlotBucket> buckets(Combine combine) const;
  // Null: there are none.
  const HistogramWindow* histograms() const {
    return more_ && !more_->histograms.is_empty() ? &more_->histograms : nullptr;
  }
  size_t memory_bytes() const;  // beside the object itself

 private:
  // A newest bucket that has grown, or may soon. Stands in bytes_ behind the entries, at the next multiple of
  // its alignment.
  struct Open {
    EntryReference before;  // what its entry is to be told against
    Bucket bucket;
  };

  // Of the newest bucket; as constructed when the window is empty.
  EntryReference newest() const { return {newest_slot_, newest_mean_, newest_scale_}; }
  void set_newest(const EntryReference& newest);
  // What the newest entry is told against. Requires: it is coded.
  EntryReference before_newest() const;
  std::optional<Slot> add_bucket_entry(Reader& in, Combine combine);
  // An entry told against the newest bucket, in a later slot, which `reference` is of.
  void append(std::string_view entry, const EntryReference& reference);
  // What is not coded at once.
  void add_many(const SlotBucket& bucket, bool is_later, Combine combine);
  // The newest bucket, which stays open from now on. Requires: not empty.
  Open& open_newest();
  Open& open_behind(const Open& open);  // Requires: none is open
  Open& open();                         // Requires: is_open_
  const Open& open() const { return const_cast<Window&>(*this).open(); }
  void reserve(size_t size);  // Requires: none is open

  // What few windows have.
  struct More {
    std::vector<SlotBucket> late;  // for slots below the newest; ascending
    HistogramWindow histograms;
  };
  More& more();

  std::unique_ptr<char[]> bytes_;
  std::unique_ptr<More> more_;
  // What the next entry is told against: an EntryReference, cut up so that a window takes 48 bytes.
  Slot newest_slot_ = 0;
  int64_t newest_mean_ = 0;
  uint32_t size_ = 0;  // of the entries
  uint32_t capacity_ = 0;
  uint32_t last_ = 0;  // where the newest entry begins; of no use while the newest bucket is open
  int8_t newest_scale_ = 0;
  bool is_open_ = false;
};
static_assert(sizeof(Window) == 48);  // each series has one

}  // namespace statmill
