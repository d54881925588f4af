// CollectedHistory: keeps what a reader passes on, as lines of the line protocol.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/istatd/writer.h"
#include "tools/statmill/import/history_reader.h"

namespace statmill {

class CollectedHistory final : public HistorySink {
 public:
  bool add(const Sample& sample) override {
    std::string line;
    append_line(line, sample);
    line.pop_back();
    lines.push_back(line);
    return lines.size() < end_after;
  }
  bool refuse(uint64_t place, std::string_view reason) override {
    refused.push_back(std::to_string(place) + " " + std::string(reason));
    return true;
  }
  // Reads everything. Returns the error, or an empty text.
  std::string read_all(HistoryReader& reader) {
    while (true) {
      const Result<bool> read = reader.read(*this);
      if (!read) return read.error().message;
      if (!*read) return "";
    }
  }

  std::vector<std::string> lines;
  std::vector<std::string> refused;
  size_t end_after = SIZE_MAX;
};

}  // namespace statmill
