#include "tools/statmill/zone.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

namespace statmill {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabase = "/usr/share/zoneinfo";

ZoneOffset local_offset(int64_t unix_s) {
  const std::time_t time = unix_s;
  tm parts{};
  if (::localtime_r(&time, &parts) == nullptr) return {};
  return {static_cast<int32_t>(parts.tm_gmtoff), parts.tm_zone};
}

}  // namespace

Zone system_zone() {
  ::tzset();
  return local_offset;
}

Result<Zone> named_zone(const std::string& name) {
  // The C library would treat an unknown name as UTC.
  std::error_code error;
  const bool is_name = !name.empty() && name.front() != '/' && name.find("..") == std::string::npos;
  if (!is_name || !fs::is_regular_file(fs::path(kDatabase) / name, error)) {
    std::string why = "\"" + name + "\" is no zone of " + kDatabase;
    if (!fs::is_directory(kDatabase, error)) why += ", which does not exist; install the package tzdata";
    return Error{ErrorCode::kInvalid, std::move(why)};
  }
  if (::setenv("TZ", (":" + name).c_str(), 1) != 0) return Error{ErrorCode::kIo, "cannot set TZ"};
  return system_zone();
}

}  // namespace statmill
