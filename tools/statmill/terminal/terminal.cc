#include "tools/statmill/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <ctime>

namespace statmill {

std::optional<TerminalSize> terminal_size(int descriptor) {
  if (::isatty(descriptor) == 0) return std::nullopt;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    return TerminalSize{24, 80};
  return TerminalSize{size.ws_row, size.ws_col};
}

Zone system_zone() {
  ::tzset();
  return [](int64_t unix_s) {
    const std::time_t time = unix_s;
    tm parts{};
    if (::localtime_r(&time, &parts) == nullptr) return ZoneOffset();
    return ZoneOffset{static_cast<int32_t>(parts.tm_gmtoff), parts.tm_zone};
  };
}

}  // namespace statmill
