#include "tools/statmill/import/import_batches.h"

#include <algorithm>
#include <utility>

#include "proto/istatd/writer.h"
#include "storage/bucket.h"

namespace statmill {
namespace {

constexpr std::string_view kBadBucket = "bad_bucket";
// Beyond any retention, and a time that the server can be asked for.
constexpr int64_t kLatestImported_s = 99'999'999'999;

}  // namespace

uint64_t ImportAccount::refused_count() const {
  uint64_t sum = 0;
  for (const auto& [reason, refused_by_it] : refused) sum += refused_by_it.count;
  return sum;
}

ImportBatches::ImportBatches(ImportBatchesOptions options)
    : options_(std::move(options)), at_(options_.from), skip_(options_.from.samples) {
  at_.samples = 0;
}

void ImportBatches::begin_file(std::string name, std::string_view place) {
  file_name_ = std::move(name);
  place_ = place;
  ++account_.files;
}

void ImportBatches::begin_piece(uint64_t file, ReadPosition from) {
  if (at_.file == file && at_.from == from) return;
  at_.file = file;
  at_.from = from;
  at_.samples = 0;
}

// Puts the prefix before the name.
const Sample& ImportBatches::renamed(const Sample& sample) {
  if (options_.prefix.empty()) return sample;
  const std::string_view before =
      std::string_view(name_).substr(std::min(name_.size(), options_.prefix.size()));
  if (name_.empty() || before != sample.name) name_.assign(options_.prefix).append(sample.name);
  renamed_ = sample;
  renamed_.name = name_;
  return renamed_;
}

bool ImportBatches::add(const Sample& read) {
  const Sample& sample = renamed(read);
  if (sample.name.size() > kNameBytesMax) return refuse(0, refusal_label(Refusal::kNameTooLong));
  // The server refuses these, too, but could not be asked for them afterwards.
  if (*sample.time_s < 0) return refuse(0, refusal_label(Refusal::kTooOld));
  if (*sample.time_s > kLatestImported_s) return refuse(0, refusal_label(Refusal::kTooNew));
  const auto bucket =
      sample.ready == nullptr ? Bucket::of(sample.value) : Bucket::ready(sample.value, *sample.ready);
  if (!bucket) return refuse(0, kBadBucket);
  ++at_.samples;
  if (skip_ > 0) {
    --skip_;
    return true;
  }
  ++account_.samples;
  if (options_.totals != nullptr) options_.totals->add(sample, *bucket);
  if (!options_.send) return !options_.should_stop || account_.samples % 4096 != 0 || !options_.should_stop();
  append_line(text_, sample);
  ++lines_;
  return text_.size() < kBatchBytes || seal();
}

bool ImportBatches::refuse(uint64_t place, std::string_view reason) {
  auto found = account_.refused.find(reason);
  if (found == account_.refused.end()) {
    std::string where = file_name_;
    if (place > 0) where += ", " + std::string(place_) + " " + std::to_string(place);
    found = account_.refused.emplace(reason, ImportAccount::Refused{0, std::move(where)}).first;
  }
  ++found->second.count;
  if (options_.is_strict) {
    status_ = Error{ErrorCode::kInvalid, found->second.first + ": " + std::string(reason)};
    return false;
  }
  return !options_.should_stop || !options_.should_stop();
}

bool ImportBatches::refuse_file(const std::string& path, const std::string& why, std::string_view reason) {
  file_name_ = why.starts_with(path) ? why : path + ": " + why;
  return refuse(0, reason);
}

bool ImportBatches::seal() {
  const BatchFrame batch{
      .seq = at_.seq + 1, .lines_before = at_.lines, .lines = lines_, .time = options_.time, .text = text_};
  ++at_.seq;
  at_.lines += lines_;
  status_ = options_.send(batch, at_);
  text_.clear();
  lines_ = 0;
  return status_.has_value() && (!options_.should_stop || !options_.should_stop());
}

Status ImportBatches::finish() {
  if (status_ && lines_ > 0) seal();
  return status_;
}

}  // namespace statmill
