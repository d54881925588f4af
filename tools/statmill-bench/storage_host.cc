// The measure host: real series of hosts, from a directory of `timestamp,value` files that the caller
// provides; statmill has none. Each value becomes a bucket of the finest tier, regardless of its time.
#include <algorithm>
#include <fstream>
#include <utility>

#include "storage/codec/fragments.h"
#include "storage/rollup.h"
#include "tools/statmill-bench/storage_measures.h"

namespace statmill {
namespace {

// Returns the values of one file as buckets of successive slots. Errors: kCorrupt on a line that is not
// "timestamp,value"; the first line may hold titles.
Result<std::vector<SlotBucket>> read_series(const std::filesystem::path& path, Slot first) {
  std::ifstream file(path);
  std::vector<SlotBucket> out;
  size_t lines = 0;
  for (std::string line; std::getline(file, line);) {
    ++lines;
    if (line.ends_with('\r')) line.pop_back();
    const size_t comma = line.rfind(',');
    Number value;
    const bool is_value = comma != std::string::npos &&
                          parse_number(std::string_view(line).substr(comma + 1), value).is_accepted();
    if (!is_value && lines == 1) continue;
    if (!is_value) {
      return Error{ErrorCode::kCorrupt,
                   path.string() + ":" + std::to_string(lines) + ": not timestamp,value"};
    }
    out.push_back({first + static_cast<Slot>(out.size()), Bucket::of(value)});
  }
  return out;
}

// Returns every .csv file below the directory, ordered by path.
Result<std::vector<std::filesystem::path>> find_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  for (auto file = std::filesystem::recursive_directory_iterator(directory, error);
       !error && file != std::filesystem::recursive_directory_iterator(); file.increment(error)) {
    if (file->path().extension() == ".csv") out.push_back(file->path());
  }
  if (error) return Error{ErrorCode::kIo, directory.string() + ": " + error.message()};
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Measured measure_host(const MeasureContext& context) {
  const std::filesystem::path& data = context.options.data;
  if (data.empty() || !std::filesystem::exists(data)) {
    say("host", data.empty() ? "skipped: no --data DIR" : "skipped: no directory " + data.string());
    return std::vector<Measurement>{};
  }
  const auto files = find_files(data);
  if (!files) return files.error();
  if (files->empty()) return Error{ErrorCode::kNotFound, data.string() + ": no .csv files"};
  Result<ScratchStore> scratch = make_scratch_store(context);
  if (!scratch) return scratch.error();
  BenchStore& store = scratch->store;
  const Tier& finest = store.store().tiers().finest();
  StoreBatch batch;
  uint64_t buckets = 0;
  for (size_t i = 0; i < files->size(); ++i) {
    const auto series = read_series((*files)[i], finest.slot_of(kFirstTime));
    if (!series) return series.error();
    buckets += series->size();
    add_fragments(batch.fragments, 0, finest, static_cast<SeriesId>(i), *series, 0);
  }
  if (buckets == 0) return Error{ErrorCode::kNotFound, data.string() + ": no values"};
  say("host", std::to_string(files->size()) + " series, " + std::to_string(buckets) + " buckets");
  if (Status s = store.store().write(batch); !s) return s.error();
  if (Status s = store.compact(0); !s) return s.error();
  return std::vector<Measurement>{{"storage.host.bytes_per_bucket",
                                   static_cast<double>(store.tier_bytes(0)) / static_cast<double>(buckets),
                                   "B", buckets}};
}

}  // namespace statmill
