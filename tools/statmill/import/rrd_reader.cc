#include "tools/statmill/import/rrd_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "proto/batch.h"
#include "proto/canonical_name.h"
#include "proto/line_text.h"
#include "tools/statmill/import/tier_cover.h"

namespace statmill {
namespace {

constexpr size_t kRrdLineBytesMax = size_t{1} << 20;
constexpr size_t kSourcesMax = 10'000;
constexpr size_t kRrdArchivesMax = 1000;
constexpr std::string_view kAverage = "AVERAGE";

// Returns the trimmed text of <tag>text</tag>, wherever it is in the line.
std::optional<std::string_view> element(std::string_view line, std::string_view tag) {
  const std::string open = "<" + std::string(tag) + ">";
  const size_t begin = line.find(open);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = line.find("</", begin);
  if (end == std::string_view::npos) return std::nullopt;
  return trimmed(line.substr(begin + open.size(), end - begin - open.size()));
}

// Returns 0 for any text that is no integer.
int64_t positive(std::string_view text) {
  int64_t number = 0;
  return parse_integer(text, number).is_refused() ? 0 : number;
}

// What the dump says of its archives.
struct RrdArchive {
  bool is_average = false;
  int64_t step_s = 0;
  int64_t rows = 0;
  int64_t newest_s = 0;
};

// A row: its values, and the time in the comment before it, "<!-- 2026-11-20 ... / 1763596800 -->".
struct RrdRow {
  int64_t time_s = 0;
  std::vector<std::string_view> values;

  static std::optional<RrdRow> read(std::string_view line) {
    const size_t row = line.find("<row>");
    const size_t slash = line.rfind('/', line.find("-->"));
    if (row == std::string_view::npos || slash == std::string_view::npos || slash > row) return std::nullopt;
    RrdRow out;
    const std::string_view time = trimmed(line.substr(slash + 1, line.find("-->", slash) - slash - 1));
    if (parse_integer(time, out.time_s).is_refused()) return std::nullopt;
    std::string_view rest = line.substr(row);
    for (size_t at = rest.find("<v>"); at != std::string_view::npos; at = rest.find("<v>")) {
      rest.remove_prefix(at + 3);
      const size_t end = std::min(rest.find('<'), rest.size());
      if (out.values.size() == kSourcesMax) return std::nullopt;
      out.values.push_back(trimmed(rest.substr(0, end)));
    }
    return out;
  }
};

class RrdReader final : public HistoryReader {
 public:
  RrdReader(LineFile lines, std::string name) : lines_(std::move(lines)), name_(std::move(name)) {}

  // The first pass: finds the data sources, and which archive has which time.
  Status scan(LineFile& lines) {
    int64_t step_s = 0;
    while (true) {
      const auto line = lines.next();
      if (!line) return line.error();
      if (!line->has_value()) break;
      const std::string_view text = (*line)->text;
      if (text.find("<row>") != std::string_view::npos) {
        const auto row = RrdRow::read(text);
        if (row && !archives_.empty()) {
          ++archives_.back().rows;
          archives_.back().newest_s = std::max(archives_.back().newest_s, row->time_s);
        }
        continue;
      }
      if (const auto step = element(text, "step"); step && step_s == 0) step_s = positive(*step);
      if (const auto source = element(text, "name"); source && archives_.empty())
        sources_.emplace_back(*source);
      if (const auto cf = element(text, "cf")) archives_.push_back({.is_average = *cf == kAverage});
      if (const auto pdp = element(text, "pdp_per_row"); pdp && !archives_.empty()) {
        const int64_t per_row = positive(*pdp);
        if (per_row < 1 || per_row > 10'000'000 || step_s < 1 || step_s > 366 * 86'400) return no_dump();
        archives_.back().step_s = per_row * step_s;
      }
      if (sources_.size() > kSourcesMax || archives_.size() > kRrdArchivesMax) return no_dump();
    }
    if (sources_.empty() || archives_.empty()) return no_dump();
    return find_ranges();
  }

  Result<bool> read(HistorySink& sink) override {
    const auto line = lines_.next();
    if (!line) return line.error();
    if (!line->has_value()) return false;
    const std::string_view text = (*line)->text;
    const uint64_t number = lines_.position().line;
    if ((*line)->is_too_long) return sink.refuse(number, refusal_label(Refusal::kLineTooLong));
    if (element(text, "cf")) ++archive_;
    if (text.find("<row>") == std::string_view::npos) return true;
    const auto row = RrdRow::read(text);
    if (!row || archive_ == 0 || archive_ > ranges_.size() || row->values.size() != names_.size())
      return sink.refuse(number, refusal_label(Refusal::kFieldCount));
    // A row is of the time that ends then.
    const int64_t begin_s = row->time_s - archives_[archive_ - 1].step_s;
    return !ranges_[archive_ - 1].has(begin_s) || pass_on(*row, begin_s, number, sink);
  }
  uint64_t bytes() const override { return lines_.position().offset; }

  Status name_series() {
    for (const std::string& source : sources_) {
      auto name = spelled_name(with_blanks_escaped(name_ + "." + source));
      if (!name) return name.error();
      names_.push_back(*std::move(name));
    }
    return Status::ok();
  }

 private:
  static Error no_dump() { return {ErrorCode::kCorrupt, "no text of rrdtool dump"}; }

  Status find_ranges() {
    std::vector<size_t> order;
    int64_t newest_s = 0;
    for (size_t i = 0; i < archives_.size(); ++i) {
      const RrdArchive& archive = archives_[i];
      if (!archive.is_average || archive.step_s < 1 || archive.rows < 1) continue;
      order.push_back(i);
      newest_s = std::max(newest_s, archive.newest_s - archive.step_s);
    }
    std::ranges::stable_sort(order, {}, [this](size_t i) { return archives_[i].step_s; });
    std::vector<FileTier> kept;
    for (const size_t i : order)
      kept.push_back({archives_[i].step_s, archives_[i].step_s * archives_[i].rows});
    const std::vector<TierRange> ranges = tier_ranges(kept, std::min(newest_s, int64_t{1} << 40));
    ranges_.assign(archives_.size(), TierRange());
    for (size_t k = 0; k < order.size(); ++k) ranges_[order[k]] = ranges[k];
    return Status::ok();
  }

  bool pass_on(const RrdRow& row, int64_t begin_s, uint64_t number, HistorySink& sink) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      Sample sample;
      const auto verdict = parse_number(row.values[i], sample.value);
      if (verdict.is_refused() && verdict.reason() == Refusal::kNotFinite) continue;  // unknown
      sample.name = names_[i];
      sample.time_s = begin_s;
      if (!(verdict.is_refused() ? sink.refuse(number, refusal_label(verdict.reason())) : sink.add(sample)))
        return false;
    }
    return true;
  }

  LineFile lines_;
  const std::string name_;
  std::vector<std::string> sources_;
  std::vector<std::string> names_;  // of their series
  std::vector<RrdArchive> archives_;
  std::vector<TierRange> ranges_;  // of each archive; empty for those that are left out
  size_t archive_ = 0;             // the number of the present one, from 1 on
};

}  // namespace

Result<std::unique_ptr<HistoryReader>> make_rrd_reader(const std::string& path, const std::string& name) {
  auto first = LineFile::open(path, -1, {});
  if (!first) return first.error();
  auto second = LineFile::open(path, -1, {});
  if (!second) return second.error();
  auto reader =
      std::make_unique<RrdReader>(LineFile(*std::move(second), kRrdLineBytesMax, ReadPosition()), name);
  LineFile lines(*std::move(first), kRrdLineBytesMax, ReadPosition());
  if (Status scanned = reader->scan(lines); !scanned) return scanned.error();
  if (Status named = reader->name_series(); !named) return named.error();
  return reader;
}

}  // namespace statmill
