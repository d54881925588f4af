#include "proto/istatd/exemplar_line.h"

#include <array>
#include <charconv>
#include <vector>

#include "proto/canonical_name.h"
#include "proto/line_text.h"
#include "proto/name_escapes.h"
#include "proto/number.h"

namespace statmill {
namespace {

std::string_view next_word(std::string_view& text) {
  const char* const end = find_space(text.data(), text.data() + text.size());
  const std::string_view word(text.data(), static_cast<size_t>(end - text.data()));
  text = trimmed(text.substr(word.size()));
  return word;
}

// Returns the text that a word with escapes means.
std::string_view meaning(std::string_view word, Batch& batch) {
  return has_escape(word) ? batch.keep(unescaped(word)) : word;
}

Verdict<Refusal> read_exemplar(std::string_view line, const AddedTags& added, Batch& batch,
                               Exemplar& exemplar, std::vector<LabelView>& labels) {
  std::string_view rest = trimmed(line);
  next_word(rest);  // $x
  const std::string_view name = next_word(rest);
  const std::string_view time = next_word(rest);
  const std::string_view value = next_word(rest);
  if (value.empty()) return Refusal::kFieldCount;
  if (const auto verdict = spell_name(name, added, batch, exemplar.series); verdict.is_refused())
    return verdict;
  if (parse_integer(time, exemplar.time_ms).is_refused()) return Refusal::kBadTime;
  Number number;
  if (const auto verdict = parse_number(value, number); verdict.is_refused()) return verdict;
  exemplar.value = number.value();
  while (!rest.empty()) {
    if (labels.size() == kExemplarCharactersMax) return Refusal::kTagLimit;
    const std::string_view word = next_word(rest);
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) return Refusal::kBadTag;
    labels.push_back({meaning(word.substr(0, equals), batch), meaning(word.substr(equals + 1), batch)});
  }
  return kAccepted;
}

}  // namespace

void parse_exemplar_line(std::string_view line, const AddedTags& added, Batch& batch) {
  Exemplar exemplar;
  std::vector<LabelView> labels;
  const auto verdict = read_exemplar(line, added, batch, exemplar, labels);
  if (verdict.is_refused()) return batch.refuse(verdict.reason(), line);
  batch.add_exemplar(exemplar, labels);
}

void append_exemplar_line(std::string& out, const Exemplar& exemplar) {
  out.append("$x ").append(exemplar.series).append(" ").append(std::to_string(exemplar.time_ms)).append(" ");
  std::array<char, 32> text{};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), exemplar.value).ptr);
  const auto labels = decode_exemplar_labels(exemplar.labels);
  for (const LabelView& label : *labels)
    out.append(" ").append(escaped_key(label.name)).append("=").append(escaped_value(label.value));
  out.push_back('\n');
}

}  // namespace statmill
