// Functions that sort series.
#include <algorithm>
#include <limits>
#include <utility>

#include "server/graphite/functions/common.h"

namespace statmill::graphite {
namespace {

enum class Order : uint8_t { kAscending, kDescending };

// Series with equal summaries stay as they are; none is less than any number.
Result<SeriesList> sorted(Call& call, SeriesList list, const Summary& summary, Order order) {
  std::vector<std::pair<double, size_t>> keys;
  for (size_t i = 0; i < list.size(); ++i) {
    if (Status s = call.work(list[i].values.size()); !s) return s.error();
    const double value = summary.of(list[i].values);
    keys.emplace_back(is_none(value) ? -std::numeric_limits<double>::infinity() : value, i);
  }
  const auto key_of_pair = [](const auto& pair) { return pair.first; };
  if (order == Order::kAscending) {
    std::ranges::stable_sort(keys, {}, key_of_pair);
  } else {
    std::ranges::stable_sort(keys, std::ranges::greater(), key_of_pair);
  }
  SeriesList out;
  for (const auto& [value, i] : keys) out.push_back(std::move(list[i]));
  return out;
}

Result<Value> first_sorted(Call& call, const Summary& summary, Order order) {
  auto list = sorted(call, call.take(0), summary, order);
  if (!list) return list.error();
  const int64_t count = std::clamp<int64_t>(call.integer(1), 0, static_cast<int64_t>(list->size()));
  list->erase(list->begin() + count, list->end());
  return Value(*std::move(list));
}

template <Summary::Kind kind, Order order>
Result<Value> run_first_by(Call& call) {
  return first_sorted(call, Summary{kind}, order);
}
Result<Value> run_highest(Call& call) {
  return first_sorted(call, *parse_summary(call.text(2)), Order::kDescending);
}
Result<Value> run_lowest(Call& call) {
  return first_sorted(call, *parse_summary(call.text(2)), Order::kAscending);
}

Result<Value> as_sorted(Call& call, const Summary& summary, Order order) {
  auto list = sorted(call, call.take(0), summary, order);
  if (!list) return list.error();
  return Value(*std::move(list));
}

Result<Value> run_sort_by(Call& call) {
  return as_sorted(call, *parse_summary(call.text(1)), call.flag(2) ? Order::kDescending : Order::kAscending);
}
Result<Value> run_sort_by_maxima(Call& call) {
  return as_sorted(call, Summary{Summary::Kind::kMax}, Order::kDescending);
}
Result<Value> run_sort_by_total(Call& call) {
  return as_sorted(call, Summary{Summary::Kind::kSum}, Order::kDescending);
}

Result<Value> run_sort_by_minima(Call& call) {
  SeriesList positive;
  for (Series& series : call.take(0)) {
    if (Summary{Summary::Kind::kMax}.of(series.values) > 0) positive.push_back(std::move(series));
  }
  auto list = sorted(call, std::move(positive), Summary{Summary::Kind::kMin}, Order::kAscending);
  if (!list) return list.error();
  return Value(*std::move(list));
}

// Numbers in a name get leading zeros, so that they sort by their value.
std::string natural_key(const std::string& name) {
  constexpr size_t kDigits = 10;
  std::string out;
  for (size_t i = 0; i < name.size();) {
    const size_t end = std::min(name.find_first_not_of("0123456789", i), name.size());
    if (end == i) {
      out += name[i++];
      continue;
    }
    const size_t first = std::min(name.find_first_not_of('0', i), end - 1);
    if (end - first < kDigits) out.append(kDigits - (end - first), '0');
    out.append(name, first, end - first);
    i = end;
  }
  return out;
}

Result<Value> run_sort_by_name(Call& call) {
  SeriesList list = call.take(0);
  const bool is_natural = call.flag(1);
  const auto key = [&](const Series& series) { return is_natural ? natural_key(series.name) : series.name; };
  if (call.flag(2)) {
    std::ranges::stable_sort(list, std::ranges::greater(), key);
  } else {
    std::ranges::stable_sort(list, {}, key);
  }
  return Value(std::move(list));
}

}  // namespace

std::span<const Function> sort_functions() {
  using Kind = Summary::Kind;
  constexpr std::string_view kCount = "seriesList! n:integer!";
  constexpr std::string_view kBy = "seriesList! n:integer=1 func:aggFunc=average";
  static const Function kFunctions[] = {
      {"highest", "Filter Series", kBy, "The n series of the greatest summary.", run_highest},
      {"highestAverage", "Filter Series", kCount, "The n series of the greatest mean.",
       run_first_by<Kind::kAverage, Order::kDescending>},
      {"highestCurrent", "Filter Series", kCount, "The n series of the greatest last value.",
       run_first_by<Kind::kLast, Order::kDescending>},
      {"highestMax", "Filter Series", kCount, "The n series of the greatest value.",
       run_first_by<Kind::kMax, Order::kDescending>},
      {"lowest", "Filter Series", kBy, "The n series of the least summary.", run_lowest},
      {"lowestAverage", "Filter Series", kCount, "The n series of the least mean.",
       run_first_by<Kind::kAverage, Order::kAscending>},
      {"lowestCurrent", "Filter Series", kCount, "The n series of the least last value.",
       run_first_by<Kind::kLast, Order::kAscending>},
      {"sortBy", "Sorting", "seriesList! func:aggFunc=average reverse:boolean=false",
       "Sorts by a summary, the least first.", run_sort_by},
      {"sortByMaxima", "Sorting", "seriesList!", "Sorts by the greatest value, the greatest first.",
       run_sort_by_maxima},
      {"sortByMinima", "Sorting", "seriesList!",
       "Sorts by the least value, the least first; leaves out series without a value above 0.",
       run_sort_by_minima},
      {"sortByName", "Sorting", "seriesList! natural:boolean=false reverse:boolean=false",
       "Sorts by name; natural: numbers in names by their values.", run_sort_by_name, Passing::kAll},
      {"sortByTotal", "Sorting", "seriesList!", "Sorts by the sum, the greatest first.", run_sort_by_total},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
