// Window: the buckets of one series that are not in the store yet, as the bytes of their entries.
//
// A slot of a gauge takes one or two bytes, while a Bucket takes 48. Samples arrive mostly in order: a newest
// bucket with many samples stays open, stored after the entries, and is encoded when a later slot arrives;
// what arrives for older slots goes to a list. Histograms of distributions are kept separately. A value
// type: copying copies the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/codec/codec.h"
#include "storage/codec/entry.h"
#include "storage/codec/histogram_window.h"
#include "storage/codec/late_items.h"
#include "storage/slot_columns.h"

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

  // Adds a partial bucket, and the histogram of its samples if it has one. Appends to `journal`, unless null,
  // the entry from which add_entry() reproduces the change.
  void add(const SlotBucket& bucket, Combine combine, std::string* journal,
           const SparseHistogram* histogram = nullptr);
  // Replays an entry from the journal and returns its slot. Returns nullopt, and changes nothing, if the
  // bytes are not a valid entry.
  std::optional<Slot> add_entry(Reader& in, Combine combine);

  // Prefetches the memory that add() touches first.
  void prefetch() const {
    const char* const end = bytes_.get() + size_;
    __builtin_prefetch(end, 1);
    if (!is_open_) return;
    // As an integer, since there may be nothing after the entries.
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is never dereferenced
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(end) + sizeof(Open) - 1), 1);
  }

  bool is_empty() const { return size_ == 0 && !is_open_; }
  // Encodes the newest bucket, if that is not done yet. Without histograms, memory_bytes() stays the same.
  void close();
  // The content of buckets() as encoded in RAM; nullopt if some arrived late. Valid until the next change.
  // Requires: nothing added since close().
  struct Run {
    Slot first = 0;  // of the first entry, which is encoded relative to a default EntryReference
    Slot last = 0;
    std::string_view entries;  // ascending, each slot once
  };
  std::optional<Run> run() const;
  // The oldest slot that has data. Requires: not empty. Cost: decodes one entry.
  Slot oldest_slot() const;
  // The newest one. Requires: not empty.
  Slot newest_slot() const { return newest_slot_; }
  // Ascending, each slot once.
  std::vector<SlotBucket> buckets(Combine combine) const;
  // Adds the buckets, and the histograms if out.parts has them, that lie in the range of `out`.
  void add_to(SlotColumns& out, Combine combine) const;
  // Returns null if there are none.
  const HistogramWindow* histograms() const {
    return more_ && !more_->histograms.is_empty() ? &more_->histograms : nullptr;
  }
  size_t memory_bytes() const {  // on the heap
    const size_t bytes = capacity_ + marks_bytes(capacity_);
    return more_ ? bytes + more_bytes() : bytes;
  }

 private:
  // A newest bucket that has many samples or may get them. Stored in bytes_ after the entries, at the next
  // multiple of its alignment.
  struct Open {
    EntryReference before;  // its entry will be relative to this
    Bucket bucket;
  };

  // The reference of the next entry; default constructed if the window is empty.
  EntryReference newest() const { return {newest_slot_, newest_mean_, newest_scale_}; }
  void set_newest(const EntryReference& newest);
  // The reference of the newest entry. Requires: the newest bucket is encoded.
  EntryReference before_newest() const;
  std::optional<Slot> add_bucket_entry(Reader& in, Combine combine);
  // Adds a bucket of one sample in the slot after the newest, as nearly all are. Returns false, and changes
  // nothing, if it is none, or of another scale.
  bool add_next(const SlotBucket& bucket, std::string* journal);
  // Closes the newest bucket, and appends an encoded entry in a later slot; `reference` is that of the next
  // entry.
  void append(std::string_view entry, const EntryReference& reference);
  // The same if no bucket is open; `before` is the reference of the entry.
  void append_closed(std::string_view entry, const EntryReference& before, const EntryReference& reference);
  // Adds a bucket that is not encoded at once.
  void add_many(const SlotBucket& bucket, bool is_later, Combine combine);
  // Returns the newest bucket, which stays open from now on. Requires: not empty.
  Open& open_newest();
  Open& add_open(const Open& open);  // Requires: none is open
  Open& open();                      // Requires: is_open_
  const Open& open() const { return const_cast<Window&>(*this).open(); }
  void reserve(size_t size);  // Requires: none is open

  // Where decoding may begin. Large windows have marks of their last entries, after the capacity for entries,
  // so that a reader of the last minute need not decode an hour.
  struct Mark {
    Slot slot = 0;  // the reference of the entry that begins at `offset`
    int64_t mean = 0;
    uint32_t offset = 0;
    int8_t scale = 0;
  };
  static constexpr size_t kMarksMax = 4;
  static constexpr size_t kMarkBytes = 128;   // of entries, from one mark to the next
  static constexpr size_t kMarkedFrom = 512;  // capacity
  static constexpr size_t marks_bytes(size_t capacity) {
    return capacity < kMarkedFrom ? 0 : kMarksMax * sizeof(Mark);
  }
  // Newest first. Requires: the capacity has marks.
  Mark* marks() const { return reinterpret_cast<Mark*>(bytes_.get() + capacity_); }
  void add_mark(const EntryReference& reference);
  // Returns a mark before which all entries are in slots below `begin`; that of the first entry if no other
  // is known.
  Mark mark_before(Slot begin) const;

  // Members that few windows need.
  struct More {
    LateItems<SlotBucket> late;  // for slots below the newest
    HistogramWindow histograms;
  };
  More& more();
  size_t more_bytes() const;  // Requires: more_ is not null

  std::unique_ptr<char[]> bytes_;
  std::unique_ptr<More> more_;
  // The reference of the next entry, cut up so that a Window takes 48 bytes.
  Slot newest_slot_ = 0;
  int64_t newest_mean_ = 0;
  uint32_t size_ = 0;  // bytes of the entries
  uint32_t capacity_ = 0;
  uint32_t last_ = 0;  // where the newest entry begins; unspecified while the newest bucket is open
  int8_t newest_scale_ = 0;
  bool is_open_ = false;
  uint8_t mark_count_ = 0;
};
static_assert(sizeof(Window) == 48);  // each series has one

}  // namespace statmill
