// ExpositionReader: reads what a target of Prometheus answers to a scrape, line by line: the text format
// 0.0.4 and OpenMetrics 1.0 (prometheus.io/docs/instrumenting/exposition_formats; the OpenMetrics
// specification), with names and labels in quotes, as Prometheus 3 writes them.
//
// It is more lenient than OpenMetrics about blanks and empty lines, since real targets are. A line with a
// fault is one item, and the reader goes on after it; the caller decides whether that ends the scrape, as in
// Prometheus. Time and memory are linear in the longest line, of at most kLineBytesMax bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/verdict.h"
#include "proto/line_text.h"
#include "proto/number.h"
#include "proto/prometheus/family_type.h"
#include "proto/prometheus/labels_name.h"
#include "proto/refusal.h"
#include "proto/text_arena.h"

namespace statmill {

enum class ExpositionFormat : uint8_t {
  kText,
  kOpenMetrics,
  kMetricFamilies,  // the text that metric_families.h makes: kText, with exemplars as in OpenMetrics
};

struct ExpositionFamily {
  std::string_view name;  // without the suffixes of its samples; in 0.0.4, a counter's has its _total
  FamilyType type = FamilyType::kUnknown;
  std::string_view help;  // empty if there was none
  std::string_view unit;  // only OpenMetrics has one
};

struct ExpositionExemplar {
  std::span<const LabelView> labels;  // in the order of the line, each name once
  Number value;
  std::optional<int64_t> time_ms;  // unix time, rounded down; nullopt: that of the sample
};

struct ExpositionSample {
  std::string_view name;
  std::span<const LabelView> labels;  // in the order of the line, each name once
  Number value;                       // if `special` is empty
  std::optional<double> special;      // nan, or an infinity
  std::optional<int64_t> time_ms;     // unix time, rounded down; nullopt: that of the scrape
  std::optional<ExpositionExemplar> exemplar;
  bool has_bad_exemplar = false;  // there is one that cannot be read
};

// Thread-compatible.
class ExpositionReader {
 public:
  static constexpr size_t kLabelsMax = 64;  // of a sample, as kTagsMax

  enum class Item : uint8_t {
    kSample,
    kMetadata,  // family() has changed
    kFault,
    kEnd,
  };

  // `text` must outlive the reader.
  ExpositionReader(std::string_view text, ExpositionFormat format) : rest_(text), format_(format) {}

  // Reads up to the next item. What the last one referred to is no longer valid, except for family().
  Item next();

  // Requires: next() has just returned kSample.
  const ExpositionSample& sample() const { return sample_; }
  // The family of the sample, or the one that has changed. A sample that does not belong to the family of the
  // lines before it has one of its own, of unknown type. Its texts are valid while the whole text is, or
  // until the next one begins.
  const ExpositionFamily& family() const { return family_; }
  // Require: next() has just returned kFault.
  Refusal fault() const { return fault_; }
  std::string_view line() const { return line_; }
  // The number of lines read so far.
  size_t line_number() const { return line_number_; }
  // Returns true if the text ended as its format wants: with "# EOF" if that is OpenMetrics.
  bool is_complete() const { return format_ != ExpositionFormat::kOpenMetrics || has_seen_eof_; }

 private:
  Verdict<Refusal> read_comment(Cursor cursor, bool& has_changed);
  Verdict<Refusal> read_sample(Cursor cursor);
  using Labels = std::vector<LabelView>;
  // Only the labels of a sample may have its name among them.
  Verdict<Refusal> read_labels(Cursor& cursor, Labels& labels);
  Verdict<Refusal> read_label(Cursor& cursor, Labels& labels);
  static Verdict<Refusal> add_label(std::string_view name, std::string_view value, Labels& labels);
  void read_exemplar(Cursor cursor);
  Verdict<Refusal> read_value(std::string_view text);
  Verdict<Refusal> read_time(std::string_view text);
  Verdict<Refusal> read_quoted(Cursor& cursor, std::string_view& out, TextArena& texts) const;
  void begin_family(std::string_view name);
  bool belongs_to_family(std::string_view name) const;

  std::string_view rest_;
  const ExpositionFormat format_;
  std::string_view line_;
  size_t line_number_ = 0;
  bool has_seen_eof_ = false;
  Refusal fault_{};
  ExpositionFamily family_;
  bool has_help_ = false;  // so that repeated texts of a family take no memory
  TextArena family_texts_;
  ExpositionSample sample_;
  Labels labels_;
  Labels exemplar_labels_;
  TextArena texts_;  // of the line
};

}  // namespace statmill
