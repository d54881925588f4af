#include "proto/graphite/pickle_parser.h"

#include <array>
#include <cmath>
#include <optional>

#include "proto/graphite/fields.h"
#include "proto/graphite/unpickler.h"

namespace statmill {
namespace {

using Type = PickleObject::Type;

// A text object's note: kCanonical, or kRefusedName and the reason. So a name that many samples share is read
// once, which bounds the time of a pickle.
constexpr uint8_t kCanonical = 1;
constexpr uint8_t kCanonicalRenamed = 2;
constexpr uint8_t kRefusedName = 3;
static_assert(kRefusedName + kRefusalCount < 256);

Verdict<Refusal> read_name(PickleObject& object, Batch& batch, std::string_view& name) {
  if (object.type != Type::kText) return Refusal::kBadName;
  if (object.note >= kRefusedName) return static_cast<Refusal>(object.note - kRefusedName);
  if (object.note == 0) {
    const bool is_renamed = object.count > 0 && *object.characters == '~';
    if (const auto verdict = read_graphite_name(object.text(), batch, name); verdict.is_refused()) {
      object.note = static_cast<uint8_t>(kRefusedName + static_cast<uint8_t>(verdict.reason()));
      return verdict;
    }
    object.characters = name.data();
    object.count = static_cast<uint32_t>(name.size());
    object.note = is_renamed ? kCanonicalRenamed : kCanonical;
  }
  name = object.text();
  return kAccepted;
}

// Calls read(text) for a number that is written as text, also one that an int64_t holds.
template <class Read>
Verdict<Refusal> read_as_text(const PickleObject& object, Refusal other, Read read) {
  if (object.type == Type::kInteger) return read(std::string_view(std::to_string(object.integer)));
  const bool is_text = object.type == Type::kDigits || object.type == Type::kText;
  return is_text && object.count <= kPickleNumberBytesMax ? read(object.text()) : other;
}

Verdict<Refusal> read_value(const PickleObject& object, Number& value) {
  if (object.type == Type::kFloat) {
    if (!std::isfinite(object.number)) return Refusal::kNotFinite;
    value = Number::shortest(object.number);
    return kAccepted;
  }
  if (object.type == Type::kInteger && -Number::kMantissaMax <= object.integer &&
      object.integer <= Number::kMantissaMax) {
    value = Number::decimal(object.integer, 0);
    return kAccepted;
  }
  return read_as_text(object, Refusal::kBadValue,
                      [&](std::string_view text) { return parse_number(text, value); });
}

Verdict<Refusal> read_time(const PickleObject& object, std::optional<int64_t>& time_s) {
  if (object.type == Type::kFloat) return read_graphite_time(object.number, time_s);
  if (object.type == Type::kInteger) {
    if (object.integer != -1) time_s = object.integer;
    return kAccepted;
  }
  return read_as_text(object, Refusal::kBadTime,
                      [&](std::string_view text) { return read_graphite_time(text, time_s); });
}

// Returns both items of a sequence of two; nullopt if the object is something else.
std::optional<std::array<Unpickler::Index, 2>> pair_of(Unpickler& pickle, Unpickler::Index index) {
  const PickleObject& object = pickle.object(index);
  std::array<Unpickler::Index, 2> items{};
  if (!object.is_sequence() || object.count != items.size()) return std::nullopt;
  size_t size = 0;
  pickle.for_each(index, [&](Unpickler::Index item) {
    items.at(size++) = item;
    return true;
  });
  return items;
}

Verdict<Refusal> read_sample(Unpickler& pickle, Unpickler::Index index, Batch& batch, Sample& sample) {
  const auto pair = pair_of(pickle, index);
  if (!pair) return Refusal::kFieldCount;
  const auto point = pair_of(pickle, pair->back());
  if (!point) return Refusal::kFieldCount;
  if (const auto verdict = read_name(pickle.object(pair->front()), batch, sample.name); verdict.is_refused())
    return verdict;
  if (const auto verdict = read_value(pickle.object(point->back()), sample.value); verdict.is_refused())
    return verdict;
  return read_time(pickle.object(point->front()), sample.time_s);
}

// Returns what an operator sees of a pair that is refused: its path, if it has one.
std::string_view refused_text(Unpickler& pickle, Unpickler::Index index) {
  const PickleObject& object = pickle.object(index);
  if (object.type == Type::kText) return object.text();
  const auto pair = pair_of(pickle, index);
  if (!pair || pickle.object(pair->front()).type != Type::kText) return "no pair of a path and a point";
  return pickle.object(pair->front()).text();
}

void add_sample(Unpickler& pickle, Unpickler::Index index, Batch& batch) {
  Sample& sample = batch.samples.emplace_back();
  if (const auto verdict = read_sample(pickle, index, batch, sample); verdict.is_refused()) {
    batch.samples.pop_back();
    return batch.refuse(verdict.reason(), refused_text(pickle, index));
  }
  ++batch.received;
  const auto pair = pair_of(pickle, index);
  if (pickle.object(pair->front()).note == kCanonicalRenamed) ++batch.renamed;
}

}  // namespace

std::string parse_graphite_pickle(std::string_view bytes, Batch& batch) {
  Unpickler pickle(batch);
  std::string fault;
  if (!pickle.read(bytes)) {
    fault = pickle.fault();
  } else if (!pickle.object(pickle.top()).is_sequence()) {
    fault = "it is no list of samples";
  } else if (pickle.object(pickle.top()).count > pickle_samples_max(bytes.size())) {
    fault = "it has more samples than its bytes can say";
  }
  if (!fault.empty()) {
    batch.refuse(Refusal::kBadPickle,
                 batch.keep("pickle of " + std::to_string(bytes.size()) + " bytes: " + fault));
    return fault;
  }
  pickle.for_each(pickle.top(), [&](Unpickler::Index index) {
    add_sample(pickle, index, batch);
    return true;
  });
  return fault;
}

}  // namespace statmill
