#include "server/documents/view_routes.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace statmill {
namespace {

HttpResponse handle_keep(ViewSet& views, const WriteAnswers& writes, std::string_view body, Timestamp now) {
  const auto kept = views.keep(body, now);
  if (!kept) return error_response(kept.error());
  HttpResponse response{200, "{\"view\":\"" + kept->name + "\"}\n", kJson, {}};
  return writes.when_durable(kept->ticket, std::move(response));
}

HttpResponse handle_read(ViewSet& views, const Url& url, Timestamp now) {
  const std::string_view name = path_after(url.path, "/api/v1/views/");
  auto content = views.read(name, now);
  if (!content) return error_response(404, "there is no view " + std::string(name));
  return {200, *std::move(content), kJson, {}};
}

}  // namespace

std::vector<Route> view_routes(ViewSet& views, const WriteAnswers& writes, const Clock& clock) {
  Route keep{"POST",      "/api/v1/views", {}, kViewBytesMax, {}, "keep a view of the page, to share it",
             Lane::kStore};
  keep.role = Role::kWrite;
  keep.body_type = kJson;
  keep.handle = [&views, &writes, &clock](const Url&, std::string_view body) {
    return handle_keep(views, writes, body, clock.wall());
  };
  Route read{"GET", "/api/v1/views/*", {}, 0, {}, "a view that was kept", Lane::kMemory};
  read.handle = [&views, &clock](const Url& url, std::string_view) {
    return handle_read(views, url, clock.wall());
  };
  return {std::move(keep), std::move(read)};
}

}  // namespace statmill
