#include "tools/statmill/import/whisper_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "proto/canonical_name.h"
#include "proto/refusal.h"
#include "tools/statmill/import/tier_cover.h"

namespace statmill {
namespace {

constexpr size_t kHeadBytes = 16;
constexpr size_t kArchiveBytes = 12;
constexpr size_t kPointBytes = 12;
constexpr size_t kPointsAtOnce = 4096;
constexpr uint32_t kAggregationSum = 2;
constexpr uint32_t kAggregationMax = 8;  // the last one there is

struct Archive {
  uint64_t offset = 0;
  FileTier kept;
  uint64_t points = 0;
};

Error no_whisper() { return {ErrorCode::kCorrupt, "no whisper file, or its header is damaged"}; }

uint32_t u32_at(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

double f64_at(std::string_view bytes, size_t at) {
  return std::bit_cast<double>(uint64_t{u32_at(bytes, at)} << 32 | u32_at(bytes, at + 4));
}

class WhisperReader final : public HistoryReader {
 public:
  WhisperReader(BlockFile file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  Status open() {
    const auto head = file_.read(0, kHeadBytes);
    if (!head) return no_whisper();
    const uint32_t aggregation = u32_at(*head, 0);
    const uint32_t count = u32_at(*head, 12);
    if (aggregation < 1 || aggregation > kAggregationMax || count < 1 || count > kWhisperArchivesMax)
      return no_whisper();
    kind_ = aggregation == kAggregationSum ? Kind::kEvent : Kind::kGauge;
    const auto list = file_.read(kHeadBytes, count * kArchiveBytes);
    if (!list) return no_whisper();
    for (size_t i = 0; i < count; ++i) {
      const size_t at = i * kArchiveBytes;
      Archive archive{u32_at(*list, at), {u32_at(*list, at + 4), 1}, u32_at(*list, at + 8)};
      const uint64_t bytes = archive.points * kPointBytes;
      if (archive.kept.step_s < 1 || archive.points < 1 ||
          archive.offset < kHeadBytes + count * kArchiveBytes || archive.offset > file_.size() ||
          bytes > file_.size() - archive.offset)
        return no_whisper();
      archive.kept.retention_s = archive.kept.step_s * static_cast<int64_t>(archive.points);
      archives_.push_back(archive);
    }
    std::ranges::sort(archives_, {}, [](const Archive& a) { return a.kept.step_s; });
    return find_ranges();
  }

  Result<bool> read(HistorySink& sink) override {
    if (left_ == 0) return false;
    const Archive& archive = archives_[left_ - 1];
    const size_t points = std::min<uint64_t>(kPointsAtOnce, archive.points - next_);
    const uint64_t begin = archive.offset + next_ * kPointBytes;
    const auto bytes = file_.read(begin, points * kPointBytes);
    if (!bytes) return bytes.error();
    bytes_ = std::max(bytes_, begin + bytes->size());
    const TierRange range = ranges_[left_ - 1];
    for (size_t at = 0; at < bytes->size(); at += kPointBytes) {
      const int64_t time_s = u32_at(*bytes, at);
      if (time_s != 0 && range.has(time_s) && !pass_on(time_s, f64_at(*bytes, at + 4), begin + at, sink))
        return false;
    }
    next_ += points;
    if (next_ == archive.points) {
      --left_;
      next_ = 0;
    }
    return true;
  }
  uint64_t bytes() const override { return left_ == 0 ? file_.size() : std::min(bytes_, file_.size()); }
  std::string_view place() const override { return "byte"; }

 private:
  // A file knows its time by its newest point only.
  Status find_ranges() {
    NewestTime newest(file_.written_s());
    for (const Archive& archive : archives_) {
      for (uint64_t i = 0; i < archive.points; i += kPointsAtOnce) {
        const size_t points = std::min<uint64_t>(kPointsAtOnce, archive.points - i);
        const auto bytes = file_.read(archive.offset + i * kPointBytes, points * kPointBytes);
        if (!bytes) return bytes.error();
        for (size_t at = 0; at < bytes->size(); at += kPointBytes) newest.add(u32_at(*bytes, at));
      }
    }
    std::vector<FileTier> kept;
    for (const Archive& archive : archives_) kept.push_back(archive.kept);
    ranges_ = tier_ranges(kept, newest.value());
    left_ = archives_.size();
    return Status::ok();
  }

  bool pass_on(int64_t time_s, double value, uint64_t place, HistorySink& sink) const {
    if (!std::isfinite(value)) return sink.refuse(place, refusal_label(Refusal::kNotFinite));
    Sample sample;
    sample.name = name_;
    sample.kind = kind_;
    sample.time_s = time_s;
    sample.value = Number::shortest(value);
    return sink.add(sample);
  }

  BlockFile file_;
  const std::string name_;
  Kind kind_ = Kind::kGauge;
  std::vector<Archive> archives_;  // the finest first
  std::vector<TierRange> ranges_;  // of each
  size_t left_ = 0;                // archives to read: the coarsest, which has the oldest points, comes first
  uint64_t next_ = 0;              // point of the present one
  uint64_t bytes_ = 0;             // up to which the file was read
};

}  // namespace

std::string whisper_name(std::string_view path) {
  constexpr std::string_view kExtension = ".wsp";
  if (path.ends_with(kExtension)) path.remove_suffix(kExtension.size());
  std::string name(path);
  if (path.starts_with("_tagged/") || path.find("/_tagged/") != std::string_view::npos) {
    // The last part is the name, in which carbon writes dots as _DOT_.
    name = path.substr(path.rfind('/') + 1);
    constexpr std::string_view kDot = "_DOT_";
    for (size_t at = name.find(kDot); at != std::string::npos; at = name.find(kDot, at + 1))
      name.replace(at, kDot.size(), ".");
    return name;
  }
  std::ranges::replace(name, '/', '.');
  return name;
}

Result<std::unique_ptr<HistoryReader>> make_whisper_reader(BlockFile file, const std::string& name) {
  auto spelled = spelled_name(with_blanks_escaped(name));
  if (!spelled) return spelled.error();
  auto reader = std::make_unique<WhisperReader>(std::move(file), *std::move(spelled));
  if (Status opened = reader->open(); !opened) return opened.error();
  return reader;
}

}  // namespace statmill
