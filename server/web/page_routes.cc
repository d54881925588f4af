#include "server/web/page_routes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/check.h"
#include "server/http/content_coding.h"
#include "server/http/etag.h"

namespace statmill {
namespace {

constexpr std::string_view kUnchanging = "public, max-age=31536000, immutable";

// The type of files with other endings; browsers neither run nor show it.
constexpr auto kTypes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".txt", "text/plain; charset=utf-8"},
});

std::string_view type_of(std::string_view path) {
  const auto at =
      std::ranges::find_if(kTypes, [path](const auto& type) { return path.ends_with(type.first); });
  return at == kTypes.end() ? kBytes : at->second;
}

std::string inflated(const Asset& asset) {
  std::string out(asset.bytes, '\0');
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;  // 16 chooses the format of gzip (zlib.h)
  SM_CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK);
  stream.next_in = const_cast<Bytef*>(asset.gzip.data());
  stream.avail_in = static_cast<uInt>(asset.gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  SM_CHECK(result == Z_STREAM_END && stream.avail_out == 0);
  inflateEnd(&stream);
  return out;
}

HttpResponse asset_response(const Asset& asset, const HttpRequest& request) {
  HttpResponse response;
  response.content_type = asset.type;
  response.cache_control = asset.path == "/" ? "no-cache" : kUnchanging;
  response.etag = asset.etag;
  response.varies_by_encoding = true;
  if (is_in_etags(request.if_none_match, asset.etag)) {
    response.status = 304;
  } else if (accepts_gzip(request.accept_encoding)) {
    response.content_encoding = coding_name(ContentCoding::kGzip);
    response.body.assign(reinterpret_cast<const char*>(asset.gzip.data()), asset.gzip.size());
  } else {
    response.body = inflated(asset);
  }
  return response;
}

HttpResponse missing_page(const Page& page) {
  std::string text = "statmill\n\n";
  text.append(page.missing).append("\n\nThe HTTP API works; /api lists its endpoints.\n");
  return {200, std::move(text), kPlainText, {}};
}

Route page_route(std::string_view path, std::string_view description, Lane lane) {
  Route route{"GET", path, {}, 0, {}, description, lane};
  route.role = Role::kNone;  // the page itself asks for the token
  return route;
}

HttpResponse no_file(const std::string& path) { return error_response(404, "there is nothing at " + path); }

bool is_hidden(std::string_view path) { return path.find("/.") != std::string_view::npos; }

// Returns the bytes of a regular file of at most kPageFileBytesMax.
std::optional<std::string> read_page_file(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::optional<std::string> bytes;
  struct stat about {};
  if (::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
      static_cast<uint64_t>(about.st_size) <= kPageFileBytesMax) {
    bytes.emplace(static_cast<size_t>(about.st_size), '\0');
    size_t size = 0;
    for (ssize_t n = 1; n > 0 && size < bytes->size(); size += static_cast<size_t>(std::max<ssize_t>(n, 0)))
      n = ::read(fd, bytes->data() + size, bytes->size() - size);
    bytes->resize(size);
  }
  ::close(fd);
  return bytes;
}

// `folder` has no links in it, and no final slash.
HttpResponse file_response(const std::filesystem::path& folder, const std::string& url_path) {
  if (is_hidden(url_path)) return no_file(url_path);
  std::error_code error;
  const std::string name = url_path == "/" ? "/index.html" : url_path;
  const std::filesystem::path path = std::filesystem::canonical(folder.string() + name, error);
  if (error) return no_file(url_path);
  const auto [end, rest] = std::ranges::mismatch(folder, path);
  if (end != folder.end()) return no_file(url_path);  // a link leads out of the folder
  std::optional<std::string> bytes = read_page_file(path);
  if (!bytes) return no_file(url_path);
  return {200, *std::move(bytes), type_of(name), {}};
}

}  // namespace

std::vector<Route> packed_page_routes(const Page& page) {
  std::vector<Route> routes;
  if (page.assets.empty()) {
    routes.push_back({"GET",
                      "/",
                      {},
                      0,
                      [&page](const Url&, std::string_view) { return missing_page(page); },
                      "says why there is no page"});
    routes.back().role = Role::kNone;
    return routes;
  }
  for (const Asset& asset : page.assets) {
    Route& route =
        routes.emplace_back(page_route(asset.path, asset.path == "/" ? "the page" : "", Lane::kLoop));
    route.respond = [&asset](const HttpRequest& request, const Url&) {
      return asset_response(asset, request);
    };
  }
  return routes;
}

Result<std::vector<Route>> page_folder_routes(const std::string& folder) {
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(folder, error);
  if (error || !std::filesystem::is_directory(root, error))
    return Error{ErrorCode::kInvalid, "http.assets " + folder + ": is not a folder"};
  std::vector<Route> routes;
  for (const auto& [path, description] :
       {std::pair<std::string_view, std::string_view>{"/", "the page"}, {"/**", "files of --http.assets"}}) {
    Route& route = routes.emplace_back(page_route(path, description, Lane::kMemory));
    route.respond = [root](const HttpRequest&, const Url& url) { return file_response(root, url.path); };
  }
  return routes;
}

}  // namespace statmill
