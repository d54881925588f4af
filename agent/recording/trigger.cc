#include "agent/recording/trigger.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "agent/catalogue/catalogue.h"
#include "base/check.h"
#include "base/text.h"
#include "proto/family.h"

namespace statmill {
namespace {

constexpr std::string_view kOwnReport = "agent";  // Family::collector of what no collector reads

Error invalid_trigger(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid, "\"" + std::string(text) + "\" " + std::string(why)};
}

std::vector<std::string_view> words_between_blanks(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  return words;
}

bool has_single_value(const Family& family) {
  return family.kind == Kind::kGauge || family.kind == Kind::kEvent;
}

// Returns whether the tags can be those of a series: each has a value, and the keys are some of the family's,
// in its order, which is that of canonical names.
bool has_tags(const Family& family, std::string_view tags) {
  size_t next = 0;
  if (tags.empty()) return false;
  for (const std::string_view tag : split(tags, ';')) {
    const size_t equals = tag.find('=');
    if (equals == std::string_view::npos || equals + 1 == tag.size()) return false;
    while (next < family.tag_count() && family.tags.at(next) != tag.substr(0, equals)) ++next;
    if (next++ == family.tag_count()) return false;
  }
  return true;
}

std::string tag_keys_text(const Family& family) {
  std::string text;
  for (size_t i = 0; i < family.tag_count(); ++i)
    text.append(text.empty() ? "" : ", ").append(family.tags.at(i));
  return text.empty() ? "none" : text;
}

// A misspelt path or tag would never match, and nobody would notice.
Status check_name(std::string_view name) {
  const auto path = Glob::parse(path_of(name));
  if (!path) return invalid_trigger(name, "is not a name: " + path.error().message);
  const size_t path_size = path_of(name).size();
  bool has_distribution = false;
  for (const Family* const family : all_families()) {
    if (!path->matches(family->path)) continue;
    if (!has_single_value(*family)) {
      has_distribution = true;
    } else if (path_size == name.size() || Glob::is_pattern(name) ||
               has_tags(*family, name.substr(path_size + 1))) {
      return Status::ok();
    } else {
      return invalid_trigger(
          name, "has other tags than its family, which has in this order: " + tag_keys_text(*family));
    }
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
  if (Status known = check_name(words[0]); !known) return known.error();
  const Result<Operator> op = parse_operator(words[1]);
  if (!op) return op.error();
  double number = 0;
  const char* const end = words[2].data() + words[2].size();
  const auto [parsed_end, error] = std::from_chars(words[2].data(), end, number);
  if (error != std::errc{} || parsed_end != end || !std::isfinite(number))
    return invalid_trigger(words[2], "is not a number");
  return Trigger(text, *std::move(name), *op, number);
}

Status Trigger::check_collectors(std::span<const std::string> collectors) const {
  const auto path = Glob::parse(path_of(name_.text()));
  SM_CHECK(path.has_value());  // parse() has checked it
  std::string_view missing;
  for (const Family* const family : all_families()) {
    if (!path->matches(family->path) || !has_single_value(*family)) continue;
    if (family->collector == kOwnReport ||
        std::find(collectors.begin(), collectors.end(), family->collector) != collectors.end())
      return Status::ok();
    missing = family->collector;
  }
  return invalid_trigger(text_, "needs the collector " + std::string(missing) + " in --collectors");
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
