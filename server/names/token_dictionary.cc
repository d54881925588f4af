#include "server/names/token_dictionary.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "base/check.h"
#include "base/literal_finder.h"
#include "proto/name_escapes.h"

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
  const uint64_t hash = hash_(wanted);
  for (size_t i = hash & slots->mask();; i = (i + 1) & slots->mask()) {
    const uint32_t entry = slots->entries[i].load(std::memory_order_acquire);
    if (entry == Slots::kEmpty) return kNone;
    const Token token = slots->token(entry);
    if ((entry ^ token) == slots->tag(hash) && text(token) == wanted) return token;
  }
}

bool TokenDictionary::is_frequent(std::string_view literal) const {
  constexpr Token kTried = 64;
  const Token count = this->count();
  Token found = 0;
  for (Token i = 0; i < kTried && count > 0; ++i) {
    if (text(static_cast<Token>(uint64_t{count} * i / kTried)).find(literal) != std::string_view::npos)
      ++found;
  }
  return found > kTried / 4;
}

// Returns the last token of [from, end) whose text does not begin after a byte, by a galloping search.
// Requires: that of `from` does not.
TokenDictionary::Token TokenDictionary::token_at(uint64_t byte, Token from, Token end) const {
  const auto is_at = [&](uint64_t token) {
    return token < end && uint64_t{place(static_cast<Token>(token))} * kUnit <= byte;
  };
  uint64_t token = from;
  uint64_t step = 1;
  for (; is_at(token + step); step *= 2) token += step;
  for (; step > 0; step /= 2) {
    if (is_at(token + step)) token += step;
  }
  return static_cast<Token>(token);
}

void TokenDictionary::for_each_with(std::string_view literal, const std::function<void(Token)>& visit) const {
  const Token count = this->count();
  if (is_frequent(literal)) {
    for (Token token = 0; token < count; ++token) {
      if (text(token).find(literal) != std::string_view::npos) visit(token);
    }
    return;
  }
  const LiteralFinder finder{std::string(literal)};
  for (Token begin = 0; begin < count;) {
    const size_t chunk = chunk_of(uint64_t{place(begin)} * kUnit, kTextFirst);
    const uint64_t chunk_begin = begin_of(chunk, kTextFirst);
    const Token end = token_at(begin_of(chunk + 1, kTextFirst) - 1, begin, count) + 1;
    const char* const bytes = texts_[chunk].get();
    const std::string_view last = text(end - 1);
    const std::string_view all(bytes, static_cast<size_t>(last.data() + last.size() - bytes));
    Token token = begin;
    bool is_visited = false;
    // Also finds what is partly in the size of a text or after its end.
    finder.for_each(all, [&](size_t at) {
      const Token found = token_at(chunk_begin + at, token, end);
      is_visited = is_visited && found == token;
      token = found;
      const std::string_view text_found = text(token);
      const char* const hit = bytes + at;
      const bool is_inside =
          hit >= text_found.data() && hit + literal.size() <= text_found.data() + text_found.size();
      if (is_inside && !is_visited) visit(token);
      is_visited = is_visited || is_inside;
      return true;
    });
    begin = end;
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
  own_slots_->put(hash_(wanted), token);
  count_.store(token + 1, std::memory_order_release);
  return token;
}

// Returns the place of the text in units.
uint32_t TokenDictionary::add_text(std::string_view text) {
  const size_t size = text.size() + (text.size() < 128 ? 1 : 2);
  size_t chunk = chunk_of(text_end_, kTextFirst);
  while (text_end_ + size > begin_of(chunk + 1, kTextFirst)) text_end_ = begin_of(++chunk, kTextFirst);
  SM_CHECK(text_end_ / kUnit <= std::numeric_limits<uint32_t>::max());
  if (texts_[chunk] == nullptr) {
    texts_[chunk] = std::make_unique_for_overwrite<char[]>(kTextFirst << chunk);
    count_ram(kTextFirst << chunk);
  }
  char* at = texts_[chunk].get() + (text_end_ - begin_of(chunk, kTextFirst));
  const auto place = static_cast<uint32_t>(text_end_ / kUnit);
  text_end_ += (size + kUnit - 1) / kUnit * kUnit;
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
  for (Token token = 0; token < tokens; ++token) larger->put(hash_(text(token)), token);
  count_ram((larger->size() - (own_slots_ == nullptr ? 0 : own_slots_->size())) * sizeof(uint32_t));
  slots_.store(larger.get());
  own_slots_.swap(larger);
  retired_.retire(std::move(larger));
}

}  // namespace statmill
