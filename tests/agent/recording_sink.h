// RecordingSink: what a collector reported, for tests to look at.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agent/collectors/collector.h"

namespace statmill {

struct RecordingSink final : SampleSink {
  void gauge(std::string_view name, double value) override { gauges[std::string(name)] = value; }
  void total(std::string_view name, uint64_t total) override { totals[std::string(name)] = total; }

  void lines(std::string_view lines) override { text += lines; }
  std::string_view time() const override { return "1700000000"; }

  std::map<std::string, double> gauges;
  std::map<std::string, uint64_t> totals;
  std::string text;  // of lines
};

}  // namespace statmill
