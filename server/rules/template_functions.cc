#include "server/rules/template_functions.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <compare>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "server/promql/literals.h"
#include "server/rules/go_format.h"
#include "server/rules/humanize.h"
#include "server/rules/template_texts.h"

namespace statmill::rules {
namespace {

// The most bytes that reReplaceAll() may make, before they are cut off by kTemplateTextBytesMax.
constexpr size_t kReplaceBytesMax = size_t{16} << 20;

using Values = std::span<const TemplateValue>;
using Answer = Result<TemplateValue>;

Error call_fault(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

Error wrong_type(const TemplateValue& value, std::string_view wanted) {
  return call_fault("a " + std::string(wanted) + " is expected, not a " + std::string(type_name(value)));
}

Result<std::string_view> as_text(const TemplateValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return std::string_view(*text);
  return wrong_type(value, "string");
}

// A number, or a text that is one.
Result<double> as_number(const TemplateValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return promql::parse_number(*text);
  return wrong_type(value, "number");
}

Result<const TemplateSample*> as_sample(const TemplateValue& value) {
  if (const auto* sample = std::get_if<TemplateSample>(&value)) return sample;
  return wrong_type(value, "sample");
}

Answer number_text(std::string (*print)(double), Values in) {
  const Result<double> number = as_number(in[0]);
  if (!number) return number.error();
  return TemplateValue(print(*number));
}

Answer text_function(std::string (*change)(std::string_view), Values in) {
  const Result<std::string_view> text = as_text(in[0]);
  if (!text) return text.error();
  return TemplateValue(change(*text));
}

Result<std::optional<std::partial_ordering>> ordering(const TemplateValue& a, const TemplateValue& b) {
  const bool are_texts = std::holds_alternative<std::string>(a) && std::holds_alternative<std::string>(b);
  if (are_texts)
    return std::optional<std::partial_ordering>(std::get<std::string>(a) <=> std::get<std::string>(b));
  const auto is_number = [](const TemplateValue& v) {
    return std::holds_alternative<double>(v) || std::holds_alternative<int64_t>(v);
  };
  if (is_number(a) && is_number(b))
    return std::optional<std::partial_ordering>(*as_number(a) <=> *as_number(b));
  if (a.index() == b.index())
    return std::optional<std::partial_ordering>(a == b ? std::optional(std::partial_ordering::equivalent)
                                                       : std::nullopt);
  return call_fault("a " + std::string(type_name(a)) + " and a " + std::string(type_name(b)) +
                    " cannot be compared");
}

// eq, with several right sides: equal to one of them.
Answer equal(Values in) {
  for (const TemplateValue& right : in.subspan(1)) {
    const auto order = ordering(in[0], right);
    if (!order) return order.error();
    if (*order && std::is_eq(**order)) return TemplateValue(true);
  }
  return TemplateValue(false);
}

Answer less(Values in, bool or_equal, bool is_swapped) {
  const auto order = is_swapped ? ordering(in[1], in[0]) : ordering(in[0], in[1]);
  if (!order) return order.error();
  if (!*order) return call_fault("values of this type have no order");
  return TemplateValue(or_equal ? std::is_lteq(**order) : std::is_lt(**order));
}

Answer length(Values in) {
  const auto size = [](size_t n) { return TemplateValue(static_cast<int64_t>(n)); };
  if (const auto* text = std::get_if<std::string>(&in[0])) return size(text->size());
  if (const auto* map = std::get_if<LabelMap>(&in[0])) return size(map->size());
  if (const auto* list = std::get_if<std::vector<TemplateSample>>(&in[0])) return size(list->size());
  return wrong_type(in[0], "string, map or list");
}

Answer index(Values in) {
  if (const auto* map = std::get_if<LabelMap>(&in[0])) {
    const Result<std::string_view> key = as_text(in[1]);
    if (!key) return key.error();
    const auto at = map->find(*key);
    return TemplateValue(at == map->end() ? std::string() : at->second);
  }
  const auto* list = std::get_if<std::vector<TemplateSample>>(&in[0]);
  if (list == nullptr) return wrong_type(in[0], "map or list");
  const auto* at = std::get_if<int64_t>(&in[1]);
  if (at == nullptr) return wrong_type(in[1], "int");
  if (*at < 0 || static_cast<size_t>(*at) >= list->size())
    return call_fault("index out of range: " + std::to_string(*at));
  return TemplateValue((*list)[static_cast<size_t>(*at)]);
}

// Blanks between two neighbours that are no texts, as in Go.
Answer print(Values in) {
  std::string out;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool has_text = i > 0 && (std::holds_alternative<std::string>(in[i]) ||
                                    std::holds_alternative<std::string>(in[i - 1]));
    if (i > 0 && !has_text) out.push_back(' ');
    out += text_of(in[i]);
  }
  return TemplateValue(std::move(out));
}

Answer print_line(Values in) {
  std::string out;
  for (size_t i = 0; i < in.size(); ++i) out.append(i > 0 ? " " : "").append(text_of(in[i]));
  return TemplateValue(out + "\n");
}

Answer print_format(Values in) {
  const Result<std::string_view> format = as_text(in[0]);
  if (!format) return format.error();
  return TemplateValue(go_format(*format, in.subspan(1), kTemplateTextBytesMax));
}

Result<std::unique_ptr<RE2>> compiled(std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto out = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!out->ok()) return call_fault("regular expression: " + out->error());
  return out;
}

// $1 and ${1}, as Go writes them, become \1.
std::string rewrite_of(std::string_view replacement, int groups) {
  std::string out;
  for (size_t i = 0; i < replacement.size(); ++i) {
    const char c = replacement[i];
    if (c == '\\') {
      out += "\\\\";
    } else if (c != '$' || i + 1 == replacement.size()) {
      out.push_back(c);
    } else if (replacement[i + 1] == '$') {
      out.push_back('$');
      ++i;
    } else {
      const bool has_braces = replacement[i + 1] == '{';
      const size_t begin = i + (has_braces ? 2 : 1);
      const size_t end = std::min(replacement.find_first_not_of("0123456789", begin), replacement.size());
      const auto group = parse_integer(replacement.substr(begin, end - begin), 0, 9);
      if (group && *group <= groups) out += "\\" + std::to_string(*group);
      i = has_braces ? std::min(end, replacement.size() - 1) : end - 1;
    }
  }
  return out;
}

Answer replace_all(Values in) {  // pattern, replacement, text
  const auto pattern = as_text(in[0]);
  const auto replacement = as_text(in[1]);
  const auto text = as_text(in[2]);
  if (!pattern || !replacement || !text) return call_fault("reReplaceAll wants three strings");
  const auto regex = compiled(*pattern);
  if (!regex) return regex.error();
  const std::string rewrite = rewrite_of(*replacement, (*regex)->NumberOfCapturingGroups());
  // Each character may become the whole replacement, each of whose groups the whole text.
  if ((text->size() + 1) * (rewrite.size() + 1) > kReplaceBytesMax)
    return call_fault("the text and the replacement are too long");
  std::string out(*text);
  RE2::GlobalReplace(&out, **regex, rewrite);
  return TemplateValue(std::move(out));
}

Answer match(Values in) {  // pattern, text
  const auto pattern = as_text(in[0]);
  const auto text = as_text(in[1]);
  if (!pattern || !text) return call_fault("match wants two strings");
  const auto regex = compiled(*pattern);
  if (!regex) return regex.error();
  return TemplateValue(RE2::PartialMatch(re2::StringPiece(text->data(), text->size()), **regex));
}

Answer first(Values in) {
  const auto* list = std::get_if<std::vector<TemplateSample>>(&in[0]);
  if (list == nullptr) return wrong_type(in[0], "list of samples");
  if (list->empty()) return call_fault("first() of an empty list");
  return TemplateValue(list->front());
}

Answer label_of(std::string_view name, const TemplateValue& from) {
  const auto sample = as_sample(from);
  if (!sample) return sample.error();
  const auto at = (*sample)->labels.find(name);
  return TemplateValue(at == (*sample)->labels.end() ? std::string() : at->second);
}

Answer sort_by_label(Values in) {  // label, list
  const auto label = as_text(in[0]);
  const auto* list = std::get_if<std::vector<TemplateSample>>(&in[1]);
  if (!label || list == nullptr) return call_fault("sortByLabel wants a label and a list");
  std::vector<TemplateSample> out = *list;
  const auto key = [&](const TemplateSample& sample) -> std::string_view {
    const auto at = sample.labels.find(*label);
    return at == sample.labels.end() ? std::string_view() : std::string_view(at->second);
  };
  std::ranges::stable_sort(out, [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return TemplateValue(std::move(out));
}

Answer ask(Values in, const TemplateServices& services) {
  const auto query = as_text(in[0]);
  if (!query) return query.error();
  auto answer = services.query(*query);
  if (!answer) return answer.error();
  return TemplateValue(*std::move(answer));
}

Answer seconds_of(Values in) {
  const auto text = as_text(in[0]);
  if (!text) return text.error();
  const auto duration = promql::parse_duration_literal(*text);
  if (!duration) return duration.error();
  return TemplateValue(static_cast<double>(duration->count()) / 1000);
}

using Call = Answer (*)(Values, const TemplateServices&);
struct Function {
  std::string_view name;
  size_t arguments_min;
  size_t arguments_max;
  Call call;
};

constexpr size_t kMany = 100;

constexpr auto kFunctions = std::to_array<Function>({
    {"and", 1, kMany, nullptr},  // evaluated by the run, which stops at the first that decides
    {"or", 1, kMany, nullptr},
    {"not", 1, 1, [](Values in, const auto&) -> Answer { return TemplateValue(!is_true(in[0])); }},
    {"eq", 2, kMany, [](Values in, const auto&) -> Answer { return equal(in); }},
    {"ne", 2, 2,
     [](Values in, const auto&) -> Answer {
       const Answer same = equal(in);
       return same ? Answer(TemplateValue(!is_true(*same))) : same;
     }},
    {"lt", 2, 2, [](Values in, const auto&) -> Answer { return less(in, false, false); }},
    {"le", 2, 2, [](Values in, const auto&) -> Answer { return less(in, true, false); }},
    {"gt", 2, 2, [](Values in, const auto&) -> Answer { return less(in, false, true); }},
    {"ge", 2, 2, [](Values in, const auto&) -> Answer { return less(in, true, true); }},
    {"len", 1, 1, [](Values in, const auto&) -> Answer { return length(in); }},
    {"index", 2, 2, [](Values in, const auto&) -> Answer { return index(in); }},
    {"print", 0, kMany, [](Values in, const auto&) -> Answer { return print(in); }},
    {"println", 0, kMany, [](Values in, const auto&) -> Answer { return print_line(in); }},
    {"printf", 1, kMany, [](Values in, const auto&) -> Answer { return print_format(in); }},
    {"html", 1, 1, [](Values in, const auto&) -> Answer { return text_function(escaped_html, in); }},
    {"urlquery", 1, 1, [](Values in, const auto&) -> Answer { return text_function(escaped_url, in); }},
    {"query", 1, 1, ask},
    {"first", 1, 1, [](Values in, const auto&) -> Answer { return first(in); }},
    {"label", 2, 2,
     [](Values in, const auto&) -> Answer {
       const auto name = as_text(in[0]);
       return name ? label_of(*name, in[1]) : Answer(name.error());
     }},
    {"strvalue", 1, 1, [](Values in, const auto&) -> Answer { return label_of("__value__", in[0]); }},
    {"value", 1, 1,
     [](Values in, const auto&) -> Answer {
       const auto sample = as_sample(in[0]);
       return sample ? Answer(TemplateValue((*sample)->value)) : Answer(sample.error());
     }},
    {"sortByLabel", 2, 2, [](Values in, const auto&) -> Answer { return sort_by_label(in); }},
    {"humanize", 1, 1, [](Values in, const auto&) -> Answer { return number_text(humanize, in); }},
    {"humanize1024", 1, 1, [](Values in, const auto&) -> Answer { return number_text(humanize_1024, in); }},
    {"humanizeDuration", 1, 1,
     [](Values in, const auto&) -> Answer { return number_text(humanize_duration, in); }},
    {"humanizePercentage", 1, 1,
     [](Values in, const auto&) -> Answer { return number_text(humanize_percentage, in); }},
    {"humanizeTimestamp", 1, 1,
     [](Values in, const auto&) -> Answer { return number_text(humanize_timestamp, in); }},
    {"title", 1, 1, [](Values in, const auto&) -> Answer { return text_function(title, in); }},
    {"toUpper", 1, 1, [](Values in, const auto&) -> Answer { return text_function(upper, in); }},
    {"toLower", 1, 1,
     [](Values in, const auto&) -> Answer { return text_function(promql::lower_case, in); }},
    {"match", 2, 2, [](Values in, const auto&) -> Answer { return match(in); }},
    {"reReplaceAll", 3, 3, [](Values in, const auto&) -> Answer { return replace_all(in); }},
    {"stripPort", 1, 1, [](Values in, const auto&) -> Answer { return text_function(strip_port, in); }},
    {"stripDomain", 1, 1, [](Values in, const auto&) -> Answer { return text_function(strip_domain, in); }},
    {"safeHtml", 1, 1, [](Values in, const auto&) -> Answer { return in[0]; }},
    {"parseDuration", 1, 1, [](Values in, const auto&) -> Answer { return seconds_of(in); }},
    {"externalURL", 0, 0,
     [](Values, const TemplateServices& services) -> Answer {
       return TemplateValue(std::string(services.external_url));
     }},
});

const Function* find(std::string_view name) {
  const auto* const at = std::ranges::find(kFunctions, name, &Function::name);
  return at == kFunctions.end() ? nullptr : at;
}

}  // namespace

bool is_template_function(std::string_view name) { return find(name) != nullptr; }

Answer call_template_function(std::string_view name, Values arguments, const TemplateServices& services) {
  const Function* function = find(name);
  if (function == nullptr || function->call == nullptr)
    return call_fault(std::string(name) + " is no function");
  if (arguments.size() < function->arguments_min || arguments.size() > function->arguments_max)
    return call_fault(std::string(name) + " does not take " + std::to_string(arguments.size()) +
                      " arguments");
  Answer out = function->call(arguments, services);
  if (!out) return Error(out.error()).with(name);
  const auto* text = std::get_if<std::string>(&*out);
  if (text != nullptr && text->size() > kTemplateTextBytesMax)
    return call_fault(std::string(name) + ": the text is too long");
  return out;
}

}  // namespace statmill::rules
