// SpoolValues: the last values of the counters of scraped targets, whose growth is in the batches of a spool.
//
// A batch and the values that it goes up to belong together: after a crash, either the spool has the batch,
// and the next growth begins at these values, or it has not, and the growth begins at the values before. So
// the values are durable before the batch is written, with its number, and a start leaves out those whose
// number the spool does not have. FORMAT.md, "values".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/spool/spool_directory.h"
#include "base/clock.h"
#include "base/result.h"
#include "proto/agent_id.h"
#include "proto/last_value.h"

namespace statmill {

// The numbering that the batches of a spool have.
struct SpoolNumbering {
  AgentId id;
  uint32_t epoch = 0;
};

// Confined to one thread. The directory must outlive it.
class SpoolValues {
 public:
  static constexpr std::string_view kFile = "values";
  // The whole file is written again when it is longer than this, and than four times what it would then be.
  static constexpr size_t kFileBytesMin = size_t{1} << 20;
  // A value is forgotten if the samples that are being appended are later than its own by this.
  static constexpr Duration kForget = std::chrono::hours(24);

  // Reads the file, if there is one, for a spool whose last batch is `last_seq`. Values of another numbering
  // are lost. Errors: those of the directory.
  static Result<SpoolValues> open(SpoolDirectory& directory, const SpoolNumbering& numbering,
                                  uint64_t last_seq);

  struct OfBatch {
    uint64_t seq = 0;
    std::span<const LastValue> values;
  };
  // Makes the values durable of batches that are about to be written, in their order. After an error these
  // must not be written; before they are, append() them again.
  Status append(std::span<const OfBatch> batches);
  // The batch `seq` is durable, and earlier ones that are not have been dropped.
  void keep(uint64_t seq);
  // The batches have other numbers from now on.
  void renumber(const SpoolNumbering& numbering);

  // Returns the values of all durable batches, in no order.
  std::vector<LastValue> all() const;

 private:
  SpoolValues(SpoolDirectory& directory, const SpoolNumbering& numbering)
      : directory_(&directory), numbering_(numbering) {}
  void set(std::span<const LastValue> values);
  Status write_file();
  // Returns how many bytes of the file count: whole records of batches that the spool has.
  size_t read(std::string_view file, uint64_t last_seq);
  void forget_old(int64_t now_s);

  SpoolDirectory* directory_;
  SpoolNumbering numbering_;
  std::unordered_map<Hash128, LastValue, HashOfHash128> values_;  // of durable batches
  // Of batches that may have been written, by their numbers: a start may find these batches.
  std::map<uint64_t, std::vector<LastValue>> pending_;
  std::unique_ptr<SpoolFile> file_;  // null: the whole file is written before the next record
  size_t file_bytes_ = 0;
  size_t file_bytes_max_ = 0;
};

}  // namespace statmill
