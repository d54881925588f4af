// TokenDictionary: the distinct texts of one part of names (the n-th part of paths, or the values of one
// key), numbered from 0 in the order in which they came.
//
// A text costs its bytes and 13 more on average: 1 or 2 for its size, 1.5 of padding, 4 for its place and 5
// to 11 in a hash table.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/hash.h"
#include "server/names/retired_memory.h"

namespace statmill {

// One writer; any number of readers without a lock. Texts are never moved or removed.
class TokenDictionary {
 public:
  using Token = uint32_t;
  static constexpr Token kNone = 0xffffffff;

  // Both must outlive the dictionary.
  TokenDictionary(const KeyedHash& hash, RetiredMemory& retired) : hash_(hash), retired_(retired) {}
  TokenDictionary(const TokenDictionary&) = delete;
  TokenDictionary& operator=(const TokenDictionary&) = delete;

  // For the writer: returns the number of the text, which is added if it is new. Requires: at most
  // kNameBytesMax bytes, and less than 16 GiB in all.
  Token intern(std::string_view text);

  // For readers.
  // Tokens below this are complete.
  Token count() const { return count_.load(std::memory_order_acquire); }
  // Requires: `token` < count(). Valid as long as the dictionary.
  std::string_view text(Token token) const;
  // Returns kNone if there is no such text. Requires: a pin of the RetiredMemory is held.
  Token find(std::string_view text) const;
  // Calls `visit` with each token whose text contains the literal, ascending. Cost: 0.2 ns per byte of all
  // texts and 25 ns per token found, or 10 ns per token if most have it. Requires: `literal` is not empty.
  void for_each_with(std::string_view literal, const std::function<void(Token)>& visit) const;
  // Returns true if more than a quarter of some texts contain the literal. Cost: 1 us.
  bool is_frequent(std::string_view literal) const;
  // Returns true if any text has a %XX (proto/name_escapes.h). Valid for the tokens below an
  // earlier count().
  bool has_escapes() const { return has_escapes_.load(std::memory_order_relaxed); }
  size_t ram_bytes() const { return ram_bytes_.load(std::memory_order_relaxed); }

 private:
  // The lower `bits` bits of a slot are a token, the others a part of the hash of its text.
  struct Slots {
    explicit Slots(uint32_t of_bits)
        : bits(of_bits), entries(std::make_unique<std::atomic<uint32_t>[]>(size_t{1} << of_bits)) {
      for (size_t i = 0; i < size(); ++i) entries[i].store(kEmpty, std::memory_order_relaxed);
    }
    static constexpr uint32_t kEmpty = 0xffffffff;  // tokens are below 3/4 of the size
    size_t size() const { return size_t{1} << bits; }
    size_t mask() const { return size() - 1; }
    uint32_t tag(uint64_t hash) const {
      return static_cast<uint32_t>(hash >> 32) & ~static_cast<uint32_t>(mask());
    }
    Token token(uint32_t entry) const { return entry & static_cast<uint32_t>(mask()); }
    void put(uint64_t hash, Token token);

    const uint32_t bits;
    const std::unique_ptr<std::atomic<uint32_t>[]> entries;  // released by the writer, acquired by readers
  };
  // Arrays that never move: chunk k has kFirst << k elements and begins at element (2^k - 1) * kFirst.
  static constexpr size_t chunk_of(uint64_t index, uint64_t first) {
    return static_cast<size_t>(std::bit_width(index / first + 1)) - 1;
  }
  static constexpr uint64_t begin_of(size_t chunk, uint64_t first) {
    return ((uint64_t{1} << chunk) - 1) * first;
  }
  static constexpr uint64_t kPlacesFirst = 16;
  static constexpr uint64_t kTextFirst = 64;
  static constexpr uint64_t kUnit = 4;  // bytes; the places of texts are multiples of it
  static constexpr size_t kChunksMax = 29;

  uint32_t& place(Token token) const {
    const size_t chunk = chunk_of(token, kPlacesFirst);
    return places_[chunk][token - begin_of(chunk, kPlacesFirst)];
  }
  const char* text_at(uint64_t byte) const {
    const size_t chunk = chunk_of(byte, kTextFirst);
    return texts_[chunk].get() + (byte - begin_of(chunk, kTextFirst));
  }
  Token token_at(uint64_t byte, Token from, Token end) const;
  uint32_t add_text(std::string_view text);
  void grow_slots();
  void count_ram(size_t bytes) { ram_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  const KeyedHash& hash_;
  RetiredMemory& retired_;
  std::atomic<Slots*> slots_{nullptr};  // the writer replaces it; sequentially consistent, see RetiredMemory
  std::unique_ptr<Slots> own_slots_;    // used by the writer only
  // Each chunk is written once, before the count is released that needs it.
  std::array<std::unique_ptr<uint32_t[]>, kChunksMax> places_;
  std::array<std::unique_ptr<char[]>, kChunksMax> texts_;
  uint64_t text_end_ = 0;                 // used by the writer only
  std::atomic<Token> count_{0};           // released by the writer, acquired by readers
  std::atomic<bool> has_escapes_{false};  // written before the count of the token is released
  std::atomic<size_t> ram_bytes_{0};      // for metrics: relaxed
};

}  // namespace statmill
