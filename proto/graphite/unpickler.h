// Unpickler: reads the part of Python's pickles that has data only: lists, tuples, texts, numbers and None,
// in protocols 0 to 5 (CPython's Lib/pickletools.py has the format). Every opcode that would make Python
// import, call or build something ends the pickle, as do opcodes that data does not need.
//
// Time and memory are linear in the size of the pickle, whatever it says: no length is believed before its
// bytes are there, the memo has no more places than the pickle has bytes, nothing is copied but texts with
// escapes, and nothing recurses. An object that is referred to many times exists once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "proto/batch.h"

namespace statmill {

struct PickleObject {
  struct Items {
    uint32_t first;  // of kTuple: in items; of kList: its first run
    uint32_t last;   // of kList: its last run
  };
  enum class Type : uint8_t { kNone, kInteger, kFloat, kDigits, kText, kTuple, kList };

  Type type = Type::kNone;
  uint8_t note = 0;    // for the caller; initially 0
  uint32_t count = 0;  // bytes of a text, items of a list or a tuple
  union {
    int64_t integer = 0;     // of kInteger, and of True and False
    double number;           // of kFloat; also of an integer that an int64_t cannot hold
    const char* characters;  // of kText: UTF-8, or bytes; of kDigits: a number as protocol 0 writes it
    Items items;
  };

  std::string_view text() const { return {characters, count}; }
  bool is_sequence() const { return type == Type::kTuple || type == Type::kList; }
};
static_assert(sizeof(PickleObject) == 16);

// Thread-compatible.
class Unpickler {
 public:
  using Index = uint32_t;  // of an object
  // A pickle that has more objects is no list of samples: such a list has at most one in two bytes.
  static constexpr size_t objects_max(size_t bytes) { return bytes / 2 + 64; }

  // Texts with escapes are kept by `batch`, which must outlive the Unpickler.
  explicit Unpickler(Batch& batch) : batch_(batch) {}

  // Reads a pickle, which must fill `bytes`. Returns false if it does not, or has something that this class
  // does not read; fault() then says what. Call it once. `bytes` must stay valid as long as the texts are
  // used.
  bool read(std::string_view bytes);
  // "it calls an object (opcode R) at byte 12". Requires: read() has returned false.
  std::string fault() const;

  // What the pickle contains. Requires: read() has returned true.
  Index top() const { return stack_.front(); }
  PickleObject& object(Index index) { return objects_[index]; }
  // Calls visit(Index) for the items of a sequence, in order, until it returns false.
  template <class Visit>
  void for_each(Index sequence, Visit visit) const {
    const PickleObject& object = objects_[sequence];
    if (object.type == PickleObject::Type::kTuple) {
      visit_items(object.items.first, object.count, visit);
    } else if (object.count > 0) {
      for (uint32_t run = object.items.first;; run = runs_[run].next) {
        if (!visit_items(runs_[run].first, runs_[run].count, visit) || run == object.items.last) return;
      }
    }
  }

 private:
  using Type = PickleObject::Type;
  // Items that one opcode has appended to a list.
  struct Run {
    uint32_t first = 0;  // in items_
    uint32_t count = 0;
    uint32_t next = 0;
  };
  enum class Step : uint8_t { kNext, kEnd, kUnknown };

  template <class Visit>
  bool visit_items(uint32_t first, uint32_t count, Visit& visit) const {
    for (uint32_t i = first; i < first + count; ++i) {
      if (!visit(items_[i])) return false;
    }
    return true;
  }

  // Each runs the opcode if it is one of its own, else returns kUnknown.
  Step run_number(char opcode);
  Step run_text(char opcode);
  Step run_sequence(char opcode);
  Step run_memo(char opcode);
  Step run_frame(char opcode);

  Step fail(std::string_view what);
  Step push(const PickleObject& object);
  Step push_integer(int64_t integer);
  Step push_long(size_t size);
  Step push_digits(std::string_view digits);
  Step push_text(std::string_view text);
  Step push_quoted(std::string_view line);
  Step push_decoded(const std::optional<std::string_view>& text);
  Step push_tuple(size_t count);
  Step pop_to_mark(size_t& count);
  Step append(size_t count);
  Step remember(uint64_t place);
  Step recall(uint64_t place);
  uint32_t add_items(size_t count);
  std::string_view line();  // up to the next LF, which it skips; sets failed() if there is none
  bool read_place(uint64_t& place);
  uint64_t little_endian(size_t bytes);

  Batch& batch_;
  Reader in_{{}};
  std::vector<PickleObject> objects_;
  std::vector<Index> stack_;
  std::vector<uint32_t> marks_;  // sizes of the stack, ascending
  std::vector<Index> memo_;
  std::vector<Index> items_;  // of all tuples and runs
  std::vector<Run> runs_;
  size_t remembered_ = 0;  // by MEMOIZE and the PUTs
  size_t bytes_ = 0;
  std::string_view fault_;
  char opcode_ = 0;
  size_t opcode_at_ = 0;
};

}  // namespace statmill
