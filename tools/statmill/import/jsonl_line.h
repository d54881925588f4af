// JsonlLine: reads the samples of one line of JSON, without a tree of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "tools/statmill/import/counter_steps.h"
#include "tools/statmill/import/history_sink.h"

namespace statmill {

// Confined to one thread. Memory: at most four bytes for each number of the line, and the longest text.
class JsonlLine {
 public:
  JsonlLine();
  ~JsonlLine();

  // Passes on the samples of the line; what is wrong with it, or with one of its samples, is refused at
  // `number`. After a fault in its form, the samples before the fault count. Returns false if the sink does.
  // Requires: the line has fewer than 2^32 bytes.
  bool read(std::string_view line, uint64_t number, HistorySink& sink);
  // True once a line had cumulative values, so that later ones depend on it.
  bool has_counters() const;

 private:
  class Handler;
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace statmill
