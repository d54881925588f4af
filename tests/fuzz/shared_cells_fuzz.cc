// Reads a file of shared cells with any content: the result is an error, or valid readings, whose report
// lines are sent once. The input is a header, the size of the directory in two bytes, the directory, and
// bytes that are both the exemplars and the cells of the first CPU.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"
#include "counters/cell_file.h"
#include "counters/report_lines.h"
#include "statmill/cells.h"
#include "statmill/h2.h"
#include "statmill/shared_cells.h"

namespace {

using namespace statmill;

constexpr uint32_t kCpusMax = 3;  // more CPUs only take more time

std::string_view pop(std::string_view& bytes, size_t count) {
  const std::string_view out = bytes.substr(0, count);
  bytes.remove_prefix(out.size());
  return out;
}

void write_at(int file, std::string_view bytes, size_t at) {
  const auto written = static_cast<ssize_t>(bytes.size());
  SM_CHECK(::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at)) == written);
}

int file_of(std::string_view bytes) {
  cell_file::Header header{};
  const std::string_view head = pop(bytes, sizeof header);
  std::memcpy(&header, head.data(), head.size());
  header.cpus %= kCpusMax + 1;
  uint16_t directory_bytes = 0;
  const std::string_view size = pop(bytes, sizeof directory_bytes);
  std::memcpy(&directory_bytes, size.data(), size.size());
  const int file = ::memfd_create("cells", MFD_CLOEXEC);
  SM_CHECK(file >= 0);
  write_at(file, {reinterpret_cast<const char*>(&header), sizeof header}, 0);
  write_at(file, pop(bytes, directory_bytes), cell_file::kDirectoryAt);
  write_at(file, bytes.substr(0, cell_file::kCellsAt - cell_file::kExemplarsAt), cell_file::kExemplarsAt);
  write_at(file, bytes, cell_file::kCellsAt);
  const size_t whole = cell_file::kCellsAt + (size_t{header.cpus} + 1) * (size_t{1} << Cells::kCpuShift);
  SM_CHECK(::ftruncate(file, static_cast<off_t>(whole)) == 0);
  return file;
}

void check(const Reading& reading) {
  SM_CHECK(!reading.name.empty() && reading.name.size() <= cell_file::kNameBytesMax);
  SM_CHECK(reading.name.find_first_of(std::string_view(" \t\r\n\0", 5)) == std::string_view::npos);
  for (const Reading::Bucket& bucket : reading.buckets) {
    SM_CHECK(bucket.count != 0 && bucket.index < h2::bucket_count(reading.grouping_power, 64));
  }
  if (!reading.exemplar) return;
  SM_CHECK(reading.exemplar->time_ms >= 0 && !reading.exemplar->labels.empty());
  SM_CHECK(reading.exemplar->labels.size() <= cell_file::kExemplarTextBytesMax);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = file_of({reinterpret_cast<const char*>(data), size});
  std::string error;
  const auto cells = SharedCells::of(file, error);
  SM_CHECK((cells == nullptr) == !error.empty());
  if (cells == nullptr) return 0;
  static_cast<void>(cells->lives());
  auto readings = cells->read(error);
  SM_CHECK(readings.has_value() == error.empty());
  if (!readings) return 0;
  for (const Reading& reading : *readings) check(reading);
  ReportLines lines;
  const std::string_view text = lines.make(*readings);
  SM_CHECK(text.empty() || text.back() == '\n');
  const auto count = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  SM_CHECK(lines.sent(text.size()) == count);
  // Lines held back for records in progress are sent when the process has ended; after that nothing is left
  // to send.
  for (Reading& reading : *readings) reading.sum_missing_max = 0;
  lines.sent(lines.make(*readings).size());
  SM_CHECK(lines.make(*readings).empty());
  return 0;
}
