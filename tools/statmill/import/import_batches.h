// ImportBatches: makes numbered batches of lines out of the samples of an import, and an account of them.
//
// The same samples always make the same batches, so that an interrupted import can make them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "proto/agent/frames.h"
#include "tools/statmill/import/history_sink.h"
#include "tools/statmill/import/import_state.h"
#include "tools/statmill/import/import_totals.h"

namespace statmill {

// What an import has read.
struct ImportAccount {
  struct Refused {
    uint64_t count = 0;
    std::string first = {};  // "a/b.csv, line 7"
  };
  uint64_t samples = 0;  // passed on; a bucket of many counts as one
  uint64_t files = 0;
  std::map<std::string, Refused, std::less<>> refused = {};  // by reason

  uint64_t refused_count() const;
};

struct ImportBatchesOptions {
  Timestamp time{};                // of all batches
  ImportCheckpoint from{};         // where to go on
  ImportTotals* totals = nullptr;  // may be null
  std::string prefix = {};         // before all names
  bool is_strict = false;          // end at the first refusal
  // Passes on a batch with the checkpoint at its end. An error ends the import. Empty: nothing is sent.
  std::function<Status(const BatchFrame& batch, const ImportCheckpoint& end)> send = {};
  std::function<bool()> should_stop = {};  // asked now and then; may be empty
};

// Confined to one thread.
class ImportBatches final : public HistorySink {
 public:
  static constexpr size_t kBatchBytes = size_t{128} << 10;  // then a batch is sent; one line more fits

  explicit ImportBatches(ImportBatchesOptions options);

  // Call before each read() of a reader: the samples that follow are those after this position.
  void begin_piece(uint64_t file, ReadPosition from);
  // Call once per file: its name for messages, and HistoryReader::place().
  void begin_file(std::string name, std::string_view place);

  // A file, or its rest, cannot be read. Returns as refuse().
  bool refuse_file(const std::string& path, const std::string& why, std::string_view reason);

  bool add(const Sample& sample) override;
  bool refuse(uint64_t place, std::string_view reason) override;

  // Sends the last batch.
  Status finish();
  // The error that made add() or refuse() return false; ok if it was should_stop().
  const Status& status() const { return status_; }
  const ImportAccount& account() const { return account_; }

 private:
  bool seal();
  const Sample& renamed(const Sample& sample);

  const ImportBatchesOptions options_;
  ImportAccount account_;
  std::string file_name_;
  std::string_view place_;
  ImportCheckpoint at_;  // after the last sample
  uint64_t skip_ = 0;    // samples that are in earlier batches
  std::string text_;     // of the next batch
  uint32_t lines_ = 0;   // in it
  std::string name_;     // of the last sample, with the prefix
  Sample renamed_;
  Status status_ = Status::ok();
};

}  // namespace statmill
