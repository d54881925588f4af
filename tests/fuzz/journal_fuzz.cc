// Reads any bytes with a valid checksum as a journal row: the row is refused, or has valid entries that a
// window accepts and that can be skipped. With the checksum of another tick the row is refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "storage/codec/window.h"
#include "storage/journal/journal.h"

namespace {

using namespace statmill;

constexpr TickNo kTick = 9;

std::string seal(std::string_view bytes) {
  std::string head;
  Writer(head).u64be(kTick);
  std::string row(bytes);
  Writer(row).u32be(crc32c(bytes, crc32c(head)));
  return row;
}

// Adds the entries of each series to a new window, or skips them. Returns false if the row is refused.
bool read_row(std::string_view row, TickNo tick, bool skip) {
  auto reader = JournalRowReader::open(tick, row);
  if (!reader) return false;
  while (reader->next()) {
    Window window;
    Reader& in = reader->entry_reader();
    for (uint32_t i = 0; i < reader->entries(); ++i) {
      if (skip ? !skip_entry(in) : !window.add_entry(in, Combine::kMerge)) return false;
    }
    Slot next = 0;
    for (const SlotBucket& b : window.buckets(Combine::kMerge)) {
      SM_CHECK(b.slot >= next && !b.bucket.is_empty());
      next = b.slot + 1;
    }
    if (window.histograms() == nullptr) continue;
    next = 0;
    for (const SlotHistogram& h : window.histograms()->histograms()) {
      SM_CHECK(h.slot >= next && !h.histogram.is_empty());
      next = h.slot + 1;
    }
  }
  return !reader->failed();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string row = seal(bytes);
  SM_CHECK(!read_row(row, kTick + 1, false));
  // Entries that can be read can be skipped.
  if (read_row(row, kTick, false)) SM_CHECK(read_row(row, kTick, true));
  return 0;
}
