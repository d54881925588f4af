#include "agent/relay/second_sums.h"

#include <algorithm>
#include <array>

#include "base/process_hash.h"

namespace statmill {
namespace {

void prefetch(const SecondSums::Sum& sum) {
  constexpr size_t kLine = 64;
  for (size_t at = 0; at < sizeof(sum); at += kLine)
    __builtin_prefetch(reinterpret_cast<const char*>(&sum) + at, 1);
}

}  // namespace

uint64_t SecondSums::hash_of(std::string_view name, Kind kind, int64_t time_s) {
  // Senders choose all of it, so all of it goes through the secret.
  const KeyedHash& hash = process_hash();
  const std::array<uint64_t, 2> key = {hash(name),
                                       static_cast<uint64_t>(time_s) * 4 + static_cast<uint64_t>(kind)};
  return hash({reinterpret_cast<const char*>(key.data()), sizeof(key)});
}

SecondSums::Sum* SecondSums::find(const Key& key) {
  for (size_t i = key.hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i] == 0) return nullptr;
    Sum& sum = at(slots_[i] - 1);
    if (sum.key.hash == key.hash && sum.key.time_s == key.time_s && sum.key.kind == key.kind &&
        sum.key.name == key.name) {
      return &sum;
    }
  }
}

size_t SecondSums::growth(size_t name_size) const {
  const size_t block = size_ == blocks_.size() * kBlock ? kBlockBytes : 0;
  const size_t slots = is_at_load() ? slots_.size() * 4 : 0;
  return block + slots + name_size + kCellsBytes;
}

void SecondSums::make(const Key& key, const Number& value, uint64_t weight) {
  if (is_at_load()) grow_slots();
  if (size_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<Sum[]>(kBlock));
  Sum& sum = at(size_);
  sum = {key, {}, 0, nullptr};
  sum.key.name = names_.keep(key.name);
  held_bytes_ += key.name.size();
  if (key.kind == Kind::kDistribution) {
    sum.cells = cells_.emplace_back(std::make_unique<std::vector<HistogramCell>>()).get();
    held_bytes_ += kCellsBytes;
  }
  restart(sum, value, weight);
  put(key.hash, static_cast<uint32_t>(++size_));
  constexpr size_t kAhead = 4;  // new names usually arrive together
  if (size_ + kAhead < blocks_.size() * kBlock) prefetch(at(size_ + kAhead));
}

bool SecondSums::add(Sum& sum, const Number& value, uint64_t weight) {
  if (sum.cells != nullptr && sum.cells->size() == kCellsMax) return false;
  if (!sum.sum.add(sum.key.kind, value, weight)) return false;
  if (sum.cells != nullptr) count_cell(*sum.cells, value, weight);
  ++sum.samples;
  return true;
}

void SecondSums::restart(Sum& sum, const Number& value, uint64_t weight) {
  sum.sum = SampleSum(sum.key.kind, value, weight);
  sum.samples = 1;
  if (sum.cells == nullptr) return;
  sum.cells->clear();
  count_cell(*sum.cells, value, weight);
}

void SecondSums::count_cell(std::vector<HistogramCell>& cells, const Number& value, uint64_t weight) {
  const HistogramIndex index = histogram_index(value.value());
  const auto it =
      std::lower_bound(cells.begin(), cells.end(), index,
                       [](const HistogramCell& cell, HistogramIndex i) { return cell.index < i; });
  if (it != cells.end() && it->index == index) {
    it->count += weight;
    return;
  }
  const size_t room_before = cells.capacity();
  cells.insert(it, {index, weight});
  held_bytes_ += (cells.capacity() - room_before) * sizeof(HistogramCell);
}

void SecondSums::for_each(const Write& write) const {
  constexpr size_t kAhead = 8;  // the sums are not in the cache: their loads overlap
  for (size_t i = 0; i < size_; ++i) {
    if (i + kAhead < size_) prefetch(at(i + kAhead));
    write(at(i));
  }
}

void SecondSums::clear() {
  if (size_ < blocks_.size() * kBlock / 8) {
    *this = SecondSums();
    return;
  }
  std::fill(slots_.begin(), slots_.end(), 0);
  cells_.clear();
  names_.clear();
  size_ = held_bytes_ = 0;
}

void SecondSums::put(uint64_t hash, uint32_t number_and_one) {
  size_t i = hash & (slots_.size() - 1);
  while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
  slots_[i] = number_and_one;
}

void SecondSums::grow_slots() {
  slots_.assign(2 * slots_.size(), 0);
  for (size_t i = 0; i < size_; ++i) put(at(i).key.hash, static_cast<uint32_t>(i + 1));
}

}  // namespace statmill
