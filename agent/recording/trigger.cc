#include "agent/recording/trigger.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "agent/catalogue/catalogue.h"
#include "base/text.h"
#include "proto/family.h"

namespace statmill {
namespace {

Error invalid_trigger(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid, "\"" + std::string(text) + "\" " + std::string(why)};
}

std::vector<std::string_view> words_between_blanks(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  return words;
}

// A misspelt path would never match, and nobody would notice.
Status check_path(std::string_view name) {
  const auto path = Glob::parse(path_of(name));
  if (!path) return invalid_trigger(name, "is not a name: " + path.error().message);
  bool has_distribution = false;
  for (const Family* const family : all_families()) {
    if (!path->matches(family->path)) continue;
    if (family->kind == Kind::kGauge || family->kind == Kind::kEvent) return Status::ok();
    has_distribution = true;
  }
  return invalid_trigger(name, has_distribution ? "has no single value: name a gauge or a rate"
                                                : "is no series of this host: see --series");
}

}  // namespace

Result<Trigger::Operator> Trigger::parse_operator(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators = {{{"<", Operator::kLess},
                                                                                {"<=", Operator::kAtMost},
                                                                                {">", Operator::kGreater},
                                                                                {">=", Operator::kAtLeast},
                                                                                {"==", Operator::kEqual},
                                                                                {"!=", Operator::kOther}}};
  for (const auto& [spelling, meaning] : kOperators) {
    if (text == spelling) return meaning;
  }
  return invalid_trigger(text, "is not one of < <= > >= == !=");
}

Result<Trigger> Trigger::parse(const std::string& text) {
  const std::vector<std::string_view> words = words_between_blanks(text);
  if (words.size() != 3) return invalid_trigger(text, "is not of the form NAME OP NUMBER");
  auto name = Glob::parse(words[0]);
  if (!name) return invalid_trigger(words[0], "is not a name: " + name.error().message);
  if (Status known = check_path(words[0]); !known) return known.error();
  const Result<Operator> op = parse_operator(words[1]);
  if (!op) return op.error();
  double number = 0;
  const char* const end = words[2].data() + words[2].size();
  const auto [parsed_end, error] = std::from_chars(words[2].data(), end, number);
  if (error != std::errc{} || parsed_end != end || !std::isfinite(number))
    return invalid_trigger(words[2], "is not a number");
  return Trigger(text, *std::move(name), *op, number);
}

bool Trigger::holds(double value) const {
  switch (operator_) {
    case Operator::kLess:
      return value < number_;
    case Operator::kAtMost:
      return value <= number_;
    case Operator::kGreater:
      return value > number_;
    case Operator::kAtLeast:
      return value >= number_;
    case Operator::kEqual:
      return value == number_;
    case Operator::kOther:
      return value != number_;
  }
  return false;
}

}  // namespace statmill
