#include "server/live/live_request.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "proto/canonical_name.h"

namespace statmill {
namespace {

namespace json = boost::json;

Error invalid_request(std::string text) { return {ErrorCode::kInvalid, std::move(text)}; }

// A name in another spelling is looked for as it is stored; one that has no such spelling, as it is.
std::string stored(std::string_view name) {
  auto spelled = spelled_name(name);
  return spelled ? *std::move(spelled) : std::string(name);
}

Status read_series(const json::value& value, LiveRequest& out) {
  const auto* names = value.if_array();
  if (names == nullptr || names->empty()) return invalid_request("\"series\": must be an array of names");
  if (names->size() > kLiveSeriesMax)
    return Error{ErrorCode::kLimit, "over " + std::to_string(kLiveSeriesMax) + " series in one stream"};
  for (const json::value& name : *names) {
    const auto* text = name.if_string();
    if (text == nullptr || text->empty()) return invalid_request("\"series\": must be an array of names");
    out.series.push_back(stored({text->data(), text->size()}));
  }
  return Status::ok();
}

Status read_stat(std::string_view name, LiveRequest& out) {
  out.numbers.append(name).push_back(' ');
  if (name == "sum") return Status::ok();  // always there
  if (name == "count") {
    out.has_count = true;
  } else if (name == "min" || name == "max") {
    out.has_extremes = true;
  } else {
    auto percentile = Percentile::parse(name);
    if (!percentile)
      return invalid_request("no such stat \"" + std::string(name) +
                             "\" (known: count, sum, min, max, p0 to p100)");
    if (out.percentiles.size() == Percentile::kCountMax)
      return invalid_request("more than " + std::to_string(Percentile::kCountMax) + " percentiles requested");
    out.percentiles.push_back(*std::move(percentile));
  }
  return Status::ok();
}

Status read_stats(const json::value& value, LiveRequest& out) {
  const auto* stats = value.if_array();
  if (stats == nullptr) return invalid_request("\"stats\": must be an array of texts");
  for (const json::value& stat : *stats) {
    const auto* text = stat.if_string();
    if (text == nullptr) return invalid_request("\"stats\": must be an array of texts");
    if (Status s = read_stat({text->data(), text->size()}, out); !s) return s;
  }
  return Status::ok();
}

}  // namespace

Result<LiveRequest> parse_live_request(std::string_view body) {
  boost::system::error_code error;
  const json::value root = json::parse({body.data(), body.size()}, error);
  if (error) return invalid_request("the body is not JSON: " + error.message());
  const auto* object = root.if_object();
  if (object == nullptr) return invalid_request("the body must be an object");
  LiveRequest out;
  bool has_stats = false;
  for (const auto& [key, value] : *object) {
    Status status = Status::ok();
    if (key == "series") {
      status = read_series(value, out);
    } else if (key == "stats") {
      has_stats = true;
      status = read_stats(value, out);
    } else if (key == "every") {
      const auto* seconds = value.if_int64();
      if (seconds == nullptr || *seconds < 1 || *seconds > kLiveEveryMax_s)
        return invalid_request("\"every\": must be 1 to " + std::to_string(kLiveEveryMax_s) + " seconds");
      out.every = std::chrono::seconds(*seconds);
    } else {
      return invalid_request("\"" + std::string(key) + "\": there is no such key");
    }
    if (!status) return status.error();
  }
  if (out.series.empty()) return invalid_request("\"series\": missing");
  if (!has_stats) out.has_count = out.has_extremes = true;
  return out;
}

}  // namespace statmill
