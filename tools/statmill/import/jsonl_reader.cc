#include "tools/statmill/import/jsonl_reader.h"

#include <utility>

#include "proto/refusal.h"
#include "tools/statmill/import/jsonl_line.h"

namespace statmill {
namespace {

class JsonlReader final : public HistoryReader {
 public:
  JsonlReader(Descriptor file, ReadPosition from)
      : lines_(std::move(file), kJsonLineBytesMax, from), position_(from) {}

  Result<bool> read(HistorySink& sink) override {
    const auto line = lines_.next();
    if (!line) return line.error();
    if (!line->has_value()) return false;
    const uint64_t number = lines_.position().line;
    const std::string_view text = (*line)->text;
    const bool goes_on = (*line)->is_too_long ? sink.refuse(number, refusal_label(Refusal::kLineTooLong))
                         : text.empty()       ? true
                                              : line_.read(text, number, sink);
    if (!line_.has_counters()) position_ = lines_.position();
    return goes_on;
  }
  ReadPosition position() const override { return position_; }
  uint64_t bytes() const override { return lines_.position().offset; }

 private:
  LineFile lines_;
  JsonlLine line_;
  ReadPosition position_;
};

}  // namespace

std::unique_ptr<HistoryReader> make_jsonl_reader(Descriptor file, ReadPosition from) {
  return std::make_unique<JsonlReader>(std::move(file), from);
}

}  // namespace statmill
