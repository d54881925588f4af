#include "tools/statmill/export/csv_writer.h"

#include <utility>

#include "base/csv_text.h"
#include "proto/istatd/exact_line.h"
#include "proto/istatd/writer.h"
#include "proto/kind_text.h"
#include "proto/wide_decimal.h"

namespace statmill {
namespace {

constexpr size_t kCsvPieceBytes = size_t{64} << 10;
constexpr std::string_view kCsvHead = "name,kind,time,value,count,squares,min,max,cells\r\n";

class CsvWriter final : public HistoryWriter {
 public:
  explicit CsvWriter(WriteOut out) : out_(std::move(out)), text_(kCsvHead) {}

  Status write(const Sample& sample) override {
    append_csv_text(text_, sample.name);
    text_.append(",").append(kind_text(sample.kind)).append(",").append(std::to_string(*sample.time_s));
    text_.push_back(',');
    append_number(text_, sample.value);
    if (sample.ready != nullptr) {
      append_bucket(*sample.ready);
    } else {
      text_.append(",1,,,,");
    }
    text_.append("\r\n");
    if (text_.size() < kCsvPieceBytes) return Status::ok();
    return flush();
  }
  Status finish() override { return flush(); }

 private:
  void append_bucket(const ReadyBucket& ready) {
    text_.append(",").append(std::to_string(ready.count)).append(",");
    if (ready.has_deviations) text_.push_back(kDeviationsMark);
    if (ready.squares_scale >= 0) {
      append_wide_decimal(text_, ready.exact_squares, ready.squares_scale);
    } else {
      append_number(text_, ready.sum_of_squares);
    }
    for (const Number& number : {ready.min, ready.max}) {
      text_.push_back(',');
      append_number(text_, number);
    }
    text_.push_back(',');
    for (const HistogramCell& cell : ready.cells) {
      if (text_.back() != ',') text_.push_back(' ');
      text_.append(std::to_string(cell.index)).append(":").append(std::to_string(cell.count));
    }
  }
  Status flush() {
    Status written = out_(text_);
    text_.clear();
    return written;
  }

  const WriteOut out_;
  std::string text_;
};

}  // namespace

std::unique_ptr<HistoryWriter> make_csv_writer(WriteOut out) {
  return std::make_unique<CsvWriter>(std::move(out));
}

}  // namespace statmill
