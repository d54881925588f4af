#include "storage/rocks/class_bytes.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "storage/keys.h"
#include "storage/rocks/chunk_merge.h"
#include "storage/rocks/rocks_database.h"

namespace statmill {
namespace {

constexpr uint64_t kPlacesMax = 64;  // of a sample; each costs two seeks
constexpr uint64_t kRowsPerPlace = 16;
constexpr uint64_t kRowsPerLook = 64;  // at whether it is over

// Walks over the rows of a range of chunks.
class RowWalk {
 public:
  RowWalk(RocksDatabase& database, const ClassBytesRequest& request)
      : database_(database),
        request_(request),
        tier_(request.range.tier),
        first_(chunk_key(request.range.begin, 0)),
        first_slice_(first_),
        end_(chunk_key(request.range.end, 0)),
        end_slice_(end_) {
    rocksdb::ReadOptions options;
    options.iterate_lower_bound = &first_slice_;
    options.iterate_upper_bound = &end_slice_;
    options.fill_cache = false;
    row_.reset(database.db().NewIterator(options, database.tier(tier_)));
  }

  // Go to the first row, to the last row, to the last one of all chunks up to this one, and to the first one
  // from a chunk and an id on. Return its key, or nullopt if there is none.
  using Key = Result<std::optional<ChunkKey>>;
  Key first() {
    row_->SeekToFirst();
    return key();
  }
  Key last() {
    row_->SeekToLast();
    return key();
  }
  Key last_until(ChunkNo chunk) {
    row_->SeekForPrev(chunk_key(chunk, std::numeric_limits<SeriesId>::max()));
    return key();
  }
  Key seek(ChunkNo chunk, SeriesId id) {
    row_->Seek(chunk_key(chunk, id));
    return key();
  }

  // Reads up to `rows` rows from here on, fewer once it is over, and adds their bytes to those of their
  // classes. Returns how many rows it has read.
  Result<uint64_t> read(uint64_t rows) {
    uint64_t count = 0;
    for (; count < rows; row_->Next(), ++count) {
      if (count % kRowsPerLook == 0 && is_over()) break;
      const Key at = key();
      if (!at) return at.error();
      if (!*at) break;
      bytes_[database_.expiry().class_of((*at)->id)] += row_->key().size() + row_->value().size();
    }
    return count;
  }

  bool is_over() { return is_over_ = is_over_ || request_.is_over(); }
  ClassBytes& bytes() { return bytes_; }

 private:
  Key key() const {
    if (!row_->status().ok()) return error_of(row_->status());
    if (!row_->Valid()) return std::optional<ChunkKey>();
    const auto key = parse_chunk_key(tier_, row_->key().ToStringView());
    if (!key) return Error{ErrorCode::kCorrupt, "a chunk key is not 8 bytes long"};
    return key;
  }

  RocksDatabase& database_;
  const ClassBytesRequest& request_;
  const TierNo tier_;
  const std::string first_;
  const rocksdb::Slice first_slice_;
  const std::string end_;
  const rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> row_;
  ClassBytes bytes_{};
  bool is_over_ = false;
};

// Reads so many rows at each place. Ids of series that came at the same time, and often are of one class, are
// next to each other, so the places are at even distances of chunks, and in the ids of their chunk at
// multiples of the golden ratio, which are never close together.
Status sample(RowWalk& walk, ChunkNo first, uint64_t rows_max) {
  const uint64_t places = std::clamp<uint64_t>(rows_max / kRowsPerPlace, 1, kPlacesMax);
  const auto last = walk.last();
  if (!last) return last.error();
  if (!*last) return Status::ok();
  uint64_t golden = 0;
  for (uint64_t i = 0; i < places && !walk.is_over(); ++i) {
    const uint64_t chunks = (*last)->chunk - first;
    const auto chunk = static_cast<ChunkNo>(first + chunks * i / std::max<uint64_t>(places - 1, 1));
    const auto highest = walk.last_until(chunk);
    if (!highest) return highest.error();
    if (!*highest) continue;
    const auto id = static_cast<SeriesId>((uint64_t{(*highest)->id} * golden) >> 32);
    golden = (golden + 0x9e3779b9U) & 0xffffffffU;
    if (const auto found = walk.seek((*highest)->chunk, id); !found) return found.error();
    if (const auto read = walk.read(rows_max / places + 1); !read) return read.error();
  }
  return Status::ok();
}

Result<uint64_t> bytes_of(RocksDatabase& database, ChunkRange range) {
  const std::string first = chunk_key(range.begin, 0);
  const std::string end = chunk_key(range.end, 0);
  const rocksdb::Range keys(first, end);
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  uint64_t bytes = 0;
  const rocksdb::Status status =
      database.db().GetApproximateSizes(options, database.tier(range.tier), &keys, 1, &bytes);
  if (!status.ok()) return error_of(status);
  return bytes;
}

// Changes the bytes of each class in proportion, so that their sum is about `sum`.
void scale(ClassBytes& bytes, uint64_t sum) {
  const auto all = static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), uint64_t{0}));
  for (uint64_t& one : bytes)
    one = static_cast<uint64_t>(static_cast<double>(one) / all * static_cast<double>(sum));
}

}  // namespace

Result<ClassSizes> class_bytes(RocksDatabase& database, const ClassBytesRequest& request) {
  const auto& [range, rows_max, is_over] = request;
  if (range.begin >= range.end || database.tier(range.tier) == nullptr) return ClassSizes{};
  const ConcatenateOnly concatenate_only;
  RowWalk walk(database, request);
  const auto first = walk.first();
  if (!first) return first.error();
  const auto all = walk.read(rows_max + 1);
  if (!all) return all.error();
  if (*all <= rows_max || walk.is_over()) return ClassSizes{walk.bytes(), walk.is_over()};
  const ClassBytes read = std::exchange(walk.bytes(), {});
  if (Status s = sample(walk, (*first)->chunk, rows_max); !s) return s.error();
  if (walk.is_over()) return ClassSizes{read, true};
  const auto sum = bytes_of(database, range);
  if (!sum) return sum.error();
  scale(walk.bytes(), *sum);
  return ClassSizes{walk.bytes(), false};
}

}  // namespace statmill
