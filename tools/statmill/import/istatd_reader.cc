#include "tools/statmill/import/istatd_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "proto/canonical_name.h"
#include "proto/refusal.h"
#include "tools/statmill/import/tier_cover.h"

namespace statmill {
namespace {

constexpr size_t kIstatdHeadBytes = 56;  // up to the fields that are read
constexpr size_t kBucketBytes = 32;
constexpr size_t kBucketsAtOnce = 2048;
constexpr int64_t kPageBytesMax = 1 << 20;
constexpr int32_t kIntervalMax_s = 366 * 86'400;

// Bits of the flags.
constexpr int32_t kIsCollated = 1;   // rates of events
constexpr int32_t kIsTrailing = 2;   // trailing averages
constexpr int32_t kIsAggregate = 4;  // rates of events, of a coarser resolution

Error no_istatd() { return {ErrorCode::kCorrupt, "no file of istatd, or its header is damaged"}; }

template <class T>
T little_endian_at(std::string_view bytes, size_t at) {
  static_assert(std::endian::native == std::endian::little);
  std::array<char, sizeof(T)> raw;
  std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(at), sizeof(T), raw.begin());
  return std::bit_cast<T>(raw);
}

// The decimal that a float means: 0.1, and not the double that is nearest to the float.
Number number_of_float(float value) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  Number number;
  if (parse_number({text.data(), static_cast<size_t>(end - text.data())}, number).is_refused())
    return Number::shortest(double{value});
  return number;
}

struct TierFile {
  BlockFile file;
  uint64_t begin = 0;  // of the buckets
  uint64_t buckets = 0;
  FileTier kept;
};

struct StoredBucket {
  int64_t time_s = 0;
  double sum = 0;
  float min = 0;
  float max = 0;
  int32_t count = 0;
  float squares = 0;

  static StoredBucket at(std::string_view bytes, size_t at) {
    return {little_endian_at<int64_t>(bytes, at),      little_endian_at<double>(bytes, at + 8),
            little_endian_at<float>(bytes, at + 16),   little_endian_at<float>(bytes, at + 20),
            little_endian_at<int32_t>(bytes, at + 24), little_endian_at<float>(bytes, at + 28)};
  }
  bool is_finite() const {
    return std::isfinite(sum) && std::isfinite(min) && std::isfinite(max) && std::isfinite(squares);
  }
};

class IstatdReader final : public HistoryReader {
 public:
  explicit IstatdReader(std::string name) : name_(std::move(name)) {}

  Status open(std::vector<BlockFile> files) {
    if (files.size() > kIstatdFilesMax) return Error{ErrorCode::kLimit, "too many files of one counter"};
    for (BlockFile& file : files) {
      if (Status added = add(std::move(file)); !added) return added;
    }
    std::ranges::stable_sort(tiers_, {}, [](const TierFile& t) { return t.kept.step_s; });
    left_ = tiers_.size();
    return find_ranges();
  }

  Result<bool> read(HistorySink& sink) override {
    if (left_ == 0) return false;
    TierFile& tier = tiers_[left_ - 1];
    const TierRange range = ranges_[left_ - 1];
    const size_t count = std::min<uint64_t>(kBucketsAtOnce, tier.buckets - next_);
    const uint64_t begin = tier.begin + next_ * kBucketBytes;
    const auto bytes = tier.file.read(begin, count * kBucketBytes);
    if (!bytes) return bytes.error();
    for (size_t at = 0; at < bytes->size(); at += kBucketBytes) {
      const StoredBucket bucket = StoredBucket::at(*bytes, at);
      const bool is_there = bucket.time_s > 0 && bucket.count != 0 && range.has(bucket.time_s);
      if (is_there && !pass_on(bucket, tier.kept.step_s, begin + at, sink)) return false;
    }
    bytes_ += bytes->size();
    next_ += count;
    if (next_ >= tier.buckets) {
      --left_;
      next_ = 0;
    }
    return true;
  }
  uint64_t bytes() const override { return bytes_; }
  std::string_view place() const override { return "byte"; }

 private:
  Status add(BlockFile file) {
    const auto head = file.read(0, kIstatdHeadBytes);
    if (!head || !head->starts_with(kIstatdMagic)) return no_istatd();
    const auto interval_s = little_endian_at<int32_t>(*head, 20);
    const auto flags = little_endian_at<int32_t>(*head, 24);
    const auto page = little_endian_at<int64_t>(*head, 40);
    if (interval_s < 1 || interval_s > kIntervalMax_s || page < 512 || page > kPageBytesMax ||
        static_cast<uint64_t>(page) > file.size())
      return no_istatd();
    if ((flags & kIsTrailing) != 0) return Status::ok();
    is_event_ = is_event_ || (flags & (kIsCollated | kIsAggregate)) != 0;
    const auto begin = static_cast<uint64_t>(page);
    const uint64_t buckets = (file.size() - begin) / kBucketBytes;
    if (buckets == 0) return Status::ok();
    // A file has room for at most this time.
    const int64_t retention_s = static_cast<int64_t>(buckets) * interval_s;
    tiers_.push_back({std::move(file), begin, buckets, {interval_s, retention_s}});
    return Status::ok();
  }

  Status find_ranges() {
    // A damaged time must not overflow what is computed of it.
    constexpr int64_t kLatest_s = int64_t{1} << 40;
    int64_t written_s = 0;
    for (const TierFile& tier : tiers_) written_s = std::max(written_s, tier.file.written_s());
    NewestTime newest(written_s);
    std::vector<FileTier> kept;
    for (TierFile& tier : tiers_) {
      kept.push_back(tier.kept);
      for (uint64_t i = 0; i < tier.buckets; i += kBucketsAtOnce) {
        const size_t count = std::min<uint64_t>(kBucketsAtOnce, tier.buckets - i);
        const auto bytes = tier.file.read(tier.begin + i * kBucketBytes, count * kBucketBytes);
        if (!bytes) return bytes.error();
        for (size_t at = 0; at < bytes->size(); at += kBucketBytes)
          newest.add(std::clamp<int64_t>(little_endian_at<int64_t>(*bytes, at), 0, kLatest_s));
      }
    }
    ranges_ = tier_ranges(kept, newest.value());
    return Status::ok();
  }

  bool pass_on(const StoredBucket& bucket, int64_t interval_s, uint64_t place, HistorySink& sink) const {
    if (!bucket.is_finite()) return sink.refuse(place, refusal_label(Refusal::kNotFinite));
    if (bucket.count < 0) return sink.refuse(place, refusal_label(Refusal::kBadBucket));
    Sample sample;
    sample.name = name_;
    sample.time_s = bucket.time_s;
    ReadyBucket ready;
    if (is_event_) {
      // A mean rate over the interval.
      sample.kind = Kind::kEvent;
      const double amount = bucket.sum / bucket.count * static_cast<double>(interval_s);
      if (!std::isfinite(amount)) return sink.refuse(place, refusal_label(Refusal::kNotFinite));
      sample.value = Number::shortest(amount);
    } else {
      sample.value = Number::shortest(bucket.sum);
      ready = {static_cast<uint64_t>(bucket.count), number_of_float(bucket.squares),
               number_of_float(bucket.min), number_of_float(bucket.max)};
      if (bucket.count > 1) sample.ready = &ready;
    }
    return sink.add(sample);
  }

  const std::string name_;
  std::vector<TierFile> tiers_;  // the finest first
  std::vector<TierRange> ranges_;
  bool is_event_ = false;
  size_t left_ = 0;  // files to read: the coarsest, which has the oldest buckets, comes first
  uint64_t next_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<HistoryReader>> make_istatd_reader(std::vector<BlockFile> files,
                                                          const std::string& name) {
  auto spelled = spelled_name(with_blanks_escaped(name));
  if (!spelled) return spelled.error();
  auto reader = std::make_unique<IstatdReader>(*std::move(spelled));
  if (Status opened = reader->open(std::move(files)); !opened) return opened.error();
  return reader;
}

}  // namespace statmill
