#include "server/names/name_table.h"

#include <algorithm>

#include "base/check.h"

namespace statmill {
namespace {

constexpr uint32_t kRowsMin = 16;

uint8_t width_of(Token token) {
  if (token < 256) return 1;
  return token < 65536 ? 2 : 4;
}

}  // namespace

NameSegment::NameSegment(uint32_t capacity, std::vector<uint8_t> widths)
    : capacity_(capacity), widths_(std::move(widths)) {
  const size_t bits_size = (capacity_ + 63) / 64 * sizeof(uint64_t);
  size_ = bits_size;
  // The widest columns come first, so that each is aligned.
  offsets_.resize(widths_.size());
  for (const uint8_t width : {uint8_t{4}, uint8_t{2}, uint8_t{1}}) {
    for (size_t c = 0; c < widths_.size(); ++c) {
      if (widths_[c] != width) continue;
      offsets_[c] = size_;
      size_ += size_t{capacity_} * width;
    }
  }
  bytes_ = std::make_unique_for_overwrite<char[]>(size_);
  std::memset(bytes_.get(), 0, bits_size);
}

Token NameSegment::token(size_t column, uint32_t row) const {
  return with_column(column, [row](const auto* tokens) { return Token{tokens[row]}; });
}

bool NameSegment::fits(std::span<const Token> tokens) const {
  for (size_t c = 0; c < tokens.size(); ++c) {
    if (width_of(tokens[c]) > widths_[c]) return false;
  }
  return true;
}

void NameSegment::set(uint32_t row, std::span<const Token> tokens) {
  for (size_t c = 0; c < tokens.size(); ++c) {
    char* const at = bytes_.get() + offsets_[c];
    if (widths_[c] == 1) reinterpret_cast<uint8_t*>(at)[row] = static_cast<uint8_t>(tokens[c]);
    if (widths_[c] == 2) reinterpret_cast<uint16_t*>(at)[row] = static_cast<uint16_t>(tokens[c]);
    if (widths_[c] == 4) reinterpret_cast<uint32_t*>(at)[row] = tokens[c];
  }
}

void NameSegment::copy(const NameSegment& other, uint32_t rows) {
  for (uint32_t word = 0; word < (rows + 63) / 64; ++word)
    bits(word).store(other.removed(word), std::memory_order_relaxed);
  for (size_t c = 0; c < widths_.size(); ++c) {
    char* const at = bytes_.get() + offsets_[c];
    other.with_column(c, [&](const auto* from) {
      if (widths_[c] == other.widths_[c]) std::memcpy(at, from, size_t{rows} * widths_[c]);
      if (widths_[c] <= other.widths_[c]) return;
      if (widths_[c] == 2) std::copy(from, from + rows, reinterpret_cast<uint16_t*>(at));
      if (widths_[c] == 4) std::copy(from, from + rows, reinterpret_cast<uint32_t*>(at));
    });
  }
}

NameTable::NameTable(uint32_t parts, std::vector<std::string> keys, std::vector<TokenDictionary*> columns,
                     RetiredMemory& retired)
    : parts_(parts), keys_(std::move(keys)), columns_(std::move(columns)), retired_(retired) {
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (c >= parts_) {
      separators_.push_back(";" + keys_[c - parts_] + "=");
    } else {
      separators_.emplace_back(c == 0 ? "" : ".");
    }
  }
}

void NameTable::append_name(uint32_t row, std::string& out) const { append(columns_.size(), row, out); }

void NameTable::append_path(uint32_t row, std::string& out) const { append(parts_, row, out); }

void NameTable::append(size_t columns, uint32_t row, std::string& out) const {
  const NameSegment& segment = segment_of(row);
  for (size_t c = 0; c < columns; ++c) {
    const Token token = segment.token(c, row % NameSegment::kRowsMax);
    out.append(separators_[c]).append(columns_[c]->text(token));
  }
}

bool NameTable::is_named(uint32_t row, std::string_view name) const {
  const NameSegment& segment = segment_of(row);
  const auto skip = [&name](std::string_view text) {
    if (!name.starts_with(text)) return false;
    name.remove_prefix(text.size());
    return true;
  };
  for (size_t c = 0; c < columns_.size(); ++c) {
    const Token token = segment.token(c, row % NameSegment::kRowsMax);
    if (!skip(separators_[c]) || !skip(columns_[c]->text(token))) return false;
  }
  return name.empty();
}

Token NameTable::intern(size_t column, std::string_view text) {
  TokenDictionary& dictionary = *columns_[column];
  if (!last_.empty() && dictionary.text(last_[column]) == text) return last_[column];
  return dictionary.intern(text);
}

uint32_t NameTable::add(std::span<const Token> tokens) {
  last_.assign(tokens.begin(), tokens.end());
  const uint32_t row = row_count_.load(std::memory_order_relaxed);
  const uint32_t index = row / NameSegment::kRowsMax;
  const uint32_t inside = row % NameSegment::kRowsMax;
  if (index == segments_.size()) {
    if (std::has_single_bit(index + 1U))
      directory_[static_cast<size_t>(std::bit_width(index))] = std::make_unique<Slot[]>(index + 1);
    segments_.emplace_back();
    replace_segment(index, 0, index == 0 ? kRowsMin : NameSegment::kRowsMax, tokens);
  } else if (inside == segments_[index]->capacity()) {
    replace_segment(index, inside, 2 * inside, tokens);
  } else if (!segments_[index]->fits(tokens)) {
    replace_segment(index, inside, segments_[index]->capacity(), tokens);
  }
  segments_[index]->set(inside, tokens);
  row_count_.store(row + 1, std::memory_order_release);
  return row;
}

// Replaces a segment by one of that capacity which has room for the tokens, too.
void NameTable::replace_segment(uint32_t index, uint32_t rows, uint32_t capacity,
                                std::span<const Token> tokens) {
  std::unique_ptr<NameSegment>& place = segments_[index];
  std::vector<uint8_t> widths;
  for (size_t c = 0; c < tokens.size(); ++c) {
    // A large new segment will most likely get tokens of the whole dictionary.
    const Token largest = capacity == NameSegment::kRowsMax ? columns_[c]->count() - 1 : tokens[c];
    const uint8_t before = place == nullptr ? uint8_t{1} : place->widths()[c];
    widths.push_back(std::max({width_of(largest), width_of(tokens[c]), before}));
  }
  auto made = std::make_unique<NameSegment>(capacity, std::move(widths));
  if (rows > 0) made->copy(*place, rows);
  ram_bytes_.fetch_add(made->ram_bytes() - (place == nullptr ? 0 : place->ram_bytes()),
                       std::memory_order_relaxed);
  slot(index).store(made.get());
  place.swap(made);
  retired_.retire(std::move(made));
}

bool NameTable::skip_removed(uint32_t& row) const {
  const uint32_t rows = row_count_.load(std::memory_order_relaxed);
  while (row < rows && segment_of(row).is_removed(row % NameSegment::kRowsMax)) ++row;
  return row < rows;
}

bool NameTable::remove(uint32_t row) {
  NameSegment& segment = *segments_[row / NameSegment::kRowsMax];
  if (segment.is_removed(row % NameSegment::kRowsMax)) return false;
  segment.remove(row % NameSegment::kRowsMax);
  return true;
}

}  // namespace statmill
