// Laws of the line parsers for any bytes, shared by the property tests and the fuzz target.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "proto/istatd/parser.h"
#include "proto/tagged_name.h"

namespace statmill {

inline uint64_t sum_of_refused(const Batch& batch) {
  return std::accumulate(batch.refused.begin(), batch.refused.end(), uint64_t{0});
}

// Invariant C for a parsed batch.
inline bool account_holds(const Batch& batch) {
  return batch.received == batch.samples.size() + sum_of_refused(batch) &&
         batch.extra_fields <= batch.samples.size() &&
         batch.refused_lines.size() == std::min<uint64_t>(sum_of_refused(batch), Batch::kRefusedLinesMax);
}

inline bool same_number(const Number& a, const Number& b) {
  return a.mantissa == b.mantissa && a.scale == b.scale;
}

inline bool same_sample(const Sample& a, const Sample& b) {
  if (a.name != b.name || a.kind != b.kind || a.time_s != b.time_s || !same_number(a.value, b.value))
    return false;
  if ((a.ready == nullptr) != (b.ready == nullptr)) return false;
  return !a.ready || (a.ready->count == b.ready->count && same_number(a.ready->min, b.ready->min) &&
                      same_number(a.ready->max, b.ready->max) &&
                      same_number(a.ready->sum_of_squares, b.ready->sum_of_squares) &&
                      std::ranges::equal(a.ready->cells, b.ready->cells));
}

inline bool same_batch(const Batch& a, const Batch& b) {
  const auto same_metadata = [](const Metadata& x, const Metadata& y) {
    return x.key == y.key && x.text == y.text;
  };
  const auto same_refused_line = [](const RefusedLine& x, const RefusedLine& y) {
    return x.reason == y.reason && x.text == y.text;
  };
  const auto same_exemplar = [](const Exemplar& x, const Exemplar& y) {
    return x.series == y.series && x.time_ms == y.time_ms && x.value == y.value && x.labels == y.labels;
  };
  return a.received == b.received && a.extra_fields == b.extra_fields && a.renamed == b.renamed &&
         a.refused == b.refused &&
         std::equal(a.refused_lines.begin(), a.refused_lines.end(), b.refused_lines.begin(),
                    b.refused_lines.end(), same_refused_line) &&
         std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(), b.samples.end(), same_sample) &&
         std::equal(a.metadata.begin(), a.metadata.end(), b.metadata.begin(), b.metadata.end(),
                    same_metadata) &&
         std::ranges::equal(a.families, b.families, {}, &Batch::Family::text, &Batch::Family::text) &&
         a.exemplars_refused == b.exemplars_refused &&
         std::ranges::equal(a.exemplars, b.exemplars, same_exemplar);
}

// The table relies on this without checking it again.
inline bool is_sane(const Number& n) {
  if (!std::isfinite(n.value())) return false;
  if (!n.is_decimal()) return n.value() != 0;
  return n.scale <= Number::kScaleMax && std::abs(n.mantissa) <= Number::kMantissaMax &&
         (n.scale == 0 || n.mantissa % 10 != 0);
}

// Returns true if the cells count all samples and lie between min and max.
inline bool is_sane_histogram(const ReadyBucket& ready) {
  uint64_t count = 0;
  HistogramIndex next = histogram_index(ready.min.value());
  for (const HistogramCell& cell : ready.cells) {
    if (cell.index < next || cell.count == 0) return false;
    next = cell.index + 1;
    count += cell.count;
  }
  return count == ready.count && 0 < count && count <= uint64_t{1} << 48 &&
         next <= histogram_index(ready.max.value()) + 1;
}

inline bool is_sane(const Sample& s) {
  if (s.name.empty() || s.name.size() > kNameBytesMax || !is_sane(s.value)) return false;
  if (!is_clean_text(s.name)) return false;
  if (!s.ready) return true;
  const bool is_its_kind =
      s.kind == Kind::kGauge
          ? s.time_s && s.ready->cells.empty()
          : s.kind == Kind::kDistribution && (s.ready->cells.empty() || is_sane_histogram(*s.ready));
  return is_its_kind && is_sane(s.ready->min) && is_sane(s.ready->max) && is_sane(s.ready->sum_of_squares);
}

// Returns true if parsing `bytes` line by line, as a TCP listener may do, yields the same batch as `whole`,
// the result of parsing them at once. Works for all batches with a same_batch().
template <class AnyBatch, class ParseLine>
bool is_same_line_by_line(const AnyBatch& whole, std::string_view bytes, const ParseLine& parse_line) {
  AnyBatch lines;
  size_t begin = 0;
  while (begin <= bytes.size()) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    parse_line(bytes.substr(begin, end - begin), lines);
    begin = end + 1;
  }
  return same_batch(whole, lines);
}

// Checks that for lines of the common form, which a fast parser reads if other lines follow: with any
// byte of the line replaced by any other, and with the line truncated anywhere. Returns the first text
// that breaks the law, or an empty string.
template <class AnyBatch = Batch, class ParseLines, class ParseLine>
std::string unlike_line_by_line(const std::vector<std::string>& common_lines, const ParseLines& parse_lines,
                                const ParseLine& parse_line) {
  const auto is_unlike = [&](const std::string& text) {
    AnyBatch whole;
    parse_lines(text, whole);
    return !is_same_line_by_line(whole, text, parse_line);
  };
  for (const std::string& line : common_lines) {
    for (size_t at = 0; at < line.size(); ++at) {
      std::string text = line + line + line + line;  // other lines on both sides
      for (int byte = 0; byte < 256; ++byte) {
        text[line.size() + at] = static_cast<char>(byte);
        if (is_unlike(text)) return text;
      }
      if (std::string cut = line + line.substr(0, at); is_unlike(cut)) return cut;
    }
  }
  return {};
}

}  // namespace statmill
