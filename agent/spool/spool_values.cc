#include "agent/spool/spool_values.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes.h"

namespace statmill {
namespace {

constexpr std::string_view kMagic = "smvalues";
constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kHeaderBytes = kMagic.size() + 1 + AgentId::kBytes + 4 + kChecksumBytes;
constexpr size_t kRecordHeadBytes = 8;            // size, checksum
constexpr size_t kRecordBytesMax = 1 << 20;       // a longer one is damaged
constexpr size_t kFileReadMax = size_t{1} << 30;  // far above what is written
constexpr size_t kValuesInRecord = 1000;
// A byte comes before each value: this bit says that it is a counter's, the others are its scale + 1.
constexpr uint8_t kCounterBit = 0x80;

std::string header_of(const SpoolNumbering& numbering) {
  std::string out;
  Writer writer(out);
  writer.bytes(kMagic);
  writer.u8(kVersion);
  writer.bytes({reinterpret_cast<const char*>(numbering.id.bytes.data()), AgentId::kBytes});
  writer.u32be(numbering.epoch);
  writer.u32be(crc32c(out));
  return out;
}

std::string record_of(uint64_t seq, std::span<const LastValue> values) {
  std::string body;
  Writer writer(body);
  writer.u64be(seq);
  for (const LastValue& value : values) {
    writer.u64be(value.name.high);
    writer.u64be(value.name.low);
    writer.u8(static_cast<uint8_t>((value.is_counter ? kCounterBit : 0) | (value.value.scale + 1)));
    writer.svarint(value.value.mantissa);
    writer.svarint(value.time_ms);
    writer.svarint(value.seen_s);
  }
  std::string out;
  Writer head(out);
  head.u32be(static_cast<uint32_t>(body.size()));
  head.u32be(crc32c(body));
  head.bytes(body);
  return out;
}

// Returns when the newest sample of the batches came; 0 if they have no values.
int64_t newest_sample_s(std::span<const SpoolValues::OfBatch> batches) {
  int64_t newest_s = 0;
  for (const SpoolValues::OfBatch& batch : batches) {
    for (const LastValue& value : batch.values) newest_s = std::max(newest_s, value.seen_s);
  }
  return newest_s;
}

void append_records(std::string& out, SpoolValues::OfBatch batch) {
  while (!batch.values.empty()) {
    const size_t some = std::min(batch.values.size(), kValuesInRecord);
    out += record_of(batch.seq, batch.values.first(some));
    batch.values = batch.values.subspan(some);
  }
}

bool is_valid(const Number& value) {
  if (!value.is_decimal()) return value.scale == Number::kNotDecimal && std::isfinite(value.value());
  return value.scale <= Number::kScaleMax && -Number::kMantissaMax <= value.mantissa &&
         value.mantissa <= Number::kMantissaMax;
}

// Returns the values after the number of the batch; nullopt: the record is damaged.
std::optional<std::vector<LastValue>> read_values(Reader& reader) {
  std::vector<LastValue> out;
  while (!reader.done()) {
    LastValue value;
    value.name.high = reader.u64be();
    value.name.low = reader.u64be();
    const uint8_t flags = reader.u8();
    value.is_counter = (flags & kCounterBit) != 0;
    value.value.scale = static_cast<int8_t>((flags & ~kCounterBit) - 1);
    value.value.mantissa = reader.svarint();
    value.time_ms = reader.svarint();
    value.seen_s = reader.svarint();
    if (reader.failed() || !is_valid(value.value)) return std::nullopt;
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace

Result<SpoolValues> SpoolValues::open(SpoolDirectory& directory, const SpoolNumbering& numbering,
                                      uint64_t last_seq) {
  SpoolValues out(directory, numbering);
  const std::string name(kFile);
  const auto file = directory.read(name, 0, kFileReadMax);
  if (!file && file.error().code == ErrorCode::kNotFound) return out;
  if (!file) return file.error();
  const size_t used = out.read(*file, last_seq);
  // The number of a batch that the spool does not have will be that of another one.
  if (used == 0) {
    if (Status s = directory.remove(name); !s) return s.error();
    if (Status s = directory.sync(); !s) return s.error();
  } else if (used < file->size()) {
    if (Status s = directory.rewrite(name, std::string_view(*file).substr(0, used)); !s) return s.error();
  }
  return out;
}

size_t SpoolValues::read(std::string_view file, uint64_t last_seq) {
  if (!file.starts_with(header_of(numbering_))) return 0;
  size_t used = kHeaderBytes;
  for (;;) {
    Reader head(file.substr(used));
    const size_t size = head.u32be();
    const uint32_t checksum = head.u32be();
    const std::string_view body = head.bytes(size);
    if (head.failed() || size > kRecordBytesMax || crc32c(body) != checksum) return used;
    Reader reader(body);
    const uint64_t seq = reader.u64be();
    if (reader.failed() || seq > last_seq) return used;
    const auto values = read_values(reader);
    if (!values) return used;
    set(*values);
    used += kRecordHeadBytes + size;
  }
}

Status SpoolValues::append(std::span<const OfBatch> batches) {
  if (batches.empty()) return Status::ok();
  if (file_ == nullptr || file_bytes_ > file_bytes_max_) {
    file_.reset();
    if (const int64_t now_s = newest_sample_s(batches); now_s > 0) forget_old(now_s);
    if (Status s = write_file(); !s) return s;
  }
  std::string records;
  for (const OfBatch& batch : batches) append_records(records, batch);
  file_bytes_ += records.size();
  Status written = file_->append(records);
  if (written) written = file_->sync();
  if (!written) {
    file_.reset();  // its contents are unknown
    return written;
  }
  for (const OfBatch& batch : batches) pending_[batch.seq].assign(batch.values.begin(), batch.values.end());
  return Status::ok();
}

// The record of durable batches comes first, and has a number that any spool has.
Status SpoolValues::write_file() {
  const std::vector<LastValue> values = all();
  std::string contents = header_of(numbering_);
  append_records(contents, {0, values});
  for (const auto& [seq, of_batch] : pending_) append_records(contents, {seq, of_batch});
  const std::string name(kFile);
  if (Status s = directory_->replace(name, contents); !s) return s;
  if (Status s = directory_->sync(); !s) return s;
  auto file = directory_->open_for_append(name);
  if (!file) return std::move(file).error();
  file_ = *std::move(file);
  file_bytes_ = contents.size();
  file_bytes_max_ = std::max(kFileBytesMin, 4 * contents.size());
  return Status::ok();
}

void SpoolValues::keep(uint64_t seq) {
  if (const auto found = pending_.find(seq); found != pending_.end()) set(found->second);
  pending_.erase(pending_.begin(), pending_.upper_bound(seq));
}

void SpoolValues::set(std::span<const LastValue> values) {
  for (const LastValue& value : values) values_[value.name] = value;
}

// Batches that may have been written are given up, and a clone may send them.
void SpoolValues::renumber(const SpoolNumbering& numbering) {
  for (const auto& [seq, values] : std::exchange(pending_, {})) set(values);
  numbering_ = numbering;
  file_.reset();
}

std::vector<LastValue> SpoolValues::all() const {
  std::vector<LastValue> out;
  out.reserve(values_.size());
  for (const auto& [name, value] : values_) out.push_back(value);
  return out;
}

void SpoolValues::forget_old(int64_t now_s) {
  // After the clock was set back, a value from then on is as old as any.
  for (auto& [name, value] : values_) value.seen_s = std::min(value.seen_s, now_s);
  const int64_t oldest_s = now_s - std::chrono::duration_cast<std::chrono::seconds>(kForget).count();
  std::erase_if(values_, [&](const auto& entry) { return entry.second.seen_s < oldest_s; });
}

}  // namespace statmill
