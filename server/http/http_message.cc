#include "server/http/http_message.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"

namespace statmill {
namespace {

unsigned status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kLimit:
      return 422;
    case ErrorCode::kBusy:
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kCorrupt:
    case ErrorCode::kVersion:
    case ErrorCode::kIo:
      break;
  }
  return 500;
}

}  // namespace

bool is_media_type(std::string_view content_type, std::string_view type) {
  const std::string_view found = content_type.substr(0, content_type.find_first_of("; \t"));
  return std::ranges::equal(found, type, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::string requester(const HttpRequest& request) {
  const std::string at = request.peer.empty() ? "the admin socket" : std::string(request.peer);
  return request.user.empty() ? at : std::string(request.user) + " at " + at;
}

HttpResponse error_response(unsigned status, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.body = "{\"error\":";
  append_json_string(response.body, message);
  response.body.append(",\"status\":").append(std::to_string(status)).append("}\n");
  return response;
}

HttpResponse error_response(const Error& error) {
  return error_response(status_of(error.code), error.message);
}

std::string http_date(Timestamp now) {
  using namespace std::chrono;
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const sys_days day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(floor<seconds>(now - day));
  std::array<char, 64> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT", kDays[weekday(day).c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return {text.data(), static_cast<size_t>(size)};
}

}  // namespace statmill
