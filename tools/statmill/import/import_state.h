// ImportState: what an import has to know to go on after it was interrupted. It is a small file, written
// before the first batch is sent and about once a second.
//
//   statmill import 1
//   id 00112233445566778899aabbccddeeff
//   secret ...                                 it proves to the server that this import owns the id
//   time 1700000000000                         of all batches, unix ms
//   input 0123456789abcdef                     a hash of the files and options: others make other batches
//   server ...                                 the address of the agent port
//   batch 17 9431 3 52428800 1200 400          number, lines up to its end; file, offset, line, samples after
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "proto/agent_id.h"
#include "tools/statmill/import/history_reader.h"

namespace statmill {

// How far batches have come: batch `seq` ends `samples` samples after `from` of a file.
struct ImportCheckpoint {
  uint64_t seq = 0;
  uint64_t lines = 0;  // in all batches up to it
  uint64_t file = 0;   // an index of the list of files
  ReadPosition from{};
  uint64_t samples = 0;
  bool operator==(const ImportCheckpoint&) const = default;
};

struct ImportState {
  AgentId id{};
  AgentSecret secret{};
  Timestamp time{};
  uint64_t input = 0;
  std::string server = {};
  ImportCheckpoint checkpoint{};  // acknowledged

  static ImportState fresh(Timestamp now);
  bool operator==(const ImportState&) const = default;
};

inline constexpr size_t kImportStateBytesMax = 4096;

std::string import_state_text(const ImportState& state);
// Errors: kCorrupt.
Result<ImportState> parse_import_state(std::string_view text);

// Errors: kNotFound (there is no such file), kIo, kCorrupt.
Result<ImportState> read_import_state(const std::string& path);
// Replaces the file and syncs it, so that after a crash there is the earlier one or this one. Errors: kIo.
Status write_import_state(const std::string& path, const ImportState& state);

}  // namespace statmill
