// Reads any bytes as a file of another system; the first byte chooses the format. The reader ends, passes on
// only samples that a line can carry, and another reader finds the same ones.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "proto/istatd/writer.h"
#include "tests/fuzz/memory_file.h"
#include "tools/statmill/import/block_file.h"
#include "tools/statmill/import/csv_reader.h"
#include "tools/statmill/import/exposition_reader.h"
#include "tools/statmill/import/import_state.h"
#include "tools/statmill/import/istatd_reader.h"
#include "tools/statmill/import/jsonl_reader.h"
#include "tools/statmill/import/recording_history_reader.h"
#include "tools/statmill/import/rrd_reader.h"
#include "tools/statmill/import/whisper_reader.h"
#include "tools/statmill/import/xport_reader.h"

namespace {

using namespace statmill;

class Checked final : public HistorySink {
 public:
  bool add(const Sample& sample) override {
    SM_CHECK(sample.time_s && !sample.name.empty() && sample.name.size() <= kNameBytesMax);
    append_line(text, sample);
    return text.size() < (size_t{1} << 22);
  }
  bool refuse(uint64_t place, std::string_view reason) override {
    text.append(std::to_string(place)).append(reason);
    return text.size() < (size_t{1} << 22);
  }
  std::string text;
};

Result<std::unique_ptr<HistoryReader>> reader_of(uint8_t format, std::string_view bytes,
                                                 const MemoryFile& file) {
  file.write(bytes);
  const auto opened = [&file] { return *LineFile::open(file.path(), -1, {}); };
  switch (format) {
    case 'j':
      return make_jsonl_reader(opened(), {});
    case 'c':
      return make_csv_reader(opened(), file.path(), {});
    case 'o':
      return make_exposition_history_reader(opened(), ExpositionFormat::kOpenMetrics);
    case 'p':
      return make_exposition_history_reader(opened(), ExpositionFormat::kText);
    case 'r':
      return make_rrd_reader(file.path(), "a");
    case 'x':
      return make_xport_reader(opened(), "a");
    case 'g':
      return make_recording_history_reader(opened());
    case 'i': {
      std::vector<BlockFile> files;
      files.push_back(BlockFile::of(std::string(bytes)));
      return make_istatd_reader(std::move(files), "a");
    }
    default:
      return make_whisper_reader(BlockFile::of(std::string(bytes)), "a");
  }
}

std::string read_all(uint8_t format, std::string_view bytes, const MemoryFile& file) {
  auto reader = reader_of(format, bytes, file);
  if (!reader) return reader.error().message;
  Checked sink;
  while (true) {
    const Result<bool> read = (*reader)->read(sink);
    SM_CHECK((*reader)->bytes() <= 2 * bytes.size());
    if (!read) return sink.text + read.error().message;
    if (!*read) return sink.text;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const MemoryFile file;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 's') {
    const auto state = parse_import_state(bytes);
    SM_CHECK(!state || parse_import_state(import_state_text(*state)).has_value());
    return 0;
  }
  SM_CHECK(read_all(data[0], bytes, file) == read_all(data[0], bytes, file));
  return 0;
}
