// NameTable: the names of one shape, as rows of tokens. Names have the same shape if their paths have the
// same number of parts and their tags the same keys.
//
// A column holds the tokens of one part or key, in segments of 65,536 rows. A token takes 1, 2 or 4 bytes,
// as the largest one of the segment needs. A name costs its tokens and a bit; the texts of the tokens are in
// dictionaries that the tables share.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/names/retired_memory.h"
#include "server/names/token_dictionary.h"

namespace statmill {

using Token = TokenDictionary::Token;

// Up to kRowsMax rows of a table. Rows that are published never change but for their bits.
class NameSegment {
 public:
  static constexpr uint32_t kRowsMax = 65536;

  // `widths` are the bytes of a token of each column.
  NameSegment(uint32_t capacity, std::vector<uint8_t> widths);

  uint32_t capacity() const { return capacity_; }
  Token token(size_t column, uint32_t row) const;
  // Calls `with(tokens)` with the column as an array of uint8_t, uint16_t or uint32_t.
  template <class With>
  auto with_column(size_t column, With with) const {
    const char* const at = bytes_.get() + offsets_[column];
    if (widths_[column] == 1) return with(reinterpret_cast<const uint8_t*>(at));
    if (widths_[column] == 2) return with(reinterpret_cast<const uint16_t*>(at));
    return with(reinterpret_cast<const uint32_t*>(at));
  }
  // Bit i is set if row 64 * word + i is removed.
  uint64_t removed(uint32_t word) const { return bits(word).load(std::memory_order_acquire); }
  bool is_removed(uint32_t row) const { return (removed(row / 64) >> (row % 64) & 1) != 0; }

  // For the writer.
  bool fits(std::span<const Token> tokens) const;
  void set(uint32_t row, std::span<const Token> tokens);
  void remove(uint32_t row) {
    bits(row / 64).store(removed(row / 64) | uint64_t{1} << (row % 64), std::memory_order_release);
  }
  // Copies the first `rows` rows of another segment, whose tokens must fit.
  void copy(const NameSegment& other, uint32_t rows);
  size_t ram_bytes() const { return size_ + sizeof(*this) + offsets_.size() * (sizeof(size_t) + 1); }
  std::span<const uint8_t> widths() const { return widths_; }

 private:
  // Atomic, because readers may read the bits of rows that the writer removes.
  std::atomic_ref<uint64_t> bits(uint32_t word) const {
    return std::atomic_ref(reinterpret_cast<uint64_t*>(bytes_.get())[word]);
  }

  const uint32_t capacity_;
  const std::vector<uint8_t> widths_;
  std::vector<size_t> offsets_;  // of the columns
  size_t size_ = 0;
  std::unique_ptr<char[]> bytes_;  // bits | columns
};

// One writer; any number of readers, which hold a pin of the RetiredMemory.
class NameTable {
 public:
  // The first `parts` columns are the parts of the path, the others the values of `keys`, ascending.
  // `retired` and the dictionaries must outlive the table.
  NameTable(uint32_t parts, std::vector<std::string> keys, std::vector<TokenDictionary*> columns,
            RetiredMemory& retired);

  uint32_t parts() const { return parts_; }
  const std::vector<std::string>& keys() const { return keys_; }  // as stored
  size_t column_count() const { return columns_.size(); }
  const TokenDictionary& dictionary(size_t column) const { return *columns_[column]; }
  TokenDictionary& dictionary(size_t column) { return *columns_[column]; }  // for the writer
  // The text of a name before the token of the column: nothing, `.` or `;key=`.
  const std::string& separator(size_t column) const { return separators_[column]; }

  // Rows below this are complete.
  uint32_t row_count() const { return row_count_.load(std::memory_order_acquire); }
  // The segment of rows that begins at row 65,536 * index. Requires: a row of it is below row_count().
  const NameSegment& segment(uint32_t index) const { return *slot(index).load(); }
  const NameSegment& segment_of(uint32_t row) const { return segment(row / NameSegment::kRowsMax); }
  Token token(size_t column, uint32_t row) const {
    return segment_of(row).token(column, row % NameSegment::kRowsMax);
  }
  std::string_view text(size_t column, uint32_t row) const {
    return columns_[column]->text(token(column, row));
  }
  void append_name(uint32_t row, std::string& out) const;
  void append_path(uint32_t row, std::string& out) const;

  // Returns whether the row is this name.
  bool is_named(uint32_t row, std::string_view name) const;

  // For the writer.
  uint32_t add(std::span<const Token> tokens);
  // Returns the token of a text in a column; adds it to the dictionary if it is new. Texts are mostly those
  // of the row before, which is found without the dictionary.
  Token intern(size_t column, std::string_view text);
  // Returns false if the row was removed before.
  bool remove(uint32_t row);
  // Moves a row to the next one that is not removed, which may be itself. Returns false if there is none yet.
  bool skip_removed(uint32_t& row) const;
  size_t ram_bytes() const { return ram_bytes_.load(std::memory_order_relaxed); }

 private:
  using Slot = std::atomic<NameSegment*>;
  Slot& slot(uint32_t index) const {
    const auto chunk = static_cast<size_t>(std::bit_width(index + 1U)) - 1;
    return directory_[chunk][index + 1 - (1U << chunk)];
  }
  void append(size_t columns, uint32_t row, std::string& out) const;
  void replace_segment(uint32_t index, uint32_t rows, uint32_t capacity, std::span<const Token> tokens);

  const uint32_t parts_;
  const std::vector<std::string> keys_;
  const std::vector<TokenDictionary*> columns_;
  std::vector<std::string> separators_;
  RetiredMemory& retired_;
  std::atomic<uint32_t> row_count_{0};  // released by the writer, acquired by readers
  // Chunk k has 2^k segments. Each chunk is written once, before the rows are published that need it.
  std::array<std::unique_ptr<Slot[]>, 17> directory_;
  std::vector<std::unique_ptr<NameSegment>> segments_;  // used by the writer only
  std::vector<Token> last_;                             // the last row; used by the writer only
  std::atomic<size_t> ram_bytes_{0};                    // for metrics: relaxed
};

}  // namespace statmill
