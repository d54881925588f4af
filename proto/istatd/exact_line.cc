#include "proto/istatd/exact_line.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "proto/canonical_name.h"
#include "proto/line_text.h"
#include "proto/wide_decimal.h"

namespace statmill {
namespace {

// Mark and letter, name, then the value; or time and value; or time, sum, sum of squares, min, max, count and
// cells.
using ExactFields = Fields<9>;
constexpr size_t kFieldsWithoutTime = 3;
constexpr size_t kFieldsOfOne = 4;
constexpr size_t kFieldsOfMany = 8;
constexpr size_t kCellBytesMin = 4;                      // "0:1 "
constexpr uint64_t kCountMax = (uint64_t{1} << 48) - 1;  // per bucket

bool has_good_field_count(Kind kind, size_t count) {
  if (count == kFieldsWithoutTime || count == kFieldsOfOne) return true;
  if (adds_up(kind)) return false;
  return count == kFieldsOfMany || (kind == Kind::kDistribution && count > kFieldsOfMany);
}

Verdict<Refusal> read_name(std::string_view text, const AddedTags& added, Batch& batch,
                           std::string_view& name) {
  if (!added.is_empty() || !is_plainly_canonical(text)) return spell_name(text, added, batch, name);
  name = text;
  return kAccepted;
}

// Reads `index:count`, where the index is one of our own partition.
Verdict<Refusal> read_cell(std::string_view text, HistogramCell& cell) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return Refusal::kBadValue;
  if (const auto verdict = parse_integer(text.substr(0, colon), cell.index); verdict.is_refused())
    return verdict;
  if (const auto verdict = parse_integer(text.substr(colon + 1), cell.count); verdict.is_refused())
    return verdict;
  return accept_if(is_histogram_index(cell.index), Refusal::kOutOfRange);
}

// Reads the cells. Their indices must ascend between those of min and max, and their
// counts must add up to the bucket's count.
Verdict<Refusal> read_cells(std::string_view text, Batch& batch, ReadyBucket& ready) {
  std::vector<HistogramCell> cells;
  cells.reserve(text.size() / kCellBytesMin + 1);
  uint64_t rest = ready.count;
  HistogramIndex least = histogram_index(ready.min.value());
  const HistogramIndex greatest = histogram_index(ready.max.value());
  for (const char* at = text.data(); at != text.data() + text.size();) {
    const char* const end = find_space(at, text.data() + text.size());
    HistogramCell cell;
    if (const auto verdict = read_cell({at, static_cast<size_t>(end - at)}, cell); verdict.is_refused())
      return verdict;
    const bool fits = least <= cell.index && cell.index <= greatest && cell.count != 0 && cell.count <= rest;
    if (!fits) return Refusal::kBadBucket;
    least = cell.index + 1;
    rest -= cell.count;
    cells.push_back(cell);
    for (at = end; at != text.data() + text.size() && is_space(*at);) ++at;
  }
  if (rest != 0) return Refusal::kBadBucket;
  ready.cells = batch.keep(std::move(cells));
  return kAccepted;
}

// Numbers with at most this many bytes lose no digit as a Number.
constexpr size_t kNumberBytes = 18;

// Reads the sum of squares, or that of the deviations after their mark.
Verdict<Refusal> read_squares(std::string_view text, ReadyBucket& ready) {
  ready.has_deviations = text.front() == kDeviationsMark;
  if (ready.has_deviations) text.remove_prefix(1);
  if (const auto verdict = parse_number(text, ready.sum_of_squares); verdict.is_refused()) return verdict;
  if (text.size() <= kNumberBytes || ready.has_deviations) return kAccepted;
  if (const auto wide = parse_wide_decimal(text)) {
    ready.exact_squares = wide->integer;
    ready.squares_scale = wide->scale;
  }
  return kAccepted;
}

// A stored sum may have one digit more than a sample.
void widen_sum(std::string_view text, Number& sum) {
  if (text.size() <= kNumberBytes) return;
  const auto wide = parse_wide_decimal(text);
  if (!wide || wide->scale > Number::kScaleMax) return;
  const auto mantissa = static_cast<int64_t>(wide->integer);
  const bool has_negative = mantissa != std::numeric_limits<int64_t>::min();  // writers turn its sign
  if (mantissa == wide->integer && has_negative) sum = {mantissa, wide->scale};
}

Verdict<Refusal> read_bucket(const ExactFields& fields, std::string_view cells, Batch& batch,
                             ReadyBucket& ready) {
  if (const auto verdict = read_squares(fields[4], ready); verdict.is_refused()) return verdict;
  if (const auto verdict = parse_number(fields[5], ready.min); verdict.is_refused()) return verdict;
  if (const auto verdict = parse_number(fields[6], ready.max); verdict.is_refused()) return verdict;
  if (const auto verdict = parse_integer(fields[7], ready.count); verdict.is_refused()) return verdict;
  if (ready.count == 0 || ready.count > kCountMax) return Refusal::kBadBucket;
  return cells.empty() ? kAccepted : read_cells(cells, batch, ready);
}

Verdict<Refusal> read_line(std::string_view line, const AddedTags& added, Batch& batch) {
  const auto fields = split_fields<ExactFields::kMax>(line);
  const auto kind = kind_of_exact_letter(fields[0].substr(1));
  if (!kind) return Refusal::kReserved;
  if (!has_good_field_count(*kind, fields.count)) return Refusal::kFieldCount;
  Sample sample;
  sample.kind = *kind;
  if (const auto verdict = read_name(fields[1], added, batch, sample.name); verdict.is_refused())
    return verdict;
  const bool has_time = fields.count > kFieldsWithoutTime;
  if (has_time && parse_integer(fields[2], sample.time_s.emplace()).is_refused()) return Refusal::kBadTime;
  if (const auto verdict = parse_number(fields[has_time ? 3 : 2], sample.value); verdict.is_refused())
    return verdict;
  if (fields.count > kFieldsOfOne) {
    widen_sum(fields[3], sample.value);
    ReadyBucket& ready = batch.new_ready_bucket();
    sample.ready = &ready;
    const char* const cells = fields.count > kFieldsOfMany ? fields.begin[kFieldsOfMany] : line.end();
    const auto size = static_cast<size_t>(line.data() + line.size() - cells);
    if (const auto verdict = read_bucket(fields, {cells, size}, batch, ready); verdict.is_refused())
      return verdict;
  }
  batch.samples.push_back(sample);
  ++batch.received;
  return kAccepted;
}

}  // namespace

std::optional<Kind> kind_of_exact_letter(std::string_view text) {
  for (const Kind kind : kKinds) {
    if (text.size() == 1 && text.front() == exact_letter(kind)) return kind;
  }
  return std::nullopt;
}

void parse_exact_line(std::string_view line, const AddedTags& added, Batch& batch) {
  if (const auto verdict = read_line(line, added, batch); verdict.is_refused())
    batch.refuse(verdict.reason(), line);
}

}  // namespace statmill
