#include "storage/journal/journal.h"

#include <limits>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace statmill {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 4;

uint32_t checksum(TickNo tick, std::string_view bytes) {
  std::string head;
  Writer(head).u64be(tick);
  return crc32c(bytes, crc32c(head));
}

Error corrupt(TickNo tick, std::string_view why) {
  return {ErrorCode::kCorrupt, "journal row of tick " + std::to_string(tick) + ": " + std::string(why)};
}

// Returns the row between version and checksum, once both are correct.
Result<std::string_view> checked(TickNo tick, std::string_view row) {
  if (row.size() < kChecksumBytes + 1) return corrupt(tick, "cut short");
  const std::string_view bytes = row.substr(0, row.size() - kChecksumBytes);
  if (Reader(row.substr(bytes.size())).u32be() != checksum(tick, bytes)) {
    return corrupt(tick, "wrong checksum");
  }
  const auto version = static_cast<uint8_t>(row[0]);
  if (version == kVersion) return bytes.substr(1);
  return Error{ErrorCode::kVersion, "journal row of version " + std::to_string(version) +
                                        ", this program reads " + std::to_string(kVersion)};
}

}  // namespace

void begin_journal_row(const RowPlace& place, std::string& row) {
  SM_CHECK(place.previous < place.tick);
  row.clear();
  Writer out(row);
  out.u8(kVersion);
  out.varint(place.previous == 0 ? 0 : place.tick - place.previous);
}

void end_journal_row(TickNo tick, std::string& row) { Writer(row).u32be(checksum(tick, row)); }

std::string encode_journal_row(const RowPlace& place, std::span<const JournalPiece> pieces) {
  std::string row;
  encode_journal_row(
      place, pieces.size(), [&](size_t i) { return pieces[i]; }, row);
  return row;
}

Result<JournalRowReader> JournalRowReader::open(TickNo tick, std::string_view row) {
  const auto runs = checked(tick, row);
  if (!runs) return runs.error();
  Reader in(*runs);
  const uint64_t back = in.varint();
  if (in.failed() || back >= tick) return corrupt(tick, "an impossible previous tick");
  return JournalRowReader(back == 0 ? 0 : tick - back, in);
}

bool JournalRowReader::next() {
  if (failed() || (left_ == 0 && (in_.done() || !begin_run()))) return false;
  --left_;
  id_ = next_++;
  return true;
}

bool JournalRowReader::begin_run() {
  const uint64_t gap = in_.varint();
  left_ = in_.varint();
  entries_ = in_.varint();
  constexpr uint64_t kIds = uint64_t{std::numeric_limits<SeriesId>::max()} + 1;
  // Every entry has at least one byte, which bounds the loops over them.
  failed_ = in_.failed() || left_ == 0 || entries_ == 0 || left_ > in_.remaining() ||
            entries_ > in_.remaining() || gap > kIds || next_ + gap + left_ > kIds;
  next_ += gap;
  return !failed_;
}

}  // namespace statmill
