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
    : newest_slot_(other.newest_slot_),
      newest_mean_(other.newest_mean_),
      size_(other.size_),
      capacity_(other.size_),
      last_(other.last_),
      newest_scale_(other.newest_scale_),
      is_open_(other.is_open_) {
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
  std::swap(newest_slot_, other.newest_slot_);
  std::swap(newest_mean_, other.newest_mean_);
  std::swap(newest_scale_, other.newest_scale_);
  std::swap(is_open_, other.is_open_);
}

EntryReference Window::before_newest() const {
  if (const auto before = reference_before(newest_bytes(), newest())) return *before;
  EntryReference reference;
  Reader in({bytes_.get(), last_});
  while (!in.done()) SM_CHECK(decode_entry(in, reference).has_value());
  return reference;
}

void Window::add(const SlotBucket& bucket, Combine combine, std::string* journal) {
  EntryReference reference = newest();
  const SlotBucket told = as_told(reference, bucket);  // what a replay would add
  const bool is_later = is_empty() || told.slot > reference.slot;
  const bool is_coded_now = is_later && told.bucket.count() == 1;
  std::string own;
  std::string& entries = journal != nullptr ? *journal : own;
  const size_t begin = entries.size();
  if (is_coded_now || journal != nullptr) encode_entry(entries, reference, told, Effort::kQuick);
  if (is_coded_now) {
    append(std::string_view(entries).substr(begin), reference);
  } else if (is_later) {
    append_open(told);
  } else {
    combine_older(told, combine);
  }
}

std::optional<Slot> Window::add_entry(Reader& in, Combine combine) {
  EntryReference reference = newest();
  const std::string_view rest = in.rest();
  const auto entry = [&] { return rest.substr(0, rest.size() - in.remaining()); };
  if (step_over_short_entry(in, reference)) {
    append(entry(), reference);
    return reference.slot;
  }
  const auto bucket = decode_entry(in, reference);
  if (!bucket) return std::nullopt;
  if (!is_empty() && bucket->slot <= newest_slot_) {
    combine_older(*bucket, combine);
  } else if (bucket->bucket.count() == 1) {
    append(entry(), reference);
  } else {
    append_open(*bucket);
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
  last_ = size_;
  put(entry);
  set_newest(reference);
}

void Window::append_open(const SlotBucket& bucket) {
  close();
  const Open open{newest(), bucket.bucket};
  last_ = size_;
  put({reinterpret_cast<const char*>(&open), sizeof(open)});
  is_open_ = true;
  set_newest(reference_of(bucket));
}

void Window::close() {
  if (!is_open_) return;
  Open open = opened();
  std::string entry;
  encode_entry(entry, open.before, {newest_slot_, open.bucket}, Effort::kSmall);
  SM_CHECK(entry.size() <= sizeof(open));
  size_ = last_;
  is_open_ = false;
  put(entry);
}

Window::Open Window::opened() const {
  Open open;
  if (is_open_) {
    std::memcpy(static_cast<void*>(&open), newest_bytes().data(), sizeof(open));
    return open;
  }
  open.before = before_newest();
  EntryReference reference = open.before;
  Reader in(newest_bytes());
  const auto newest = decode_entry(in, reference);
  SM_CHECK(newest.has_value());
  open.bucket = newest->bucket;
  return open;
}

void Window::combine_older(const SlotBucket& bucket, Combine combine) {
  if (bucket.slot < newest_slot_) {
    if (!late_) late_ = std::make_unique<std::vector<SlotBucket>>();
    return combine_into(*late_, {&bucket, 1}, combine);
  }
  Open open = opened();
  combine == Combine::kAddEvents ? open.bucket.add_event(bucket.bucket) : open.bucket.merge(bucket.bucket);
  size_ = last_;
  put({reinterpret_cast<const char*>(&open), sizeof(open)});
  is_open_ = true;
  set_newest(reference_of({newest_slot_, open.bucket}));
}

void Window::put(std::string_view bytes) {
  const size_t size = size_ + bytes.size();
  if (size > capacity_) {
    const uint32_t capacity = capacity_for(size, capacity_);
    std::unique_ptr<char[]> grown(new char[capacity]);
    if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }
  std::memcpy(bytes_.get() + size_, bytes.data(), bytes.size());
  size_ = static_cast<uint32_t>(size);
}

std::optional<Window::Run> Window::run() const {
  SM_CHECK(!is_open_);
  if (is_empty() || late_) return std::nullopt;
  const std::string_view entries(bytes_.get(), size_);
  return Run{reference_after(entries, {}).slot, newest_slot_, entries};
}

std::vector<SlotBucket> Window::buckets(Combine combine) const {
  std::vector<SlotBucket> out;
  out.reserve(std::min<size_t>(size_, kEntriesExpected));
  Reader in(std::string_view(bytes_.get(), is_open_ ? last_ : size_));
  EntryReference reference;
  while (!in.done()) {
    const auto bucket = decode_entry(in, reference);
    SM_CHECK(bucket.has_value());
    out.push_back(*bucket);
  }
  if (is_open_) out.push_back({newest_slot_, opened().bucket});
  if (late_) combine_into(out, *late_, combine);
  return out;
}

size_t Window::memory_bytes() const {
  size_t bytes = capacity_;
  if (late_) bytes += sizeof(*late_) + late_->capacity() * sizeof(SlotBucket);
  return bytes;
}

}  // namespace statmill
