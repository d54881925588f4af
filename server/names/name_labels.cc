#include "server/names/name_labels.h"

#include <algorithm>

#include "base/text.h"
#include "proto/prometheus/labels_name.h"

namespace statmill {
namespace {

constexpr std::string_view kWholeName = "__graphite__";

std::string_view part_of(std::string_view path, size_t number) {
  for (; number > 0; --number) {
    const size_t dot = path.find('.');
    if (dot == std::string_view::npos) return {};
    path.remove_prefix(dot + 1);
  }
  return path.substr(0, path.find('.'));
}

std::string_view value_of(const NameLabels& labels, std::string_view label) {
  const auto found = std::ranges::find(labels, label, &NameLabels::value_type::first);
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

// Names with this path, with or without tags.
Result<Glob> prefilter_of(std::span<const LabelMatcher> matchers) {
  for (const LabelMatcher& matcher : matchers) {
    if (matcher.label != kNameLabel || matcher.op != LabelMatcher::Op::kEqual || matcher.value.empty())
      continue;
    const std::string path = escaped_path(matcher.value);
    if (Glob::is_pattern(path) || path.find_first_of(",}") != std::string::npos) continue;
    return Glob::parse(path + "{,;*}");
  }
  return Glob::parse("*");
}

}  // namespace

std::optional<size_t> part_number(std::string_view label) {
  const bool has_form = label.size() == 8 && label.starts_with("__n") && label.ends_with("__");
  const auto number = has_form ? parse_integer(label.substr(3, 3), 0, 31) : Result<int64_t>(-1);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<size_t>(*number);
}

NameLabels labels_of_name(std::string_view name) { return labels_of(name); }

std::string name_of_labels(const NameLabels& labels) {
  auto name = canonical_name(labels);
  return name ? *std::move(name) : std::string();
}

Result<NameTest> NameTest::parse(std::span<const LabelMatcher> matchers) {
  auto prefilter = prefilter_of(matchers);
  if (!prefilter) return prefilter.error();
  NameTest test(*std::move(prefilter));
  for (const LabelMatcher& matcher : matchers) {
    if (matcher.label == kWholeName && matcher.op == LabelMatcher::Op::kEqual) {
      auto glob = Glob::parse(matcher.value);
      if (!glob) return glob.error();
      test.globs_.push_back(*std::move(glob));
      continue;
    }
    auto value_test = ValueTest::parse(matcher);
    if (!value_test) return value_test.error();
    test.conditions_.push_back({matcher.label, *std::move(value_test)});
  }
  return test;
}

bool NameTest::accepts(std::string_view name, const NameLabels& labels) const {
  const auto satisfies = [&labels](const Condition& condition) {
    const auto part = part_number(condition.label);
    return condition.test.accepts(part ? part_of(value_of(labels, kNameLabel), *part)
                                       : value_of(labels, condition.label));
  };
  return std::ranges::all_of(conditions_, satisfies) &&
         std::ranges::all_of(globs_, [name](const Glob& glob) { return glob.matches(name); });
}

}  // namespace statmill
