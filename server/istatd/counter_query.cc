#include "server/istatd/counter_query.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/text.h"
#include "server/documents/json_fields.h"

namespace statmill::istatd {
namespace {

namespace json = boost::json;

constexpr int64_t kSamplesPosted = 100;  // without maxSamples

Error invalid(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

// Returns 0 if the parameter is missing or empty.
Result<int64_t> parse_parameter(const Url& url, const std::string& name, int64_t most) {
  const auto text = url.find(name);
  if (!text || text->empty()) return 0;
  const auto number =
      parse_integer(*text, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  if (!number) return invalid("Bad integer argument " + name + ": " + std::string(*text));
  if (*number < 0 || *number > most) return invalid("Invalid " + name + " parameter");
  return *number;
}

// Returns `otherwise` if the field is missing or null.
Result<int64_t> integer_field(const json::object& object, std::string_view name, int64_t otherwise) {
  const json::value* const value = object.if_contains({name.data(), name.size()});
  if (value == nullptr || value->is_null()) return otherwise;
  if (const auto* number = value->if_int64()) return *number;
  if (const auto* flag = value->if_bool()) return *flag ? 1 : 0;
  const auto* const real = value->if_double();  // pages divide milliseconds by 1000
  if (real != nullptr && *real >= -1e15 && *real <= 1e15) return static_cast<int64_t>(*real);
  return invalid("Invalid '" + std::string(name) + "' parameter");
}

Result<int64_t> time_field(const json::object& object, std::string_view name) {
  auto time_s = integer_field(object, name, 0);
  if (time_s && (*time_s < 0 || *time_s > kTimeMax_s))
    return invalid("Invalid '" + std::string(name) + "' parameter");
  return time_s;
}

Result<std::vector<std::string>> keys_of(const json::object& object) {
  const json::value* const value = object.if_contains("keys");
  if (value == nullptr || !value->is_array()) return invalid("Missing 'key' array of keys");
  std::vector<std::string> keys;
  std::set<std::string_view> seen;
  for (const json::value& key : value->get_array()) {
    if (!key.is_string()) return invalid("'keys' has an element that is no string");
    if (!seen.insert(view_of(key.get_string())).second) continue;
    keys.emplace_back(view_of(key.get_string()));
    if (keys.size() > kCounterKeysMax)
      return Error{ErrorCode::kLimit, "'keys' has more than " + std::to_string(kCounterKeysMax) + " keys"};
  }
  return keys;
}

}  // namespace

Result<CounterQuery> parse_counter_query(const Url& url) {
  CounterQuery query;
  const auto start_s = parse_parameter(url, "start", kTimeMax_s);
  if (!start_s) return start_s.error();
  const auto end_s = parse_parameter(url, "end", kTimeMax_s);
  if (!end_s) return end_s.error();
  const auto samples = parse_parameter(url, "samples", std::numeric_limits<int64_t>::max());
  if (!samples) return samples.error();
  query.range = {*start_s, *end_s, *samples};
  if (*end_s != 0 && *end_s < *start_s) return invalid("end must be greater than start!");
  const std::string_view format = url.find("format").value_or("json");
  if (format != "json" && format != "csv") return invalid("unrecognized format: it is json or csv");
  query.is_csv = format == "csv";
  const auto trailing = parse_parameter(url, "trailing", std::numeric_limits<int64_t>::max());
  if (!trailing) return trailing.error();
  query.is_trailing = *trailing != 0;
  return query;
}

Result<CountersQuery> parse_counters_query(std::string_view body) {
  const auto object = parse_json_object(body);
  if (!object) return object.error();
  CountersQuery query;
  const auto start_s = time_field(*object, "start");
  if (!start_s) return start_s.error();
  const auto stop_s = time_field(*object, "stop");
  if (!stop_s) return stop_s.error();
  if (*stop_s != 0 && *stop_s < *start_s) return invalid("Start must be before stop");
  const auto samples = integer_field(*object, "maxSamples", kSamplesPosted);
  if (!samples) return samples.error();
  query.range = {*start_s, *stop_s, *samples == 0 ? kSamplesPosted : std::max<int64_t>(*samples, 0)};
  const auto trailing = integer_field(*object, "trailing", 0);
  if (!trailing) return trailing.error();
  query.is_trailing = *trailing != 0;
  const auto compact = integer_field(*object, "compact", 0);
  if (!compact) return compact.error();
  query.is_compact = *compact != 0;
  auto keys = keys_of(*object);
  if (!keys) return keys.error();
  query.keys = *std::move(keys);
  return query;
}

}  // namespace statmill::istatd
