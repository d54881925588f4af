#include "storage/rocks/scrub.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/activity.h"
#include "storage/codec/entry.h"
#include "storage/codec/frames.h"
#include "storage/exemplar_row.h"
#include "storage/files/backup_manifest.h"
#include "storage/files/data_directory.h"
#include "storage/journal/journal.h"
#include "storage/keys.h"
#include "storage/rocks/chunk_merge.h"
#include "storage/rocks/exemplar_rows.h"
#include "storage/rocks/rocks_database.h"
#include "storage/rocks/rocks_snapshot.h"
#include "storage/rocks/scrub_rows.h"
#include "storage/value_row.h"

namespace statmill {
namespace {

// Returns whether the histograms, if there are any, have the same slots and counts as the buckets.
bool samples_match(const DecodedChunk& chunk) {
  if (chunk.histograms.empty()) return true;
  return std::equal(chunk.buckets.begin(), chunk.buckets.end(), chunk.histograms.begin(),
                    chunk.histograms.end(), [](const SlotBucket& b, const SlotHistogram& h) {
                      const bool is_full = b.bucket.count() >= Bucket::kCountMax;
                      return b.slot == h.slot && (is_full || b.bucket.count() == h.histogram.count());
                    });
}

// Returns a name that may be damaged, with a question mark for each control byte.
std::string printable(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return name;
}

// Returns "event", "dashboard" or "view", and the id in hexadecimal digits, because it may be binary.
Status check_value_row(TickNo tick, std::string_view row) {
  Result<ValueRowReader> reader = ValueRowReader::open(tick, row);
  if (!reader) return reader.error();
  for (;;) {
    const auto value = reader->next();
    if (!value) return value.error();
    if (!*value) return Status::ok();
  }
}

std::string document_text(const DocumentKey& key) {
  constexpr std::array<std::string_view, kDocumentKindCount> kNames = {"event", "dashboard", "view",
                                                                       "settings", "alert"};
  std::string text(kNames[static_cast<size_t>(key.kind)]);
  text += ' ';
  for (const char c : key.id) {
    const auto byte = static_cast<unsigned char>(c);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// One pass over a database. Its memory is proportional to the catalog.
class Scrubber {
 public:
  Scrubber(RocksDatabase& database, const Tiers& tiers, LongJob& job)
      : database_(database),
        tiers_(tiers),
        job_(job),
        snapshot_(database.db().GetSnapshot(),
                  [&database](const rocksdb::Snapshot* s) { database.db().ReleaseSnapshot(s); }),
        expired_(tiers.stored_count(), 0) {}

  Result<ScrubReport> run() {
    Status done = scrub_files(database_, job_, report_);
    if (done) done = catalog();
    if (done) done = meta();
    if (done) done = journal();
    for (TierNo t = 0; done && t < tiers_.stored_count(); ++t) done = tier(t);
    if (done) done = exemplars();
    if (!done) return done.error();
    return std::move(report_);
  }

 private:
  using Visit = std::function<void(std::string_view key, std::string_view value)>;

  Status rows(rocksdb::ColumnFamilyHandle* family, std::string first, const Visit& visit) {
    return scrub_rows(database_, {family, snapshot_.get(), std::move(first)}, job_, report_, visit);
  }

  Status catalog();
  void check_names();
  Status meta();
  void check_meta(std::string_view key, std::string_view value);
  void check_activity(ShardNo shard, std::string_view activity);
  Status journal();
  void check_journal_row(TickNo tick, std::string_view row);
  Status tier(TierNo tier);
  void check_chunk(const ChunkKey& key, std::string_view value);
  Status exemplars();

  bool is_known(SeriesId id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }
  std::string row_of(rocksdb::ColumnFamilyHandle* family, std::string_view key) const;
  std::string name_of(SeriesId id) const;
  std::string series_text(SeriesId id) const;

  RocksDatabase& database_;
  const Tiers& tiers_;
  LongJob& job_;
  const std::unique_ptr<const rocksdb::Snapshot, std::function<void(const rocksdb::Snapshot*)>> snapshot_;
  ScrubReport report_;
  std::vector<SeriesId> ids_;                         // ascending; including deleted ones
  std::vector<std::pair<uint64_t, SeriesId>> names_;  // hash of the name, id
  TickNo trimmed_ = 0;                                // the journal has no rows below this tick
  TickNo row_ = 0;                                    // the current journal row
  TickNo last_row_ = 0;                               // the row before it; 0 if none
  std::vector<ChunkNo> expired_;                      // by tier: chunks below are dropped
};

// Returns the value, or an empty string if there is no such row.
std::string Scrubber::row_of(rocksdb::ColumnFamilyHandle* family, std::string_view key) const {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot_.get();
  std::string value;
  const auto status = database_.db().Get(options, family, rocksdb::Slice(key.data(), key.size()), &value);
  return status.ok() ? value : std::string();
}

std::string Scrubber::name_of(SeriesId id) const {
  const std::string row = row_of(database_.series(), series_key(id));
  return row.empty() ? row : row.substr(1);
}

// Returns "series 12 (web.hits)".
std::string Scrubber::series_text(SeriesId id) const {
  const std::string name = printable(name_of(id));
  return "series " + std::to_string(id) + (name.empty() ? "" : " (" + name + ")");
}

Status Scrubber::catalog() {
  Status read = rows(database_.series(), {}, [&](std::string_view key, std::string_view value) {
    const auto id = parse_series_key(key);
    if (!id) return report_.add_fault("series", "a key is not 4 bytes long");
    ids_.push_back(*id);
    if (is_deleted_series(value)) return;
    const auto series = decode_series_row(*id, value);
    if (!series) return report_.add_fault("series " + std::to_string(*id), "an impossible row");
    ++report_.series;
    names_.emplace_back(hash_name(series->name), *id);
  });
  check_names();
  return read;
}

void Scrubber::check_names() {
  std::sort(names_.begin(), names_.end());
  for (size_t i = 1; i < names_.size(); ++i) {
    if (names_[i - 1].first != names_[i].first) continue;
    const auto [first, second] = std::pair(names_[i - 1].second, names_[i].second);
    if (name_of(first) != name_of(second)) continue;  // a collision of hashes
    report_.add_fault(series_text(second), "has the same name as series " + std::to_string(first));
  }
  std::vector<std::pair<uint64_t, SeriesId>>().swap(names_);
}

Status Scrubber::meta() {
  return rows(database_.meta(), {},
              [this](std::string_view key, std::string_view value) { check_meta(key, value); });
}

void Scrubber::check_meta(std::string_view key, std::string_view value) {
  const auto is_row_of = [&](std::string_view prefix) {
    return key.size() == prefix.size() + 1 && key.starts_with(prefix);
  };
  const auto number = static_cast<uint8_t>(key.empty() ? '\0' : key.back());  // shard or tier
  std::string_view name = key;
  Reader in(value);
  if (key == kTickKey || key == kRollupKey || key == kForgottenKey) {
    in.u64be();
  } else if (key == kTrimKey) {
    trimmed_ = in.u64be();
  } else if (key == kClockKey) {
    in.bytes(kClockRowBytes);
  } else if (key == kWholeKey) {
    if (const auto row = decode_whole_row(value); !row) report_.add_fault("default", row.error().message);
    return;
  } else if (key == kHashSecretKey) {
    in.bytes(sizeof(HashSecret));
  } else if (is_row_of(kExpiredPrefix) && number < tiers_.stored_count()) {
    name = kExpiredPrefix;
    expired_[number] = in.u32be();
    in.u32be();
  } else if (is_row_of(kFlushedPrefix)) {
    name = kFlushedPrefix;
    in.u64be();
    check_activity(number, in.bytes(in.remaining()));
  } else if (const auto agent = parse_agent_key(key)) {
    if (const auto row = decode_agent_row(*agent, value); !row)
      report_.add_fault("agent " + agent->text(), row.error().message);
    return;
  } else if (const auto family = parse_family_key(key)) {
    if (const auto row = decode_family_row(*family, value); !row)
      report_.add_fault("family " + printable(family->path), row.error().message);
    return;
  } else if (const auto document = parse_document_key(key)) {
    if (const auto row = decode_document_row(*document, value); !row)
      report_.add_fault(document_text(*document), row.error().message);
    return;
  } else if (const auto tick = parse_value_row_key(key)) {
    if (const Status read = check_value_row(*tick, value); !read)
      report_.add_fault("values tick " + std::to_string(*tick), read.error().message);
    return;
  } else {
    return report_.add_fault("default", "an unknown row");
  }
  if (in.failed() || !in.done())
    report_.add_fault("default row " + std::string(name), "has " + std::to_string(value.size()) + " bytes");
}

void Scrubber::check_activity(ShardNo shard, std::string_view activity) {
  const std::string where = "activity of shard " + std::to_string(shard);
  const auto list = decode_activity(activity);
  if (!list) return report_.add_fault(where, list.error().message);
  ++report_.activity_rows;
  for (const SeriesActivity& series : *list) {
    if (!is_known(series.id))
      report_.add_fault(where, "series " + std::to_string(series.id) + " is not in the catalog");
  }
}

Status Scrubber::journal() {
  return rows(database_.journal(), journal_key(trimmed_),
              [this](std::string_view bytes, std::string_view row) {
                const auto tick = parse_journal_key(bytes);
                if (!tick) return report_.add_fault("journal", "a key is not 8 bytes long");
                if (*tick == 0 && row.empty()) return;
                ++report_.journal_rows;
                last_row_ = std::exchange(row_, *tick);
                check_journal_row(*tick, row);
              });
}

void Scrubber::check_journal_row(TickNo tick, std::string_view row) {
  const std::string where = "journal tick " + std::to_string(tick);
  auto reader = JournalRowReader::open(tick, row);
  if (!reader) return report_.add_fault(where, reader.error().message);
  const TickNo named = reader->previous();
  const bool is_trimmed = last_row_ == 0 && named < trimmed_;
  if (named != 0 && named != last_row_ && !is_trimmed)
    report_.add_fault(where, "the row of tick " + std::to_string(named) + " before it is missing");
  while (reader->next()) {
    if (!is_known(reader->id()))
      report_.add_fault(where, "series " + std::to_string(reader->id()) + " is not in the catalog");
    bool sound = true;
    for (uint32_t i = 0; sound && i < reader->entries(); ++i) sound = skip_entry(reader->entry_reader());
    if (!sound) break;
    report_.journal_entries += reader->entries();
  }
  if (reader->failed() || !reader->entry_reader().done()) report_.add_fault(where, "an impossible entry");
}

Status Scrubber::tier(TierNo tier) {
  if (database_.tier(tier) == nullptr) return Status::ok();
  const ConcatenateOnly concatenate_only;
  report_.tiers.push_back({.name = database_.tier(tier)->GetName()});
  return rows(database_.tier(tier), chunk_key(expired_[tier], 0),
              [this, tier](std::string_view bytes, std::string_view value) {
                const auto key = parse_chunk_key(tier, bytes);
                if (!key) return report_.add_fault(report_.tiers.back().name, "a key is not 8 bytes long");
                check_chunk(*key, value);
              });
}

void Scrubber::check_chunk(const ChunkKey& key, std::string_view value) {
  ScrubReport::Tier& counts = report_.tiers.back();
  const auto fault = [&](std::string what) {
    report_.add_fault(counts.name + " chunk " + std::to_string(key.chunk) + " " + series_text(key.id),
                      std::move(what));
  };
  const int64_t slots = tiers_[key.tier].chunk_slots;
  const DecodedChunk decoded = decode_chunk(key, Slot{key.chunk} * slots, slots, value);
  uint64_t frames = 0;
  for (FrameWalk walk(key, value); walk.next();) ++frames;
  ++counts.rows;
  counts.frames += frames;
  counts.buckets += decoded.buckets.size();
  counts.histograms += decoded.histograms.size();
  counts.bytes += value.size();
  if (!is_known(key.id)) fault("the series is not in the catalog");
  if (decoded.damaged_frames == 0 && !samples_match(decoded))
    fault("buckets and histograms differ in slots or counts");
  if (decoded.damaged_frames > 0)
    fault(std::to_string(decoded.damaged_frames) + " of " + std::to_string(frames) + " frames damaged");
}

// Those of deleted series may be there until a compaction.
Status Scrubber::exemplars() {
  if (database_.exemplars() == nullptr) return Status::ok();
  return rows(database_.exemplars(), {}, [this](std::string_view bytes, std::string_view value) {
    if (bytes == kExemplarGuardKey) return;
    const auto key = parse_exemplar_key(bytes);
    if (!key) return report_.add_fault(kExemplarFamily, "a key is not 12 bytes long");
    ++report_.exemplars;
    const auto fault = [&](std::string what) {
      report_.add_fault(
          std::string(kExemplarFamily) + " slot " + std::to_string(key->slot) + " " + series_text(key->id),
          std::move(what));
    };
    if (const auto row = decode_exemplar_row(*key, value); !row) fault(row.error().message);
    if (!is_known(key->id)) fault("the series is not in the catalog");
  });
}

}  // namespace

void ScrubReport::add_fault(std::string where, std::string what) {
  ++fault_count;
  if (faults.size() < kFaultsMax) faults.push_back({std::move(where), std::move(what)});
}

Result<ScrubReport> scrub(RocksDatabase& database, const Tiers& tiers, LongJob& job) {
  return Scrubber(database, tiers, job).run();
}

Result<ScrubReport> scrub_directory(const std::string& directory, LongJob& job) {
  Result<std::string> format = read_format(directory);
  if (!format && format.error().code == ErrorCode::kNotFound) {
    const auto manifest = read_backup_manifest(directory);
    if (manifest) format = manifest->format;
    if (!manifest && manifest.error().code != ErrorCode::kNotFound) return manifest.error();
  }
  if (!format) return Error(format.error()).with(directory);
  const auto tiers = tiers_of_format(*format);
  if (!tiers) return Error(tiers.error()).with(directory);
  const auto database =
      RocksDatabase::open(database_path(directory), RocksOptions{}, *tiers, RocksAccess::kReadOnly);
  if (!database) return Error(database.error()).with(directory);
  return scrub(**database, *tiers, job);
}

}  // namespace statmill
