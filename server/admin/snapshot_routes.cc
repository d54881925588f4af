#include "server/admin/snapshot_routes.h"

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"

namespace statmill {
namespace {

constexpr std::string_view kPath = "/admin/v1/snapshots";
constexpr std::array<ParameterRule, 3> kPieceParameters = {{{"file"}, {"offset"}, {"bytes"}}};
constexpr std::array<ParameterRule, 4> kSumParameters = {{{"file"}, {"offset"}, {"bytes"}, {"crc32c"}}};

template <class T>
Result<T> number_of(const Url& url, std::string_view name) {
  const auto text = url.find(name);
  if (!text) return Error{ErrorCode::kInvalid, std::string(name) + " is missing"};
  const auto number = parse_as<T>(*text);
  if (!number) return Error{ErrorCode::kInvalid, std::string(name) + " is no number"};
  return *number;
}

// Returns the id in /admin/v1/snapshots/ID and what follows it.
std::string_view id_of(const Url& url) {
  std::string_view rest = url.path;
  rest.remove_prefix(kPath.size() + 1);
  return rest.substr(0, rest.find('/'));
}

Result<Snapshots::Range> range_of(const Url& url) {
  const auto file = url.find("file");
  if (!file) return Error{ErrorCode::kInvalid, "file is missing"};
  const auto offset = number_of<uint64_t>(url, "offset");
  if (!offset) return offset.error();
  const auto bytes = number_of<uint64_t>(url, "bytes");
  if (!bytes) return bytes.error();
  if (*offset > std::numeric_limits<int64_t>::max()) return Error{ErrorCode::kInvalid, "offset is too large"};
  return Snapshots::Range{id_of(url), *file, *offset, *bytes};
}

HttpResponse handle_make(Snapshots& snapshots, const Url&) {
  const auto made = snapshots.make();
  if (!made) return error_response(made.error());
  std::string out = "{\"snapshot\":";
  append_json_string(out, made->id);
  out += ",\"format\":";
  append_json_string(out, made->format);
  out += ",\"files\":[";
  for (const Snapshots::File& file : made->files) {
    out += out.back() == '[' ? "{\"name\":" : ",{\"name\":";
    append_json_string(out, file.name);
    out += ",\"bytes\":" + std::to_string(file.bytes) + "}";
  }
  return {200, out + "]}\n", kJson, {}};
}

HttpResponse handle_read(Snapshots& snapshots, const Url& url) {
  const auto range = range_of(url);
  if (!range) return error_response(range.error());
  auto piece = snapshots.read(*range);
  if (!piece) return error_response(piece.error());
  return {200, *std::move(piece), kBytes, {}};
}

HttpResponse handle_sum(Snapshots& snapshots, const Url& url) {
  const auto range = range_of(url);
  if (!range) return error_response(range.error());
  const auto before = number_of<uint32_t>(url, "crc32c");
  if (!before) return error_response(before.error());
  const auto sum = snapshots.sum(*range, *before);
  if (!sum) return error_response(sum.error());
  return {200,
          "{\"bytes\":" + std::to_string(sum->bytes) + ",\"crc32c\":" + std::to_string(sum->crc32c) + "}\n",
          kJson,
          {}};
}

HttpResponse handle_release(Snapshots& snapshots, const Url& url) {
  const Status released = snapshots.release(id_of(url));
  return released ? HttpResponse{200, "{}\n", kJson, {}} : error_response(released.error());
}

}  // namespace

std::vector<Route> snapshot_routes(Snapshots& snapshots) {
  const auto with = [&snapshots](HttpResponse (*handle)(Snapshots&, const Url&)) {
    return [&snapshots, handle](const Url& url, std::string_view) { return handle(snapshots, url); };
  };
  std::vector<Route> routes = {
      {"POST", kPath, {}, 0, with(handle_make), "make a snapshot of the store's files, to copy them"},
      {"GET", "/admin/v1/snapshots/*/piece", kPieceParameters, 0, with(handle_read),
       "bytes of a file of a snapshot"},
      {"GET", "/admin/v1/snapshots/*/sum", kSumParameters, 0, with(handle_sum),
       "the checksum of a part of a file of a snapshot"},
      {"POST", "/admin/v1/snapshots/*/release", {}, 0, with(handle_release), "remove a snapshot"},
  };
  for (Route& route : routes) route.lane = Lane::kStore;
  return routes;
}

}  // namespace statmill
