#include "tools/statmill/import/recording_history_reader.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "proto/batch.h"
#include "proto/istatd/parser.h"
#include "proto/recording/recording_reader.h"

namespace statmill {
namespace {

class RecordingHistoryReader final : public HistoryReader {
 public:
  explicit RecordingHistoryReader(Descriptor file)
      : file_(std::move(file)), reader_([fd = file_.get()](std::span<char> room) -> Result<size_t> {
          while (true) {
            const ssize_t n = ::read(fd, room.data(), room.size());
            if (n >= 0) return static_cast<size_t>(n);
            if (errno != EINTR) return Error{ErrorCode::kIo, std::strerror(errno)};
          }
        }) {}

  Result<bool> read(HistorySink& sink) override {
    const uint64_t place = reader_.bytes();
    const auto block = reader_.next();
    if (!block) return block.error();
    if (!block->has_value()) return false;
    bool goes_on = true;
    for_each_moment((*block)->lines, [&](std::optional<Timestamp> at, std::string_view lines) {
      goes_on = goes_on && pass_on(at, lines, place, sink);
    });
    return goes_on;
  }
  uint64_t bytes() const override { return reader_.bytes(); }
  std::string_view place() const override { return "byte"; }

 private:
  bool pass_on(std::optional<Timestamp> at, std::string_view lines, uint64_t place, HistorySink& sink) {
    batch_.clear();
    parse_canonical_lines(lines, {}, batch_);
    for (size_t i = 0; i < kRefusalCount; ++i) {
      for (uint64_t n = batch_.refused[i]; n > 0; --n) {
        if (!sink.refuse(place, refusal_label(static_cast<Refusal>(i)))) return false;
      }
    }
    for (Sample& sample : batch_.samples) {
      if (!sample.time_s && at) sample.time_s = unix_seconds(*at);
      const bool goes_on =
          sample.time_s ? sink.add(sample) : sink.refuse(place, refusal_label(Refusal::kBadTime));
      if (!goes_on) return false;
    }
    return true;
  }

  const Descriptor file_;
  RecordingReader reader_;
  Batch batch_;
};

}  // namespace

std::unique_ptr<HistoryReader> make_recording_history_reader(Descriptor file) {
  return std::make_unique<RecordingHistoryReader>(std::move(file));
}

}  // namespace statmill
