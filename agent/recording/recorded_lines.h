// RecordedLines: makes complete lines of the lines of a collection, which lack the tags of the host and the
// time. Remembers the lines about families, so that each is written once, and all can begin a file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "proto/added_tags.h"
#include "proto/batch.h"

namespace statmill {

// Confined to one thread.
class RecordedLines {
 public:
  // The lines about families that are remembered have at most this many bytes; a host has about 30 KiB.
  // Others are written each time.
  static constexpr size_t kFamilyBytesMax = size_t{1} << 20;

  // `tags` are those of a canonical name, "dc=eu;host=web1".
  explicit RecordedLines(std::string tags);

  // Sets the time of the lines that follow.
  void begin(Timestamp at);
  // Returns the complete line, LF included; empty if nothing is to be written: the line of a family is
  // remembered already, or the line is refused. Valid until the next call. Requires: `line` has no LF and no
  // time, and fans out to no other names.
  std::string_view complete(std::string_view line);

  // Returns the lines of all families that are remembered.
  std::string families() const;
  // Counts lines whose name is none.
  uint64_t refused() const { return refused_; }

 private:
  std::string_view family(std::string_view line);
  bool append_name(std::string_view spelling, bool is_exact);

  const std::string tags_;
  const AddedTags added_;
  std::string time_text_;  // " 1796006115"
  std::string line_;
  Batch names_;  // keeps the name of one line
  // By letter and path, "groom.heat": the line, LF included.
  std::map<std::string, std::string, std::less<>> families_;
  size_t family_bytes_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace statmill
