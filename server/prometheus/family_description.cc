#include "server/prometheus/family_description.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/hash.h"
#include "base/hidden_characters.h"
#include "base/text.h"
#include "proto/prometheus/series_name.h"

namespace statmill {
namespace {

Kind kind_of(FamilyType type) {
  switch (type) {
    case FamilyType::kCounter:
      return Kind::kCounter;
    case FamilyType::kHistogram:
    case FamilyType::kGaugeHistogram:
      return Kind::kDistribution;
    default:
      return Kind::kGauge;
  }
}

std::string clean_help(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t size = std::max<size_t>(utf8_length(text), 1);
    const std::string_view next = text.substr(0, size);
    const bool is_seen =
        next.front() != '\x7f' && static_cast<uint8_t>(next.front()) >= ' ' && !has_hidden_character(next);
    const std::string_view kept = utf8_length(next) > 0 && is_seen ? next : " ";
    if (out.size() + kept.size() > kHelpBytesMax) break;
    out += kept;
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

void add_family(const FamilyDescription& family, Batch& batch) {
  const std::array<LabelView, 1> labels = {{{kNameLabel, family.name}}};
  FamilyText text{.kind = family.kind.value_or(kind_of(family.type)), .path = {}, .unit = {}, .help = {}};
  if (read_series_name(labels, batch, text.path).is_refused()) return;
  if (is_unit(family.unit)) text.unit = batch.keep(family.unit);
  text.help = batch.keep(clean_help(family.help));
  if (text.unit.empty() && text.help.empty()) return;
  if (check_family(text).is_accepted()) batch.families.push_back({text, batch.sender()});
}

void note_family(const FamilyDescription& family, FamilyTypes& types, Batch& batch) {
  const uint64_t texts = hash_name(family.help) ^ (hash_name(family.unit) << 1);
  if (types.note(family.name, family.type, texts)) add_family(family, batch);
}

}  // namespace statmill
