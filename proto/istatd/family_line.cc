#include "proto/istatd/family_line.h"

#include "proto/canonical_name.h"
#include "proto/istatd/exact_line.h"
#include "proto/line_text.h"
#include "proto/normal_name.h"

namespace statmill {
namespace {

constexpr std::string_view kNoUnit = "-";

std::string_view next_word(std::string_view& text) {
  const char* const end = find_space(text.data(), text.data() + text.size());
  const std::string_view word(text.data(), static_cast<size_t>(end - text.data()));
  text = trimmed(text.substr(word.size()));
  return word;
}

Verdict<Refusal> read_path(std::string_view text, PathRule rule, Batch& batch, std::string_view& path) {
  const bool folds = rule == PathRule::kFold && !is_normal_name(text);
  return spell_name(folds ? batch.keep(normal_name(text)) : text, batch, path);
}

Verdict<Refusal> read_family(std::string_view line, PathRule rule, Batch& batch, FamilyText& family) {
  std::string_view rest = trimmed(line);
  next_word(rest);  // $m
  const std::string_view kind = next_word(rest);
  const std::string_view path = next_word(rest);
  family.unit = next_word(rest);
  family.help = rest;
  if (family.unit.empty()) return Refusal::kFieldCount;
  const auto known = kind_of_exact_letter(kind);
  if (!known) return Refusal::kReserved;
  family.kind = *known;
  if (family.unit == kNoUnit) family.unit = {};
  if (const auto verdict = read_path(path, rule, batch, family.path); verdict.is_refused()) return verdict;
  return check_family(family);
}

}  // namespace

void parse_family_line(std::string_view line, PathRule rule, Batch& batch) {
  FamilyText family;
  if (const auto verdict = read_family(line, rule, batch, family); verdict.is_refused())
    return batch.refuse(verdict.reason(), line);
  batch.families.push_back({family, batch.sender()});
}

void append_family_line(std::string& out, const FamilyText& family) {
  out.append("$m ").push_back(exact_letter(family.kind));
  out.append(" ").append(family.path).append(" ").append(family.unit.empty() ? kNoUnit : family.unit);
  if (!family.help.empty()) out.append(" ").append(family.help);
  out.push_back('\n');
}

}  // namespace statmill
