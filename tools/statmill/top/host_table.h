// HostTable: the rows of hosts as columns of a screen, as many columns as fit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/statmill/terminal/screen.h"
#include "tools/statmill/top/hosts.h"

namespace statmill {

class HostTable {
 public:
  // Leaves out figures that do not fit, the least important ones first.
  HostTable(const std::vector<const HostRow*>& hosts, int columns);

  void draw_header(Screen& screen, int row) const;
  void draw_row(Screen& screen, int row, const HostRow& host, int64_t now_s) const;

 private:
  std::string_view shown_name(const HostRow& host) const;

  int name_columns_ = 0;
  bool is_short_ = true;  // names are shown up to their first dot: no two of them are equal
  std::array<int, kFigureCount> ends_ = {};  // the column after each figure; 0: left out
  int spark_ = 0;                            // the first column of the history; 0: left out
};

}  // namespace statmill
