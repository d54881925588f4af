// See window.h.
#include "storage/window.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr size_t kEntriesExpected = 64;  // a flush's worth of slots

// Sizes that malloc has blocks for: 24 and on by 16, growing by half.
uint32_t capacity_for(size_t size, uint32_t capacity) {
  const size_t wanted = std::max(size, size_t{capacity} + capacity / 2);
  SM_CHECK(wanted < UINT32_MAX - 32);
  return static_cast<uint32_t>((std::max<size_t>(wanted, 24) + 7) / 16 * 16 + 8);
}

}  // namespace

Window::Window(const Window& other)
    : before_slot_(other.before_slot_),
      before_mean_(other.before_mean_),
      size_(other.size_),
      capacity_(other.size_),
      last_(other.last_),
      before_scale_(other.before_scale_) {
  if (other.late_) late_ = std::make_unique<std::vector<SlotBucket>>(*other.late_);
  if (size_ == 0) return;
  bytes_.reset(new char[size_]);
  std::memcpy(bytes_.get(), other.bytes_.get(), size_);
}

void Window::swap(Window& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(late_, other.late_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(last_, other.last_);
  std::swap(before_slot_, other.before_slot_);
  std::swap(before_mean_, other.before_mean_);
  std::swap(before_scale_, other.before_scale_);
}

void Window::set_before(const EntryReference& reference) {
  before_slot_ = reference.slot;
  before_mean_ = reference.mean;
  before_scale_ = reference.scale;
}

EntryReference Window::newest_reference() const {
  return is_empty() ? EntryReference{} : reference_after(newest_entry(), before());
}

void Window::add(const SlotBucket& bucket, Combine combine, std::string* journal) {
  const EntryReference reference = newest_reference();
  std::string entry;
  const SlotBucket told = as_told(reference, bucket);  // what a replay would add
  encode_entry(entry, reference, told);
  if (journal != nullptr) *journal += entry;
  put(told, entry, reference, combine);
}

std::optional<Slot> Window::add_entry(Reader& in, Combine combine) {
  const EntryReference reference = newest_reference();
  const std::string_view rest = in.rest();
  const auto bucket = decode_entry(in, reference);
  if (!bucket) return std::nullopt;
  put(*bucket, rest.substr(0, rest.size() - in.remaining()), reference, combine);
  return bucket->slot;
}

// `entry` is the bucket told against the newest one, which `reference` is of.
void Window::put(const SlotBucket& bucket, std::string_view entry, const EntryReference& reference,
                 Combine combine) {
  if (is_empty() || bucket.slot > reference.slot) {
    set_before(reference);
    last_ = size_;
    return append(entry);
  }
  if (bucket.slot < reference.slot) {
    if (!late_) late_ = std::make_unique<std::vector<SlotBucket>>();
    return combine_into(*late_, {&bucket, 1}, combine);
  }
  Reader in(newest_entry());
  auto newest = decode_entry(in, before());
  SM_CHECK(newest.has_value());
  combine == Combine::kAddEvents ? newest->bucket.add_event(bucket.bucket)
                                 : newest->bucket.merge(bucket.bucket);
  std::string grown;
  encode_entry(grown, before(), *newest);
  size_ = last_;
  append(grown);
}

void Window::append(std::string_view entry) {
  const size_t size = size_ + entry.size();
  if (size > capacity_) {
    const uint32_t capacity = capacity_for(size, capacity_);
    std::unique_ptr<char[]> grown(new char[capacity]);
    if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }
  std::memcpy(bytes_.get() + size_, entry.data(), entry.size());
  size_ = static_cast<uint32_t>(size);
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
    reference = EntryReference::of(*bucket);
  }
  if (late_) combine_into(out, *late_, combine);
  return out;
}

size_t Window::memory_bytes() const {
  size_t bytes = capacity_;
  if (late_) bytes += sizeof(*late_) + late_->capacity() * sizeof(SlotBucket);
  return bytes;
}

}  // namespace statmill
