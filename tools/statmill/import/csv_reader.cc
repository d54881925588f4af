#include "tools/statmill/import/csv_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time_text.h"
#include "proto/added_tags.h"
#include "proto/batch.h"
#include "proto/canonical_name.h"
#include "proto/istatd/exact_line.h"
#include "proto/kind_text.h"
#include "proto/line_text.h"
#include "tools/statmill/import/csv_line.h"

namespace statmill {
namespace {

constexpr std::string_view kBadCsv = "bad_csv";
constexpr int64_t kCsvSecondsMax = 100'000'000'000;  // later than the year 5000: the time is in ms

enum class CsvColumn : uint8_t { kName, kKind, kTime, kValue, kCount, kSquares, kMin, kMax, kCells, kOther };
constexpr size_t kCsvColumns = 9;  // that are no tags

std::optional<CsvColumn> column_of(std::string_view title) {
  constexpr std::pair<std::string_view, CsvColumn> kTitles[] = {
      {"name", CsvColumn::kName},       {"metric", CsvColumn::kName}, {"series", CsvColumn::kName},
      {"kind", CsvColumn::kKind},       {"time", CsvColumn::kTime},   {"timestamp", CsvColumn::kTime},
      {"value", CsvColumn::kValue},     {"sum", CsvColumn::kValue},   {"count", CsvColumn::kCount},
      {"squares", CsvColumn::kSquares}, {"min", CsvColumn::kMin},     {"max", CsvColumn::kMax},
      {"cells", CsvColumn::kCells}};
  for (const auto& [name, column] : kTitles) {
    if (title == name) return column;
  }
  return std::nullopt;
}

// What the header says.
struct CsvHeader {
  std::vector<CsvColumn> columns;   // of each field
  std::vector<std::string> titles;  // of each field
  bool is_wide = false;             // a column for each series, in place of names and values

  static std::optional<CsvHeader> read(std::string_view line) {
    CsvLine csv;
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (!csv.read(line)) return std::nullopt;
    CsvHeader out;
    const auto has = [&out](CsvColumn column) { return std::ranges::count(out.columns, column) == 1; };
    for (const std::string_view title : csv.fields()) {
      out.columns.push_back(column_of(title).value_or(CsvColumn::kOther));
      out.titles.emplace_back(title);
    }
    if (!has(CsvColumn::kTime)) return std::nullopt;
    out.is_wide = !has(CsvColumn::kName) && !has(CsvColumn::kValue);
    if (!out.is_wide && (!has(CsvColumn::kName) || !has(CsvColumn::kValue))) return std::nullopt;
    return out;
  }
};

std::optional<int64_t> time_of(std::string_view text) {
  int64_t time = 0;
  if (parse_integer(text, time).is_accepted()) return time > kCsvSecondsMax ? time / 1000 : time;
  if (text.empty() || is_relative_time(text)) return std::nullopt;
  const auto parsed = parse_time(text, Timestamp());
  return parsed ? std::optional(*parsed) : std::nullopt;
}

class CsvReader final : public HistoryReader {
 public:
  CsvReader(LineFile lines, CsvHeader header) : lines_(std::move(lines)), header_(std::move(header)) {}

  Result<bool> read(HistorySink& sink) override {
    const auto line = lines_.next();
    if (!line) return line.error();
    if (!line->has_value()) return false;
    sink_ = &sink;
    number_ = lines_.position().line;
    batch_.clear();
    if ((*line)->is_too_long) return refuse(Refusal::kLineTooLong);
    if ((*line)->text.empty()) return true;
    if (!csv_.read((*line)->text)) return sink.refuse(number_, kBadCsv);
    if (csv_.fields().size() != header_.columns.size()) return refuse(Refusal::kFieldCount);
    return header_.is_wide ? read_wide() : read_long();
  }
  ReadPosition position() const override { return lines_.position(); }
  uint64_t bytes() const override { return lines_.position().offset; }

 private:
  bool refuse(Refusal reason) { return sink_->refuse(number_, refusal_label(reason)); }

  // A line for each time: an empty field is no sample.
  bool read_wide() {
    std::optional<int64_t> time;
    for (size_t i = 0; i < header_.columns.size(); ++i) {
      if (header_.columns[i] == CsvColumn::kTime) time = time_of(csv_.fields()[i]);
    }
    if (!time) return refuse(Refusal::kBadTime);
    for (size_t i = 0; i < header_.columns.size(); ++i) {
      const std::string_view field = csv_.fields()[i];
      if (header_.columns[i] == CsvColumn::kTime || field.empty()) continue;
      Sample sample;
      sample.time_s = time;
      auto verdict = spell_name(header_.titles[i], batch_, sample.name);
      if (verdict.is_accepted()) verdict = parse_number(field, sample.value);
      if (!(verdict.is_refused() ? refuse(verdict.reason()) : sink_->add(sample))) return false;
    }
    return true;
  }

  bool read_long() {
    std::array<std::string_view, kCsvColumns> fields;
    name_.clear();
    for (size_t i = 0; i < header_.columns.size(); ++i) {
      if (header_.columns[i] != CsvColumn::kOther)
        fields[static_cast<size_t>(header_.columns[i])] = csv_.fields()[i];
    }
    const auto field = [&fields](CsvColumn column) { return fields[static_cast<size_t>(column)]; };
    name_.assign(field(CsvColumn::kName));
    for (size_t i = 0; i < header_.columns.size(); ++i) {
      if (header_.columns[i] == CsvColumn::kOther && !csv_.fields()[i].empty())
        name_.append(";").append(header_.titles[i]).append("=").append(csv_.fields()[i]);
    }
    if (name_.find_first_of(" \t") != std::string::npos) name_ = with_blanks_escaped(name_);
    Sample sample;
    if (const auto v = spell_name(name_, batch_, sample.name); v.is_refused()) return refuse(v.reason());
    const std::string_view kind = field(CsvColumn::kKind);
    const auto* const at = std::ranges::find_if(kKinds, [&](Kind one) { return kind_text(one) == kind; });
    if (at == kKinds.end() && !kind.empty()) return sink_->refuse(number_, kBadCsv);
    if (at != kKinds.end()) sample.kind = *at;
    sample.time_s = time_of(field(CsvColumn::kTime));
    if (!sample.time_s) return refuse(Refusal::kBadTime);
    const std::string_view count = field(CsvColumn::kCount);
    const auto verdict = count.empty() || count == "1" ? parse_number(field(CsvColumn::kValue), sample.value)
                                                       : read_bucket(field, sample);
    return verdict.is_refused() ? refuse(verdict.reason()) : sink_->add(sample);
  }

  // Reads a bucket of many samples as an exact line, which has what a Number lacks.
  template <class Field>
  Verdict<Refusal> read_bucket(const Field& field, Sample& sample) {
    exact_.assign({kExactMark, exact_letter(sample.kind), ' ', 'x', ' ', '0'});
    for (const CsvColumn column :
         {CsvColumn::kValue, CsvColumn::kSquares, CsvColumn::kMin, CsvColumn::kMax, CsvColumn::kCount}) {
      const std::string_view text = field(column);
      exact_.append(" ").append(text.empty() ? "-" : text);
    }
    exact_.append(" ").append(field(CsvColumn::kCells));
    parse_exact_line(exact_, AddedTags(), batch_);
    if (batch_.samples.empty()) {
      const auto* const reason = std::ranges::find_if(batch_.refused, [](uint64_t n) { return n > 0; });
      return static_cast<Refusal>(reason - batch_.refused.begin());
    }
    sample.value = batch_.samples.front().value;
    sample.ready = batch_.samples.front().ready;
    return kAccepted;
  }

  LineFile lines_;
  const CsvHeader header_;
  CsvLine csv_;
  HistorySink* sink_ = nullptr;
  uint64_t number_ = 0;
  std::string name_;
  std::string exact_;
  Batch batch_;  // keeps names and buckets of the line
};

}  // namespace

Result<std::unique_ptr<HistoryReader>> make_csv_reader(Descriptor file, const std::string& path,
                                                       ReadPosition from) {
  LineFile lines(std::move(file), kCsvLineBytesMax, from);
  // The header is the first line, wherever the reader goes on.
  std::optional<LineFile> head;
  if (from.offset > 0) {
    auto again = LineFile::open(path, -1, {});
    if (!again) return again.error();
    head.emplace(*std::move(again), kCsvLineBytesMax, ReadPosition());
  }
  const auto line = head ? head->next() : lines.next();
  if (!line) return line.error();
  auto header = line->has_value() ? CsvHeader::read((*line)->text) : std::nullopt;
  if (!header)
    return Error{ErrorCode::kCorrupt,
                 "the first line is no header with time, name and value, or with time and series"};
  return std::make_unique<CsvReader>(std::move(lines), *std::move(header));
}

}  // namespace statmill
