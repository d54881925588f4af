// The one table of PromQL's functions and aggregations: names, types of the arguments and the result, and how
// each reads what is stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace statmill::promql {

enum class ValueType : uint8_t { kNone, kScalar, kVector, kMatrix, kString };

// "scalar", "instant vector", "range vector", "string", "none": the words of errors.
std::string_view documented_name(ValueType type);
// "scalar", "vector", "matrix", "string", "none": the words of the API.
std::string_view short_name(ValueType type);

// How a function computes from the slots of a series.
enum class SlotUse : uint8_t {
  kExact,       // buckets merge: the same number from any tier whose step divides
  kSamples,     // as with single samples where a slot has one, otherwise on the means of slots
  kValues,      // uses only the values of its argument: the stored form does not matter
  kHistograms,  // on the histograms of a distribution
  kRefused,     // not computed; `refusal` says why
};

// By the kind of the series.
struct SlotUses {
  SlotUse gauge;
  SlotUse counter;  // counters and events
  SlotUse distribution;
};

struct Function {
  static constexpr size_t kArgumentsMax = 5;

  std::string_view name;
  ValueType result;
  std::array<ValueType, kArgumentsMax> argument_types;  // kNone after the last
  int variadic;  // 0: all arguments are required; n: up to n may follow all but the last; -1: any number may
  SlotUses uses;
  std::string_view refusal = {};

  // The number of types before the first kNone.
  size_t argument_count() const;
};

struct Aggregator {
  std::string_view name;
  ValueType parameter;  // kNone: it has none
  std::string_view refusal = {};
};

// Return nullptr if there is no such name. Functions are case-sensitive, aggregators in lower case.
const Function* find_function(std::string_view name);
const Aggregator* find_aggregator(std::string_view lower_case_name);

// Sorted by name.
std::span<const Function> all_functions();
std::span<const Aggregator> all_aggregators();

}  // namespace statmill::promql
