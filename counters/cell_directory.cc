#include "counters/cell_directory.h"

#include <algorithm>
#include <cstring>

#include "statmill/cells.h"

namespace statmill::cell_file {
namespace {

// At any time, all instruments together have at most kCellsMax cells, but reading the directory is not
// atomic.
constexpr uint64_t kCellsHeldMax = 2 * kCellsMax;

// Returns whether all bytes are `least` or above, and none is DEL.
bool is_plain(std::string_view text, unsigned char least) {
  return std::all_of(text.begin(), text.end(),
                     [least](char c) { return static_cast<unsigned char>(c) >= least && c != '\x7f'; });
}

// Returns what is wrong with the item, or null.
const char* fault_of(const Item& item) {
  const Entry& entry = item.entry;
  if (entry.state < State::kLive || entry.state > State::kGone) return "an instrument in an unknown state";
  if (!is_plain(item.name, '!')) return "a name with blanks or control bytes";
  if (!is_plain(item.unit, '!') || !is_plain(item.help, ' ')) return "a unit or help with control bytes";
  if (entry.grouping_power > kGroupingPowerMax) return "a histogram with invalid dimensions";
  if (entry.first_cell == 0 || entry.first_cell >= kCellsMax || entry.count > kCellsMax ||
      entry.first_cell + cells_of(entry) > kCellsMax)
    return "an instrument beyond the cells";
  const bool may_have_exemplar = entry.type == Type::kHistogram && entry.exemplar <= kExemplarsMax;
  if (entry.exemplar != 0 && !may_have_exemplar) return "an instrument with an impossible exemplar";
  if (entry.type == Type::kCounter) {
    if (entry.count != 1 || entry.grouping_power != 0) return "a counter with invalid dimensions";
    return entry.state == State::kGone ? "a counter in an unknown state" : nullptr;
  }
  if (entry.type != Type::kHistogram) return "an instrument of an unknown type";
  const unsigned power = entry.grouping_power;
  const size_t groups = entry.count >> power;  // n - g + 1 with g < n <= 64, see h2.h
  const bool is_whole = groups << power == entry.count && groups >= 2 && groups <= 65 - power;
  return is_whole ? nullptr : "a histogram with invalid dimensions";
}

// Reads the entry at `at` and moves `at` past it. Returns what is wrong with it, or null.
const char* parse_item(std::string_view directory, size_t& at, Item& item) {
  const std::string_view rest = directory.substr(at);
  if (rest.size() < sizeof(Entry)) return "a truncated entry";
  item.at = at;
  std::memcpy(&item.entry, rest.data(), sizeof(Entry));
  const size_t name_bytes = item.entry.name_bytes;
  if (name_bytes == 0 || name_bytes > kNameBytesMax) return "a name that is too short or too long";
  const size_t unit_bytes = item.entry.unit_bytes;
  const size_t help_bytes = item.entry.help_bytes;
  if (unit_bytes > kUnitBytesMax || help_bytes > kHelpBytesMax) return "a unit or help that is too long";
  const size_t bytes = entry_bytes(text_bytes_of(item.entry));
  if (bytes > rest.size()) return "a truncated entry";
  item.name = rest.substr(sizeof(Entry), name_bytes);
  item.unit = rest.substr(sizeof(Entry) + name_bytes, unit_bytes);
  item.help = rest.substr(sizeof(Entry) + name_bytes + unit_bytes, help_bytes);
  at += bytes;
  return fault_of(item);
}

}  // namespace

bool has_cells(const Entry& entry) {
  return entry.state == State::kLive || (entry.state == State::kEnded && entry.type == Type::kHistogram);
}

Directory parse_directory(std::string_view bytes) {
  Directory out;
  uint64_t cells_held = 0;
  for (size_t at = 0; at < bytes.size();) {
    Item item;
    const char* const fault = parse_item(bytes, at, item);
    if (fault != nullptr) {
      out.error = std::string(fault) + " at byte " + std::to_string(kDirectoryAt + item.at);
      return out;
    }
    if (has_cells(item.entry)) {
      const size_t cells = cells_of(item.entry);
      cells_held += cells;
      out.cells_end = std::max(out.cells_end, item.entry.first_cell + cells);
      out.histograms += item.entry.type == Type::kHistogram ? 1 : 0;
      out.exemplars += item.entry.exemplar != 0 ? 1 : 0;
    }
    out.items.push_back(item);
  }
  if (cells_held > kCellsHeldMax) out.error = "instruments with more cells than there are";
  return out;
}

}  // namespace statmill::cell_file
