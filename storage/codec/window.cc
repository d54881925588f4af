#include "storage/codec/window.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr size_t kEntriesExpected = 64;  // slots between two flushes

// Returns where an open bucket begins after `size` bytes of entries.
constexpr size_t open_begin(size_t size) { return (size + 7) / 8 * 8; }

// Returns a size for which malloc has blocks, 24 + 16 n; grows by half.
uint32_t capacity_for(size_t size, uint32_t capacity) {
  const size_t wanted = std::max(size, size_t{capacity} + capacity / 2);
  SM_CHECK(wanted < UINT32_MAX - 32);
  return static_cast<uint32_t>((std::max<size_t>(wanted, 24) + 7) / 16 * 16 + 8);
}

auto merge_with(Combine combine) {
  return
      [combine](SlotBucket& to, const SlotBucket& from) { combine_bucket(to.bucket, from.bucket, combine); };
}

}  // namespace

Window::Window(const Window& other)
    : newest_slot_(other.newest_slot_),
      newest_mean_(other.newest_mean_),
      size_(other.size_),
      last_(other.last_),
      newest_scale_(other.newest_scale_),
      is_open_(other.is_open_) {
  if (other.more_) more_ = std::make_unique<More>(*other.more_);
  capacity_ = static_cast<uint32_t>(open_begin(size_) + (is_open_ ? sizeof(Open) : 0));
  if (capacity_ == 0) return;
  bytes_.reset(new char[capacity_ + marks_bytes(capacity_)]);
  if (size_ > 0) std::memcpy(bytes_.get(), other.bytes_.get(), size_);
  if (is_open_) new (bytes_.get() + open_begin(size_)) Open(other.open());
  if (marks_bytes(capacity_) == 0 || other.mark_count_ == 0) return;
  mark_count_ = other.mark_count_;
  std::memcpy(marks(), other.marks(), mark_count_ * sizeof(Mark));
}

void Window::swap(Window& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(more_, other.more_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(last_, other.last_);
  std::swap(newest_slot_, other.newest_slot_);
  std::swap(newest_mean_, other.newest_mean_);
  std::swap(newest_scale_, other.newest_scale_);
  std::swap(is_open_, other.is_open_);
  std::swap(mark_count_, other.mark_count_);
}

EntryReference Window::before_newest() const {
  const std::string_view newest_entry(bytes_.get() + last_, size_ - last_);
  if (const auto before = reference_before(newest_entry, newest())) return *before;
  EntryReference reference;
  Reader in({bytes_.get(), last_});
  while (!in.done()) SM_CHECK(decode_entry(in, reference).has_value());
  return reference;
}

Window::More& Window::more() {
  if (!more_) more_ = std::make_unique<More>();
  return *more_;
}

bool Window::add_next(const SlotBucket& bucket, std::string* journal) {
  EntryReference reference = newest();
  const ShortEntry entry = encode_short_entry(reference, bucket);
  if (entry.size == 0) return false;
  const auto text = entry.text();
  append({text.data(), entry.size}, reference);
  if (journal != nullptr) journal->append(text.data(), entry.size);
  return true;
}

void Window::add(const SlotBucket& bucket, Combine combine, std::string* journal,
                 const SparseHistogram* histogram) {
  if (histogram != nullptr) {
    more().histograms.add(bucket.slot, *histogram);
    if (journal != nullptr) encode_entry_histogram(*journal, *histogram);
  }
  if (add_next(bucket, journal)) return;
  EntryReference reference = newest();
  const SlotBucket aligned = at_reference_scale(reference, bucket);  // as a replay would add it
  const bool is_later = is_empty() || aligned.slot > reference.slot;
  const bool is_coded_now = is_later && aligned.bucket.count() == 1;
  std::string own;
  std::string& entries = journal != nullptr ? *journal : own;
  const size_t begin = entries.size();
  if (is_coded_now || journal != nullptr) encode_entry(entries, reference, aligned, Effort::kQuick);
  if (is_coded_now) {
    append(std::string_view(entries).substr(begin), reference);
  } else {
    add_many(aligned, is_later, combine);
  }
}

std::optional<Slot> Window::add_entry(Reader& in, Combine combine) {
  if (!is_histogram_next(in)) return add_bucket_entry(in, combine);
  const auto histogram = decode_entry_histogram(in);
  const auto slot = histogram ? add_bucket_entry(in, combine) : std::nullopt;
  if (slot) more().histograms.add(*slot, *histogram);
  return slot;
}

std::optional<Slot> Window::add_bucket_entry(Reader& in, Combine combine) {
  EntryReference reference = newest();
  const std::string_view rest = in.rest();
  const auto entry = [&] { return rest.substr(0, rest.size() - in.remaining()); };
  if (step_over_short_entry(in, reference)) {
    append(entry(), reference);
    return reference.slot;
  }
  const auto bucket = decode_entry(in, reference);
  if (!bucket) return std::nullopt;
  const bool is_later = is_empty() || bucket->slot > newest_slot_;
  if (is_later && bucket->bucket.count() == 1) {
    append(entry(), reference);
  } else {
    add_many(*bucket, is_later, combine);
  }
  return bucket->slot;
}

void Window::set_newest(const EntryReference& newest) {
  newest_slot_ = newest.slot;
  newest_mean_ = newest.mean;
  newest_scale_ = newest.scale;
}

void Window::append(std::string_view entry, const EntryReference& reference) {
  close();
  append_closed(entry, newest(), reference);
}

void Window::append_closed(std::string_view entry, const EntryReference& before,
                           const EntryReference& reference) {
  reserve(size_ + entry.size());
  const bool is_at_mark = size_ / kMarkBytes != (size_ + entry.size()) / kMarkBytes;
  if (is_at_mark && capacity_ >= kMarkedFrom) add_mark(before);
  last_ = size_;
  std::memcpy(bytes_.get() + size_, entry.data(), entry.size());
  size_ += static_cast<uint32_t>(entry.size());
  set_newest(reference);
}

void Window::add_many(const SlotBucket& bucket, bool is_later, Combine combine) {
  if (is_later) {
    close();
    add_open({newest(), bucket.bucket});
    return set_newest(reference_of(bucket.slot, bucket.bucket));
  }
  if (bucket.slot < newest_slot_) return more().late.add(bucket, merge_with(combine));
  Bucket& newest = open_newest().bucket;
  combine == Combine::kAddEvents ? newest.add_event(bucket.bucket) : newest.merge(bucket.bucket);
  set_newest(reference_of(newest_slot_, newest));
}

Window::Open& Window::open_newest() {
  if (is_open_) return open();
  EntryReference reference = before_newest();
  const EntryReference before = reference;
  Reader in({bytes_.get() + last_, size_ - last_});
  const auto newest = decode_entry(in, reference);
  SM_CHECK(newest.has_value());
  size_ = last_;
  return add_open({before, newest->bucket});
}

Window::Open& Window::add_open(const Open& open) {
  reserve(open_begin(size_) + sizeof(Open));
  is_open_ = true;
  return *new (bytes_.get() + open_begin(size_)) Open(open);
}

Window::Open& Window::open() {
  return *std::launder(reinterpret_cast<Open*>(bytes_.get() + open_begin(size_)));
}

void Window::close() {
  if (more_) more_->histograms.close();
  if (!is_open_) return;
  const EntryReference before = open().before;
  EntryReference reference = before;
  std::string entry;
  encode_entry(entry, reference, {newest_slot_, open().bucket}, Effort::kSmall);
  SM_CHECK(entry.size() <= sizeof(Open));
  is_open_ = false;
  append_closed(entry, before, reference);
}

void Window::reserve(size_t size) {
  if (size <= capacity_) return;
  const uint32_t capacity = capacity_for(size, capacity_);
  std::unique_ptr<char[]> grown(new char[capacity + marks_bytes(capacity)]);
  if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
  if (mark_count_ > 0) std::memcpy(grown.get() + capacity, marks(), mark_count_ * sizeof(Mark));
  bytes_ = std::move(grown);
  capacity_ = capacity;
}

void Window::add_mark(const EntryReference& reference) {
  Mark* const all = marks();
  // The newest entry may be opened, and encoded again at the same place.
  if (mark_count_ == 0 || all[0].offset != size_) {
    mark_count_ = std::min<uint8_t>(mark_count_ + 1, kMarksMax);
    std::memmove(all + 1, all, (mark_count_ - 1U) * sizeof(Mark));
  }
  new (all) Mark{reference.slot, reference.mean, size_, reference.scale};
}

Window::Mark Window::mark_before(Slot begin) const {
  for (size_t i = 0; i < mark_count_; ++i) {
    if (marks()[i].slot < begin) return marks()[i];
  }
  return {};
}

std::optional<Window::Run> Window::run() const {
  SM_CHECK(!is_open_);
  if (is_empty() || (more_ && !more_->late.is_empty())) return std::nullopt;
  const std::string_view entries(bytes_.get(), size_);
  return Run{reference_after(entries, {}).slot, newest_slot_, entries};
}

std::vector<SlotBucket> Window::buckets(Combine combine) const {
  std::vector<SlotBucket> out;
  out.reserve(std::min<size_t>(size_, kEntriesExpected));
  Reader in(std::string_view(bytes_.get(), size_));
  EntryReference reference;
  while (!in.done()) {
    const auto bucket = decode_entry(in, reference);
    SM_CHECK(bucket.has_value());
    out.push_back(*bucket);
  }
  if (is_open_) out.push_back({newest_slot_, open().bucket});
  if (more_) combine_into(out, more_->late.ordered(merge_with(combine)), combine);
  return out;
}

void Window::add_to(SlotColumns& out, Combine combine) const {
  const Slot begin = out.begin;
  const Slot end = out.end();
  const auto is_inside = [=](Slot slot) { return slot >= begin && slot < end; };
  const auto add_bucket = [&](const SlotBucket& b) {
    if (is_inside(b.slot)) out.add(static_cast<size_t>(b.slot - begin), b.bucket, combine);
    return true;
  };
  const auto add_row = [&](const EntryRow& row) {
    const Slot first = std::clamp(row.first_slot, begin, end);
    const Slot last = std::clamp(row.first_slot + static_cast<Slot>(row.integers.size()), begin, end);
    if (first == last) return true;
    const auto inside =
        row.integers.subspan(static_cast<size_t>(first - row.first_slot), static_cast<size_t>(last - first));
    out.add_singles(static_cast<size_t>(first - begin), inside, row.scale, combine);
    return true;
  };
  const Mark from = mark_before(begin);
  const Reader entries({bytes_.get() + from.offset, size_ - from.offset});
  SM_CHECK(for_each_entry(entries, {from.slot, from.mean, from.scale}, add_row, add_bucket));
  if (is_open_) add_bucket({newest_slot_, open().bucket});
  if (!more_) return;
  for (const SlotBucket& b : more_->late.ordered(merge_with(combine))) add_bucket(b);
  if (!out.parts.histograms) return;
  merge_into(out.histograms, more_->histograms.histograms(begin, end));
}

Slot Window::oldest_slot() const {
  Slot oldest = size_ == 0 ? newest_slot_ : reference_after({bytes_.get(), size_}, {}).slot;
  if (more_ && !more_->late.is_empty()) oldest = std::min(oldest, more_->late.oldest_slot());
  return oldest;
}

size_t Window::more_bytes() const {
  return sizeof(More) + more_->late.capacity() * sizeof(SlotBucket) + more_->histograms.memory_bytes();
}

}  // namespace statmill
