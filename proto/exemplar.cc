#include "proto/exemplar.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/text.h"

namespace statmill {
namespace {

// Returns the number of characters; nullopt if the text is no UTF-8.
std::optional<size_t> character_count(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) {
    const size_t length = utf8_length(text);
    if (length == 0) return std::nullopt;
    text.remove_prefix(length);
  }
  return count;
}

// Returns why exemplars cannot have these labels, which ascend by name.
std::optional<ExemplarRefusal> check_labels(std::span<const LabelView> labels) {
  size_t characters = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].name.empty() || (i > 0 && labels[i - 1].name >= labels[i].name))
      return ExemplarRefusal::kBadForm;
    for (const std::string_view text : {labels[i].name, labels[i].value}) {
      if (text.size() > 4 * kExemplarCharactersMax) return ExemplarRefusal::kLabels;
      const auto count = character_count(text);
      if (!count) return ExemplarRefusal::kBadForm;
      characters += *count;
    }
  }
  if (characters > kExemplarCharactersMax) return ExemplarRefusal::kLabels;
  return std::nullopt;
}

}  // namespace

std::string_view exemplar_refusal_label(ExemplarRefusal reason) {
  constexpr std::array<std::string_view, kExemplarRefusalCount> kLabels = {"bad_form", "labels", "value",
                                                                           "time",     "series", "limit"};
  return kLabels[static_cast<size_t>(reason)];
}

EncodedLabels encode_exemplar_labels(std::span<const LabelView> labels) {
  // A label has a character at least.
  if (labels.size() > kExemplarCharactersMax) return {{}, ExemplarRefusal::kLabels};
  std::vector<LabelView> sorted;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(sorted),
               [](const LabelView& label) { return !label.value.empty(); });
  std::sort(sorted.begin(), sorted.end(),
            [](const LabelView& a, const LabelView& b) { return a.name < b.name; });
  if (const auto refusal = check_labels(sorted)) return {{}, refusal};
  EncodedLabels out;
  Writer writer(out.text);
  for (const LabelView& label : sorted) {
    for (const std::string_view text : {label.name, label.value}) {
      writer.varint(text.size());
      writer.bytes(text);
    }
  }
  return out;
}

std::optional<std::vector<LabelView>> decode_exemplar_labels(std::string_view text) {
  if (text.size() > kExemplarLabelBytesMax) return std::nullopt;
  std::vector<LabelView> labels;
  Reader reader(text);
  while (!reader.done()) {
    LabelView& label = labels.emplace_back();
    label.name = reader.bytes(reader.varint());
    label.value = reader.bytes(reader.varint());
    if (reader.failed()) return std::nullopt;
  }
  // A length may also be written in more bytes than it needs, which would make two texts of the same labels.
  if (encode_exemplar_labels(labels).text != text) return std::nullopt;
  return labels;
}

}  // namespace statmill
