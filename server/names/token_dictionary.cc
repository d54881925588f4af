#include "server/names/token_dictionary.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "proto/prometheus/labels_name.h"

namespace statmill {

void TokenDictionary::Slots::put(uint64_t hash, Token token) {
  size_t i = hash & mask();
  while (entries[i].load(std::memory_order_relaxed) != kEmpty) i = (i + 1) & mask();
  entries[i].store(tag(hash) | token, std::memory_order_release);
}

std::string_view TokenDictionary::text(Token token) const {
  const char* const at = text_at(uint64_t{place(token)} * kUnit);
  const auto low = static_cast<uint8_t>(at[0]);
  if (low < 128) return {at + 1, low};
  return {at + 2, low - 128 + size_t{static_cast<uint8_t>(at[1])} * 128};
}

TokenDictionary::Token TokenDictionary::find(std::string_view wanted) const {
  const Slots* const slots = slots_.load();
  if (slots == nullptr) return kNone;
  const uint64_t hash = hash_name(wanted);
  for (size_t i = hash & slots->mask();; i = (i + 1) & slots->mask()) {
    const uint32_t entry = slots->entries[i].load(std::memory_order_acquire);
    if (entry == Slots::kEmpty) return kNone;
    const Token token = slots->token(entry);
    if ((entry ^ token) == slots->tag(hash) && text(token) == wanted) return token;
  }
}

// Returns the token whose text is at a byte, by a galloping search. Requires: the byte is not before the text
// of `from`.
TokenDictionary::Token TokenDictionary::token_at(uint64_t byte, Token from, Token count) const {
  const auto is_before = [&](uint64_t token) {
    return token < count && uint64_t{place(static_cast<Token>(token))} * kUnit <= byte;
  };
  uint64_t token = from;
  uint64_t step = 1;
  for (; is_before(token + step); step *= 2) token += step;
  for (; step > 0; step /= 2) {
    if (is_before(token + step)) token += step;
  }
  return static_cast<Token>(token);
}

void TokenDictionary::for_each_with(const LiteralFinder& literal, Token count,
                                    const std::function<void(Token)>& candidate) const {
  if (count == 0) return;
  const std::string_view last = text(count - 1);
  const size_t last_chunk = chunk_of(uint64_t{place(count - 1)} * kUnit, kTextFirst);
  Token next = 0;  // tokens below this are done
  for (size_t chunk = 0; chunk <= last_chunk && next < count; ++chunk) {
    if (texts_[chunk] == nullptr) continue;  // its place was too small for a text
    const char* const bytes = texts_[chunk].get();
    const uint64_t first = begin_of(chunk, kTextFirst);
    // The writer may be at work after the last text.
    const size_t size =
        chunk < last_chunk ? kTextFirst << chunk : static_cast<size_t>(last.data() + last.size() - bytes);
    literal.for_each({bytes, size}, [&](size_t at) {
      const Token token = token_at(first + at, next == 0 ? 0 : next - 1, count);
      if (token < next) return true;
      next = token + 1;
      candidate(token);
      return true;
    });
  }
}

TokenDictionary::Token TokenDictionary::intern(std::string_view wanted) {
  const Token known = find(wanted);
  if (known != kNone) return known;
  const Token token = count_.load(std::memory_order_relaxed);
  if (own_slots_ == nullptr || 4 * (uint64_t{token} + 1) > 3 * own_slots_->size()) grow_slots();
  const size_t chunk = chunk_of(token, kPlacesFirst);
  if (places_[chunk] == nullptr) {
    places_[chunk] = std::make_unique_for_overwrite<uint32_t[]>(kPlacesFirst << chunk);
    count_ram((kPlacesFirst << chunk) * sizeof(uint32_t));
  }
  place(token) = add_text(wanted);
  if (has_escape(wanted)) has_escapes_.store(true, std::memory_order_relaxed);
  own_slots_->put(hash_name(wanted), token);
  count_.store(token + 1, std::memory_order_release);
  return token;
}

// Returns the place of the text in units.
uint32_t TokenDictionary::add_text(std::string_view text) {
  const size_t size = text.size() + (text.size() < 128 ? 1 : 2);
  size_t chunk = chunk_of(text_end_, kTextFirst);
  while (text_end_ + size > begin_of(chunk + 1, kTextFirst)) {
    const uint64_t end = begin_of(chunk + 1, kTextFirst);
    // A search reads these bytes, too.
    if (texts_[chunk] != nullptr)
      std::memset(texts_[chunk].get() + (text_end_ - begin_of(chunk, kTextFirst)), 0, end - text_end_);
    text_end_ = begin_of(++chunk, kTextFirst);
  }
  SM_CHECK(text_end_ / kUnit <= std::numeric_limits<uint32_t>::max());
  if (texts_[chunk] == nullptr) {
    texts_[chunk] = std::make_unique_for_overwrite<char[]>(kTextFirst << chunk);
    count_ram(kTextFirst << chunk);
  }
  char* at = texts_[chunk].get() + (text_end_ - begin_of(chunk, kTextFirst));
  const auto place = static_cast<uint32_t>(text_end_ / kUnit);
  const uint64_t padded = (size + kUnit - 1) / kUnit * kUnit;
  std::memset(at + padded - kUnit, 0, kUnit);
  text_end_ += padded;
  if (text.size() < 128) {
    *at++ = static_cast<char>(text.size());
  } else {
    *at++ = static_cast<char>(128 + text.size() % 128);
    *at++ = static_cast<char>(text.size() / 128);
  }
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  return place;
}

void TokenDictionary::grow_slots() {
  auto larger = std::make_unique<Slots>(own_slots_ == nullptr ? 4 : own_slots_->bits + 1);
  SM_CHECK(larger->bits < 32);
  const Token tokens = count_.load(std::memory_order_relaxed);
  for (Token token = 0; token < tokens; ++token) larger->put(hash_name(text(token)), token);
  count_ram((larger->size() - (own_slots_ == nullptr ? 0 : own_slots_->size())) * sizeof(uint32_t));
  slots_.store(larger.get());
  own_slots_.swap(larger);
  retired_.retire(std::move(larger));
}

}  // namespace statmill
