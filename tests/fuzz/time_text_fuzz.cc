// Any text is refused, or read as a time, a duration or a size that has another text with the same meaning.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "base/time_text.h"
#include "server/promql/literals.h"

namespace statmill {
namespace {

constexpr Timestamp kNow{Duration(1'700'000'000'500)};

void check_time(std::string_view text) {
  const auto time_s = parse_time(text, kNow);
  if (!time_s) return;
  const bool is_before_1970 = *time_s < 0;  // only as a duration before now
  SM_CHECK(!is_before_1970 || text.find('-') != std::string_view::npos);
  if (is_before_1970) return;
  const auto again = parse_time(std::to_string(*time_s), kNow);
  SM_CHECK(again && *again == *time_s);
}

void check_duration(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) return;
  SM_CHECK(*duration >= Duration(0));
  const auto again = parse_duration(format_duration(*duration));
  SM_CHECK(again && *again == *duration);
  const auto before = parse_time("-" + std::string(text), kNow);
  const bool is_plain = text.find_first_not_of("0123456789") == std::string_view::npos;
  SM_CHECK(is_plain || (before && *before == unix_seconds(kNow - *duration)));
}

// A duration of PromQL.
void check_literal(std::string_view text) {
  const auto duration = promql::parse_duration_literal(text);
  if (!duration) return;
  SM_CHECK(*duration > Duration(0));
  std::string shortest;
  promql::append_duration(shortest, *duration);
  const auto again = promql::parse_duration_literal(shortest);
  SM_CHECK(again && *again == *duration);
}

void check_size(std::string_view text) {
  const auto bytes = parse_bytes(text);
  if (!bytes) return;
  const auto again = parse_bytes(std::to_string(*bytes));
  SM_CHECK(again && *again == *bytes);
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_time(text);
  check_duration(text);
  check_literal(text);
  check_size(text);
  return 0;
}
