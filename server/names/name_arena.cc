#include "server/names/name_arena.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/literal_finder.h"
#include "proto/istatd/parser.h"

namespace statmill {
namespace {

// Names have no bytes below 33. Such a byte would only slow a search down.
constexpr char kSeparator = '\n';

// The lower bits of a number are the index in the block. A name takes at least 4 of the block's 32 KiB.
constexpr uint32_t kIndexBits = 13;
constexpr uint32_t kIndexMask = (1U << kIndexBits) - 1;
constexpr size_t kBlocksMax = size_t{1} << (32 - kIndexBits);

}  // namespace

// +----+------+----+------+----+-- free --+-------------------+
// | \n | name | \n | name | \n |          | ... begin 1, begin 0 |
// +----+------+----+------+----+----------+-------------------+
// Each name has an entry at the block's end, in reverse order: the offset where the name begins (15 bits) and
// whether it is dead. One more entry says where the next name will begin, so name i is
// [begin(i), begin(i + 1) - 1).
class NameArena::Block {
 public:
  Block() {
    bytes()[0] = kSeparator;
    set_entry(0, 1);
  }

  // The number of names; all of them are completely written.
  size_t count() const { return count_.load(std::memory_order_acquire); }
  size_t begin(size_t i) const { return entry(i) & ~kDead; }
  // Acquires, so a thread that sees a removal also sees what the writer did before it.
  bool is_dead(size_t i) const { return (word(i).load(std::memory_order_acquire) & kDead) != 0; }
  std::string_view name(size_t i) const { return {bytes() + begin(i), begin(i + 1) - begin(i) - 1}; }
  // The first `count` names and the separators around them.
  std::string_view text(size_t count) const { return {bytes(), begin(count)}; }

  // Returns the name that contains `position`, by a galloping search from name i on. Requires: `position` is
  // not before name i.
  size_t name_at(size_t position, size_t i, size_t count) const {
    size_t step = 1;
    for (; i + step < count && begin(i + step) <= position; step *= 2) i += step;
    for (; step > 0; step /= 2) {
      if (i + step < count && begin(i + step) <= position) i += step;
    }
    return i;
  }

  // For the writer.
  bool has_room(size_t size) const {
    const size_t entries = count() + 2;  // this name's, and the one after the last name's
    return begin(count()) + size + 1 + entries * sizeof(uint16_t) <= sizeof(words_);
  }
  void add(std::string_view name) {
    const size_t i = count();
    const size_t at = begin(i);
    std::memcpy(bytes() + at, name.data(), name.size());
    bytes()[at + name.size()] = kSeparator;
    set_entry(i + 1, at + name.size() + 1);
    count_.store(i + 1, std::memory_order_release);
  }
  void remove(size_t i) { word(i).store(static_cast<uint16_t>(begin(i) | kDead), std::memory_order_release); }

  // The next block, or nullptr. The writer releases it when it creates that block; searches acquire it.
  std::atomic<Block*> next{nullptr};

 private:
  static constexpr size_t kDead = 1 << 15;
  static constexpr size_t kWords = size_t{1} << 14;

  // Readers read the bytes of a name only after `count_` has published it. Entries are atomic because they
  // may be marked dead at any time.
  std::atomic_ref<uint16_t> word(size_t i) const { return std::atomic_ref(words_[kWords - 1 - i]); }
  size_t entry(size_t i) const { return word(i).load(std::memory_order_relaxed); }
  void set_entry(size_t i, size_t value) {
    word(i).store(static_cast<uint16_t>(value), std::memory_order_relaxed);
  }
  char* bytes() const { return reinterpret_cast<char*>(words_.data()); }

  std::atomic<size_t> count_{0};  // released by the writer, acquired by searches
  mutable std::array<uint16_t, kWords> words_;
};

// Finds the names that one alternative of a glob may match: it looks for the alternative's longest literal,
// together with the separator if the literal must be at an end of the name. Without a literal, every name is
// a candidate.
struct NameArena::Probe {
  explicit Probe(const GlobAlternative& of) : alternative(of) {
    const GlobLiteral literal = of.literal();
    if (literal.text.empty()) return;
    name_offset = literal.at_start ? 1 : 0;
    finder.emplace((literal.at_start ? std::string(1, kSeparator) : std::string()) + literal.text +
                   (literal.at_end ? std::string(1, kSeparator) : std::string()));
  }

  // Calls `candidate(i)` for each name of a block that may match, in ascending order, until it returns false.
  template <class Candidate>
  void for_each_candidate(const Block& block, size_t count, Candidate candidate) const {
    if (!finder) {
      for (size_t i = 0; i < count && candidate(i); ++i) continue;
      return;
    }
    size_t i = 0;
    size_t seen_until = 0;  // reports a name once, even if it contains the literal several times
    finder->for_each(block.text(count), [&](size_t at) {
      at += name_offset;
      if (at < seen_until) return true;
      i = block.name_at(at, i, count);
      seen_until = block.begin(i + 1) - 1;
      return candidate(i);
    });
  }

  const GlobAlternative& alternative;
  std::optional<LiteralFinder> finder;
  size_t name_offset = 0;  // from the beginning of what `finder` finds to the first byte of a name
};

NameArena::NameArena() = default;
NameArena::~NameArena() = default;

NameArena::Number NameArena::add(std::string_view name) {
  SM_CHECK(!name.empty() && name.size() <= kNameBytesMax);
  Block& block = block_for(name.size());
  const size_t index = block.count();
  block.add(name);
  return static_cast<Number>((block_count_.load(std::memory_order_relaxed) - 1) << kIndexBits | index);
}

// Returns the last block if it has room, else a new one.
NameArena::Block& NameArena::block_for(size_t size) {
  const size_t count = block_count_.load(std::memory_order_relaxed);
  if (count > 0 && slot(count - 1)->has_room(size)) return *slot(count - 1);
  SM_CHECK(count < kBlocksMax);
  if (std::has_single_bit(count + 1))
    blocks_[static_cast<size_t>(std::bit_width(count))] =
        std::make_unique<std::unique_ptr<Block>[]>(count + 1);
  slot(count) = std::make_unique<Block>();
  Block* const made = slot(count).get();
  (count == 0 ? first_ : slot(count - 1)->next).store(made, std::memory_order_release);
  block_count_.store(count + 1, std::memory_order_relaxed);
  return *made;
}

bool NameArena::remove(Number number) {
  Block& block = *slot(number >> kIndexBits);
  const size_t i = number & kIndexMask;
  if (block.is_dead(i)) return false;
  block.remove(i);
  dead_bytes_.fetch_add(block.name(i).size() + 1 + sizeof(uint16_t), std::memory_order_relaxed);
  return true;
}

std::string_view NameArena::name(Number number) const {
  return slot(number >> kIndexBits)->name(number & kIndexMask);
}

bool NameArena::skip_removed(Number& number) const {
  for (const size_t blocks = block_count_.load(std::memory_order_relaxed); number >> kIndexBits < blocks;) {
    const size_t b = number >> kIndexBits;
    const Block& block = *slot(b);
    size_t i = number & kIndexMask;
    while (i < block.count() && block.is_dead(i)) ++i;
    const bool is_end = i == block.count() && b + 1 < blocks;
    number = static_cast<Number>(is_end ? (b + 1) << kIndexBits : b << kIndexBits | i);
    if (!is_end) return i < block.count();
  }
  return false;
}

bool NameArena::search(const Glob& glob, const Visit& visit, const IsCancelled& is_cancelled) const {
  const std::vector<Probe> probes(glob.alternatives().begin(), glob.alternatives().end());
  bool wants_more = true;
  for (const Block* block = first_.load(std::memory_order_acquire); block != nullptr && wants_more;
       block = block->next.load(std::memory_order_acquire)) {
    if (is_cancelled && is_cancelled()) return false;
    const size_t count = block->count();
    for (auto probe = probes.begin(); probe != probes.end() && wants_more; ++probe) {
      probe->for_each_candidate(*block, count, [&](size_t i) {
        if (block->is_dead(i)) return true;
        const std::string_view name = block->name(i);
        const auto takes = [name](const Probe& p) { return p.alternative.matches(name); };
        // If several alternatives match a name, only the first visits it.
        if (!takes(*probe) || std::any_of(probes.begin(), probe, takes)) return true;
        wants_more = visit(name);
        return wants_more;
      });
    }
  }
  return wants_more;
}

size_t NameArena::ram_bytes() const {
  return block_count_.load(std::memory_order_relaxed) * (sizeof(Block) + sizeof(Block*));
}

}  // namespace statmill
