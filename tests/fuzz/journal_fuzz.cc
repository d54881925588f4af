// A journal row of any bytes under a right checksum: refused, or possible entries that encode and decode to
// themselves. The same bytes without the checksum are refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "storage/journal.h"

namespace {

using namespace statmill;

constexpr TickNo kTick = 9;
constexpr ShardNo kShard = 200;

std::string seal(std::string_view bytes) {
  std::string head;
  Writer out(head);
  out.u64be(kTick);
  out.u8(kShard);
  std::string row(bytes);
  Writer(row).u32be(crc32c(bytes, crc32c(head)));
  return row;
}

bool same(const JournalEntry& a, const JournalEntry& b) {
  return a.id == b.id && a.kind == b.kind && a.slot == b.slot && a.bucket == b.bucket;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  SM_CHECK(!decode_journal_row(kTick, kShard + 1, seal(bytes)));
  const auto entries = decode_journal_row(kTick, kShard, seal(bytes));
  if (!entries) return 0;
  for (const JournalEntry& entry : *entries) SM_CHECK(!entry.bucket.is_empty() && entry.slot >= 0);
  const auto again = decode_journal_row(kTick, kShard, encode_journal_row(kTick, kShard, *entries));
  SM_CHECK(again && again->size() == entries->size());
  for (size_t i = 0; i < entries->size(); ++i) SM_CHECK(same((*entries)[i], (*again)[i]));
  return 0;
}
