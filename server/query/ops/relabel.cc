#include "server/query/ops/relabel.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "base/number_text.h"
#include "server/names/value_test.h"

namespace statmill {
namespace {

std::unique_ptr<re2::RE2> compiled(const std::string& regex) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);  // as Prometheus
  return std::make_unique<re2::RE2>("(?:" + regex + ")", options);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Replaces $1, ${1}, $name, ${name} and $$, as Go's regexp.Expand.
class Template {
 public:
  Template(const re2::RE2& regex, const std::vector<re2::StringPiece>& groups)
      : names_(regex.NamedCapturingGroups()), groups_(groups) {}

  std::string expand(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
      const size_t dollar = std::min(text.find('$'), text.size());
      out += text.substr(0, dollar);
      text.remove_prefix(dollar);
      if (text.empty()) break;
      text.remove_prefix(1);
      if (text.starts_with('$')) {
        out += '$';
        text.remove_prefix(1);
      } else if (const std::optional<std::string_view> name = consume_name(text)) {
        out += group(*name);
      } else {
        out += '$';  // not a reference
      }
    }
    return out;
  }

 private:
  static std::optional<std::string_view> consume_name(std::string_view& text) {
    const bool has_brace = text.starts_with('{');
    const std::string_view rest = text.substr(has_brace ? 1 : 0);
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_word);
    const auto size = static_cast<size_t>(end - rest.begin());
    if (size == 0 || (has_brace && (size == rest.size() || rest[size] != '}'))) return std::nullopt;
    text = rest.substr(size + (has_brace ? 1 : 0));
    return rest.substr(0, size);
  }

  std::string_view group(std::string_view name) const {
    std::optional<size_t> index;
    if (std::all_of(name.begin(), name.end(), is_digit)) {
      index = parse_as<size_t>(name);
    } else if (const auto found = names_.find(std::string(name)); found != names_.end()) {
      index = static_cast<size_t>(found->second);
    }
    if (!index || *index >= groups_.size()) return {};
    const re2::StringPiece& piece = groups_[*index];
    return {piece.data(), piece.size()};
  }

  const std::map<std::string, int>& names_;
  const std::vector<re2::StringPiece>& groups_;
};

}  // namespace

Result<LabelReplacement> LabelReplacement::of(const plan::LabelReplace& node) {
  std::unique_ptr<re2::RE2> regex = compiled(node.regex);
  if (!regex->ok()) {
    return Error{ErrorCode::kInvalid, "invalid regular expression in label_replace(): " + node.regex};
  }
  if (regex->ProgramSize() > ValueTest::kInstructionsMax) {
    return Error{ErrorCode::kInvalid,
                 "regular expression of label_replace(): it needs more than 64 KiB: " + node.regex};
  }
  return LabelReplacement(node, std::move(regex));
}

LabelReplacement::LabelReplacement(const plan::LabelReplace& node, std::unique_ptr<re2::RE2> regex)
    : node_(&node), regex_(std::move(regex)) {}
LabelReplacement::LabelReplacement(LabelReplacement&&) noexcept = default;
LabelReplacement::~LabelReplacement() = default;

void LabelReplacement::apply(SeriesLabels& labels) const {
  const std::string source(labels.get(node_->source));
  std::vector<re2::StringPiece> groups(static_cast<size_t>(regex_->NumberOfCapturingGroups()) + 1);
  if (!regex_->Match(source, 0, source.size(), re2::RE2::ANCHOR_BOTH, groups.data(),
                     static_cast<int>(groups.size()))) {
    return;
  }
  labels.set(node_->destination, Template(*regex_, groups).expand(node_->replacement));
}

Status check_regex(const std::string& regex) {
  const std::unique_ptr<re2::RE2> re = compiled(regex);
  if (re->ok()) return Status::ok();
  return Error{ErrorCode::kInvalid, "error parsing regexp: " + re->error() + ": `" + regex + "`"};
}

void join_labels(SeriesLabels& labels, const plan::LabelJoin& node) {
  std::string joined;
  for (size_t i = 0; i < node.sources.size(); ++i) {
    if (i > 0) joined += node.separator;
    joined += labels.get(node.sources[i]);
  }
  labels.set(node.destination, joined);
}

bool is_naturally_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto number_of = [](std::string_view& text) {
        const auto begin = text.find_first_not_of('0');
        text.remove_prefix(std::min(begin, text.size()));
        const auto size =
            static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
        const std::string_view digits = text.substr(0, size);
        text.remove_prefix(size);
        return std::pair(digits.size(), digits);
      };
      const auto left = number_of(a);
      const auto right = number_of(b);
      if (left != right) return left < right;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

}  // namespace statmill
