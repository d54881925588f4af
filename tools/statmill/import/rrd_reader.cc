#include "tools/statmill/import/rrd_reader.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "proto/batch.h"
#include "proto/line_text.h"
#include "tools/statmill/import/rrd_text.h"
#include "tools/statmill/import/tier_cover.h"

namespace statmill {
namespace {

constexpr size_t kRrdArchivesMax = 1000;
constexpr std::string_view kAverage = "AVERAGE";

// What the dump says of its archives.
struct RrdArchive {
  bool is_average = false;
  int64_t step_s = 0;
  int64_t rows = 0;
  int64_t newest_s = 0;
};

// A row: its values, and the time in the comment before it, "<!-- 2026-11-20 ... / 1763596800 -->".
struct DumpedRow {
  int64_t time_s = 0;
  std::vector<std::string_view> values;

  static std::optional<DumpedRow> read(std::string_view line) {
    const size_t row = line.find("<row>");
    const size_t slash = line.rfind('/', line.find("-->"));
    if (row == std::string_view::npos || slash == std::string_view::npos || slash > row) return std::nullopt;
    const std::string_view time = trimmed(line.substr(slash + 1, line.find("-->", slash) - slash - 1));
    DumpedRow out;
    if (parse_integer(time, out.time_s).is_refused()) return std::nullopt;
    if (out.time_s < 0 || out.time_s > kRrdTimeMax_s) return std::nullopt;
    auto values = rrd_values(line.substr(row));
    if (!values) return std::nullopt;
    out.values = *std::move(values);
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
        const auto row = DumpedRow::read(text);
        if (row && !archives_.empty()) {
          ++archives_.back().rows;
          archives_.back().newest_s = std::max(archives_.back().newest_s, row->time_s);
        }
        continue;
      }
      if (const auto step = rrd_element(text, "step"); step && step_s == 0) step_s = rrd_integer(*step);
      if (const auto source = rrd_element(text, "name"); source && archives_.empty())
        sources_.emplace_back(source->substr(0, kNameBytesMax + 1));
      if (const auto cf = rrd_element(text, "cf")) archives_.push_back({.is_average = *cf == kAverage});
      if (const auto pdp = rrd_element(text, "pdp_per_row"); pdp && !archives_.empty()) {
        const int64_t per_row = rrd_integer(*pdp);
        if (per_row < 1 || step_s < 1 || per_row > kRrdTimeMax_s / step_s) return no_dump();
        archives_.back().step_s = per_row * step_s;
      }
      if (sources_.size() > kRrdColumnsMax || archives_.size() > kRrdArchivesMax) return no_dump();
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
    if (rrd_element(text, "cf")) ++archive_;
    if (text.find("<row>") == std::string_view::npos) return true;
    const auto row = DumpedRow::read(text);
    if (!row || archive_ == 0 || archive_ > ranges_.size() || row->values.size() != names_.size())
      return sink.refuse(number, refusal_label(Refusal::kFieldCount));
    // A row is of the time that ends then.
    const int64_t begin_s = row->time_s - archives_[archive_ - 1].step_s;
    return !ranges_[archive_ - 1].has(begin_s) || add_rrd_row({names_, row->values, begin_s, number}, sink);
  }
  uint64_t bytes() const override { return lines_.position().offset; }

  Status name_series() {
    auto names = rrd_names(name_, sources_);
    if (!names) return names.error();
    names_ = *std::move(names);
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
      if (archive.rows > kRrdTimeMax_s / archive.step_s) return no_dump();
      order.push_back(i);
      newest_s = std::max(newest_s, archive.newest_s - archive.step_s);
    }
    std::ranges::stable_sort(order, {}, [this](size_t i) { return archives_[i].step_s; });
    std::vector<FileTier> kept;
    for (const size_t i : order)
      kept.push_back({archives_[i].step_s, archives_[i].step_s * archives_[i].rows});
    const std::vector<TierRange> ranges = tier_ranges(kept, newest_s);
    ranges_.assign(archives_.size(), TierRange());
    for (size_t k = 0; k < order.size(); ++k) ranges_[order[k]] = ranges[k];
    return Status::ok();
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
