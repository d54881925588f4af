#include "tools/statmill/import/xport_reader.h"

#include <utility>
#include <vector>

#include "proto/batch.h"
#include "proto/line_text.h"
#include "tools/statmill/import/line_file.h"
#include "tools/statmill/import/rrd_text.h"

namespace statmill {
namespace {

class XportReader final : public HistoryReader {
 public:
  explicit XportReader(Descriptor file) : lines_(std::move(file), kRrdLineBytesMax, ReadPosition()) {}

  // Reads what is before the rows.
  Status read_head(const std::string& name) {
    std::vector<std::string> columns;
    while (true) {
      const auto line = lines_.next();
      if (!line) return line.error();
      if (!line->has_value()) return no_xport();
      const std::string_view text = (*line)->text;
      if (text.find("<data>") != std::string_view::npos) break;
      if (const auto start = rrd_element(text, "start")) time_s_ = rrd_integer(*start);
      if (const auto step = rrd_element(text, "step")) step_s_ = rrd_integer(*step);
      const auto entry = rrd_element(text, "entry");
      if (!entry) continue;
      if (columns.size() == kRrdColumnsMax || entry->size() > kNameBytesMax) return no_xport();
      columns.push_back(entry->empty() ? "column" + std::to_string(columns.size() + 1) : std::string(*entry));
    }
    if (columns.empty() || step_s_ < 1 || step_s_ > kRrdTimeMax_s || !is_time(time_s_)) return no_xport();
    auto names = rrd_names(name, columns);
    if (!names) return names.error();
    names_ = *std::move(names);
    return Status::ok();
  }

  Result<bool> read(HistorySink& sink) override {
    const auto line = lines_.next();
    if (!line) return line.error();
    if (!line->has_value()) return false;
    const uint64_t number = lines_.position().line;
    if ((*line)->is_too_long) return sink.refuse(number, refusal_label(Refusal::kLineTooLong));
    const std::string_view text = (*line)->text;
    if (text.find("<row>") == std::string_view::npos) return true;
    if (const auto time = rrd_element(text, "t")) time_s_ = rrd_integer(*time);
    if (!is_time(time_s_)) return sink.refuse(number, refusal_label(Refusal::kBadTime));
    // A row is of the time that ends then.
    const int64_t begin_s = time_s_ - step_s_;
    time_s_ += step_s_;
    const auto values = rrd_values(text);
    if (!values || values->size() != names_.size())
      return sink.refuse(number, refusal_label(Refusal::kFieldCount));
    return add_rrd_row({names_, *values, begin_s, number}, sink);
  }
  uint64_t bytes() const override { return lines_.position().offset; }

 private:
  static Error no_xport() { return {ErrorCode::kCorrupt, "no text of rrdtool xport"}; }
  static bool is_time(int64_t time_s) { return time_s >= 0 && time_s <= kRrdTimeMax_s; }

  LineFile lines_;
  std::vector<std::string> names_;
  int64_t step_s_ = 0;
  int64_t time_s_ = -1;  // of the next row, if it has none itself
};

}  // namespace

Result<std::unique_ptr<HistoryReader>> make_xport_reader(Descriptor file, const std::string& name) {
  auto reader = std::make_unique<XportReader>(std::move(file));
  if (Status read = reader->read_head(name); !read) return read.error();
  return reader;
}

}  // namespace statmill
