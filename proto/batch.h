// Batch: the samples parsed from one read, with the account of every line that was in it.
//
// Names are views into the read buffer where they could be left as they were, else into the batch's own text.
// Invariant C starts here: received == samples.size() + sum of refused, at any moment between parser calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "proto/sample.h"
#include "proto/text_arena.h"

namespace statmill {

struct Metadata {
  std::string_view key;
  std::string_view text;
};

struct Batch {
  std::vector<Sample> samples;
  std::vector<Metadata> metadata;  // `#key value` lines, in order; not samples
  uint64_t received = 0;           // samples asked for: a refused line counts as one, a fan-out as many
  uint64_t extra_fields = 0;       // lines taken whose fields after the seventh were ignored
  uint64_t renamed = 0;            // lines taken whose name lost the ~ in front of it
  std::array<uint64_t, kRefusalCount> refused{};

  void refuse(Refusal reason) {
    ++received;
    ++refused[static_cast<size_t>(reason)];
  }
  // Text that lives as long as the batch.
  std::string_view keep(std::string_view text) { return kept_.keep(text); }
  // The same, for `size` bytes that the caller writes.
  char* room(size_t size) { return kept_.room(size); }
  void clear() {
    samples.clear();
    metadata.clear();
    received = extra_fields = renamed = 0;
    refused.fill(0);
    kept_.clear();
  }

 private:
  TextArena kept_;
};

}  // namespace statmill
