// What a start sees of a store, as text.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "storage/store.h"

namespace statmill {

inline Tiers tiers() { return *Tiers::parse("10s:1d,5m:1y"); }

// Returns what load() visits, one line per item, in that order.
inline std::vector<std::string> loaded(Store& store) {
  std::vector<std::string> lines;
  const Status status = store.load({
      [&](const SeriesRow& series) {
        constexpr std::array<std::string_view, 4> kMarks = {"", "*", "%", "+"};  // one per kind
        lines.push_back("series " + std::to_string(series.id) + " " +
                        std::string(kMarks.at(static_cast<size_t>(series.kind))) + series.name);
        return Status::ok();
      },
      [&](ShardNo shard, TickNo tick, std::string_view activity) {
        if (tick != 0 || shard == 255) {
          lines.push_back("shard " + std::to_string(shard) + " " + std::to_string(tick) + " " +
                          std::string(activity));
        }
        return Status::ok();
      },
      [&](TickNo tick, std::string_view row) {
        lines.push_back("row " + std::to_string(tick) + " " + std::string(row));
        return Status::ok();
      },
      [&](SeriesId id) {
        lines.push_back("deleted " + std::to_string(id));
        return Status::ok();
      },
  });
  EXPECT_TRUE(status);
  return lines;
}

}  // namespace statmill
