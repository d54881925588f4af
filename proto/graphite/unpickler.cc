#include "proto/graphite/unpickler.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/int128.h"
#include "proto/graphite/python_text.h"

namespace statmill {
namespace {

constexpr uint8_t kProtocolMax = 5;
constexpr uint32_t kNoObject = std::numeric_limits<uint32_t>::max();

// Returns why an opcode is not read.
std::string_view foreign_opcode(char opcode) {
  using Words = std::pair<std::string_view, std::string_view>;
  constexpr Words kForeign[] = {// GLOBAL, STACK_GLOBAL, INST, OBJ, EXT1, EXT2, EXT4
                                {"c\x93io\x82\x83\x84", "it names a class or a function"},
                                // REDUCE, BUILD, NEWOBJ, NEWOBJ_EX
                                {"Rb\x81\x92", "it makes an object"},
                                // PERSID, BINPERSID
                                {"PQ", "it refers to an object outside"},
                                // EMPTY_DICT, DICT, SETITEM, SETITEMS, EMPTY_SET, ADDITEMS, FROZENSET
                                {"}dsu\x8f\x90\x91", "it has a dictionary or a set"},
                                // POP, POP_MARK, DUP, BYTEARRAY8, NEXT_BUFFER, READONLY_BUFFER
                                {"012\x96\x97\x98", "it has an opcode that lists of samples do not need"}};
  for (const auto& [opcodes, why] : kForeign) {
    if (opcodes.find(opcode) != std::string_view::npos) return why;
  }
  return "it has an unknown opcode";
}

PickleObject object_of(PickleObject::Type type, size_t count = 0) {
  PickleObject object;
  object.type = type;
  object.count = static_cast<uint32_t>(count);
  return object;
}

}  // namespace

bool Unpickler::read(std::string_view bytes) {
  in_ = Reader(bytes);
  bytes_ = bytes.size();
  Step step = Step::kNext;
  while (step == Step::kNext) {
    opcode_at_ = in_.position();
    opcode_ = static_cast<char>(in_.u8());
    step = in_.failed() ? Step::kUnknown : run_number(opcode_);
    if (step == Step::kUnknown) step = run_text(opcode_);
    if (step == Step::kUnknown) step = run_sequence(opcode_);
    if (step == Step::kUnknown) step = run_memo(opcode_);
    if (step == Step::kUnknown) step = run_frame(opcode_);
    if (in_.failed()) step = fail("it ends too early");
    if (step == Step::kUnknown) step = fail(foreign_opcode(opcode_));
  }
  return fault_.empty();
}

std::string Unpickler::fault() const {
  std::string out(fault_);
  if (opcode_ >= ' ' && opcode_ <= '~') out.append(" (opcode ").append(1, opcode_).append(")");
  return out + " at byte " + std::to_string(opcode_at_);
}

Unpickler::Step Unpickler::fail(std::string_view what) {
  if (fault_.empty()) fault_ = what;
  return Step::kEnd;
}

// PROTO, FRAME, STOP.
Unpickler::Step Unpickler::run_frame(char opcode) {
  switch (static_cast<uint8_t>(opcode)) {
    case 0x80:
      return in_.u8() <= kProtocolMax ? Step::kNext : fail("its protocol is later than 5");
    case 0x95: {
      const uint64_t size = little_endian(8);
      return size <= in_.remaining() ? Step::kNext : fail("it ends too early");
    }
    case '.':
      if (stack_.size() != 1 || !marks_.empty()) return fail("it does not end with one object");
      return in_.done() ? Step::kEnd : fail("bytes follow its end");
    default:
      return Step::kUnknown;
  }
}

Unpickler::Step Unpickler::run_number(char opcode) {
  switch (static_cast<uint8_t>(opcode)) {
    case 'N':
      return push(object_of(Type::kNone));
    case 0x88:  // NEWTRUE
      return push_integer(1);
    case 0x89:  // NEWFALSE
      return push_integer(0);
    case 'K':  // BININT1
      return push_integer(in_.u8());
    case 'M':  // BININT2
      return push_integer(static_cast<int64_t>(little_endian(2)));
    case 'J':  // BININT
      return push_integer(static_cast<int32_t>(little_endian(4)));
    case 0x8a:  // LONG1
      return push_long(in_.u8());
    case 0x8b:  // LONG4
      return push_long(little_endian(4));
    case 'G': {  // BINFLOAT
      PickleObject object = object_of(Type::kFloat);
      object.number = in_.f64();
      return push(object);
    }
    case 'I':  // INT; True is 01
    case 'F':  // FLOAT
      return push_digits(line());
    case 'L': {  // LONG
      std::string_view digits = line();
      if (digits.ends_with('L')) digits.remove_suffix(1);
      return push_digits(digits);
    }
    default:
      return Step::kUnknown;
  }
}

Unpickler::Step Unpickler::run_text(char opcode) {
  switch (static_cast<uint8_t>(opcode)) {
    case 'U':   // SHORT_BINSTRING
    case 'C':   // SHORT_BINBYTES
    case 0x8c:  // SHORT_BINUNICODE
      return push_text(in_.bytes(in_.u8()));
    case 'T':  // BINSTRING
    case 'B':  // BINBYTES
    case 'X':  // BINUNICODE
      return push_text(in_.bytes(little_endian(4)));
    case 0x8d:  // BINUNICODE8
    case 0x8e:  // BINBYTES8
      return push_text(in_.bytes(little_endian(8)));
    case 'S':  // STRING
      return push_quoted(line());
    case 'V':  // UNICODE
      return push_decoded(raw_unicode(line(), batch_));
    default:
      return Step::kUnknown;
  }
}

Unpickler::Step Unpickler::run_sequence(char opcode) {
  size_t count = 0;
  switch (static_cast<uint8_t>(opcode)) {
    case '(':  // MARK
      marks_.push_back(static_cast<uint32_t>(stack_.size()));
      return Step::kNext;
    case ')':  // EMPTY_TUPLE
      return push_tuple(0);
    case 0x85:  // TUPLE1, TUPLE2, TUPLE3
    case 0x86:
    case 0x87:
      return push_tuple(static_cast<uint8_t>(opcode) - 0x84U);
    case 't': {  // TUPLE
      const Step step = pop_to_mark(count);
      return step == Step::kNext ? push_tuple(count) : step;
    }
    case ']':  // EMPTY_LIST
      return push(object_of(Type::kList));
    case 'l': {  // LIST
      Step step = pop_to_mark(count);
      if (step != Step::kNext) return step;
      // The list goes in front of its items.
      step = push(object_of(Type::kList));
      if (step != Step::kNext) return step;
      std::rotate(stack_.end() - static_cast<std::ptrdiff_t>(count) - 1, stack_.end() - 1, stack_.end());
      return append(count);
    }
    case 'a':  // APPEND
      return append(1);
    case 'e': {  // APPENDS
      const Step step = pop_to_mark(count);
      return step == Step::kNext ? append(count) : step;
    }
    default:
      return Step::kUnknown;
  }
}

Unpickler::Step Unpickler::run_memo(char opcode) {
  uint64_t place = 0;
  switch (static_cast<uint8_t>(opcode)) {
    case 0x94:  // MEMOIZE
      return remember(remembered_);
    case 'q':  // BINPUT
      return remember(in_.u8());
    case 'r':  // LONG_BINPUT
      return remember(little_endian(4));
    case 'p':  // PUT
      return read_place(place) ? remember(place) : fail("its memo has a place that is no number");
    case 'h':  // BINGET
      return recall(in_.u8());
    case 'j':  // LONG_BINGET
      return recall(little_endian(4));
    case 'g':  // GET
      return read_place(place) ? recall(place) : fail("its memo has a place that is no number");
    default:
      return Step::kUnknown;
  }
}

Unpickler::Step Unpickler::push(const PickleObject& object) {
  if (objects_.size() >= objects_max(bytes_)) return fail("it has too many objects");
  stack_.push_back(static_cast<Index>(objects_.size()));
  objects_.push_back(object);
  return Step::kNext;
}

Unpickler::Step Unpickler::push_integer(int64_t integer) {
  PickleObject object = object_of(Type::kInteger);
  object.integer = integer;
  return push(object);
}

// An integer in two's complement, the lowest byte first. What 128 bits cannot hold becomes infinite.
Unpickler::Step Unpickler::push_long(size_t size) {
  const std::string_view bytes = in_.bytes(size);
  if (in_.failed()) return Step::kEnd;
  if (bytes.empty()) return push_integer(0);
  const bool is_negative = (static_cast<uint8_t>(bytes.back()) & 0x80) != 0;
  PickleObject object = object_of(Type::kFloat);
  object.number = std::numeric_limits<double>::infinity();
  if (bytes.size() <= sizeof(Uint128)) {
    Uint128 value = is_negative ? ~Uint128{0} : Uint128{0};
    for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
    if (bytes.size() <= sizeof(int64_t)) return push_integer(static_cast<int64_t>(value));
    object.number = static_cast<double>(is_negative ? ~value + 1 : value);
  }
  if (is_negative) object.number = -object.number;
  return push(object);
}

Unpickler::Step Unpickler::push_digits(std::string_view digits) {
  PickleObject object = object_of(Type::kDigits, digits.size());
  object.characters = digits.data();
  return push(object);
}

Unpickler::Step Unpickler::push_text(std::string_view text) {
  PickleObject object = object_of(Type::kText, text.size());
  object.characters = text.data();
  return push(object);
}

Unpickler::Step Unpickler::push_quoted(std::string_view line) {
  if (line.size() < 2 || line.front() != line.back() || (line.front() != '\'' && line.front() != '"'))
    return fail("it has a string without quotes");
  return push_decoded(python2_string(line.substr(1, line.size() - 2), batch_));
}

Unpickler::Step Unpickler::push_decoded(const std::optional<std::string_view>& text) {
  return text ? push_text(*text) : fail("it has a text with an escape that is not valid");
}

// Moves the last `count` objects of the stack to items_ and returns where they begin. Requires: they are
// there.
uint32_t Unpickler::add_items(size_t count) {
  const auto first = static_cast<uint32_t>(items_.size());
  items_.insert(items_.end(), stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
  stack_.resize(stack_.size() - count);
  return first;
}

Unpickler::Step Unpickler::push_tuple(size_t count) {
  const size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < bottom + count) return fail("a tuple needs more objects than there are");
  PickleObject object = object_of(Type::kTuple, count);
  object.items = {add_items(count), 0};
  return push(object);
}

// Sets `count` to the number of objects since the last mark, which it removes.
Unpickler::Step Unpickler::pop_to_mark(size_t& count) {
  if (marks_.empty() || marks_.back() > stack_.size()) return fail("a mark is missing");
  count = stack_.size() - marks_.back();
  marks_.pop_back();
  return Step::kNext;
}

// Appends the last `count` objects to the list before them.
Unpickler::Step Unpickler::append(size_t count) {
  const size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < bottom + count + 1) return fail("a list is missing");
  PickleObject& list = objects_[stack_[stack_.size() - count - 1]];
  if (list.type != Type::kList) return fail("it appends to what is no list");
  if (count == 0) return Step::kNext;
  const auto run = static_cast<uint32_t>(runs_.size());
  runs_.push_back({add_items(count), static_cast<uint32_t>(count), 0});
  if (list.count == 0) {
    list.items.first = run;
  } else {
    runs_[list.items.last].next = run;
  }
  list.items.last = run;
  list.count += static_cast<uint32_t>(count);
  return Step::kNext;
}

Unpickler::Step Unpickler::remember(uint64_t place) {
  if (stack_.empty()) return fail("there is nothing to remember");
  // Picklers count their places, so a higher one only asks for memory.
  if (place >= bytes_) return fail("its memo has a place that is too high");
  if (place >= memo_.size())
    memo_.resize(std::max(place + 1, std::min<uint64_t>(2 * place, bytes_)), kNoObject);
  Index& object = memo_[place];
  if (object == kNoObject) ++remembered_;
  object = stack_.back();
  return Step::kNext;
}

Unpickler::Step Unpickler::recall(uint64_t place) {
  if (place >= memo_.size() || memo_[place] == kNoObject) return fail("its memo lacks an object");
  stack_.push_back(memo_[place]);
  return Step::kNext;
}

std::string_view Unpickler::line() {
  const std::string_view rest = in_.rest();
  const size_t end = rest.find('\n');
  if (end == std::string_view::npos) return in_.bytes(rest.size() + 1);  // which fails
  in_.bytes(end + 1);
  return rest.substr(0, end);
}

bool Unpickler::read_place(uint64_t& place) {
  const std::string_view digits = line();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  return error == std::errc() && end == digits.data() + digits.size();
}

uint64_t Unpickler::little_endian(size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= uint64_t{in_.u8()} << (8 * i);
  return value;
}

}  // namespace statmill
