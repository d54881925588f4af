// HistoryWriter: writes exported samples in one format.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "proto/sample.h"

namespace statmill {

// Confined to one thread.
class HistoryWriter {
 public:
  virtual ~HistoryWriter() = default;

  // Writes a sample with a time and a canonical name. Those of one series come one after another, by time.
  // Errors: those of the output.
  virtual Status write(const Sample& sample) = 0;
  // Writes what is still in memory, and what ends the format.
  virtual Status finish() = 0;
};

// Passes on pieces of the output.
using WriteOut = std::function<Status(std::string_view bytes)>;

}  // namespace statmill
