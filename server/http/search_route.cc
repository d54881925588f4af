// GET /api/v1/search: names by words, and the refused lines that have them.
#include <string>
#include <utility>

#include "base/text.h"
#include "proto/kind_text.h"
#include "server/http/handlers.h"
#include "server/http/query_parameters.h"
#include "server/http/query_response.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr size_t kRefusedShown = 3;

void write_found(std::string& out, const SearchPage::Found& found) {
  JsonObject one(out);
  one.text("name", found.series.name);
  one.text("kind", kind_text(found.series.kind));
  one.number("last_s", static_cast<double>(found.series.last_s));
  JsonArray hits(one.key("hits"));
  for (const auto& [begin, end] : found.hits)
    hits.element().append("[" + std::to_string(begin) + "," + std::to_string(end) + "]");
}

void write_refused(std::string& out, const Reports::Refused& refused) {
  JsonObject one(out);
  one.text("reason", refused.reason);
  one.text("from", refused.sender);
  one.text("line", refused.line);
}

}  // namespace

HttpResponse handle_search(const HttpServices& services, const Url& url, QueryControl& control,
                           BodySink& sink) {
  const auto request = parse_search_parameters(url);
  if (!request) return error_response(request.error());
  const auto page = services.queries.search(*request, control);
  if (!page) return error_response(page.error());
  std::string out;
  {
    JsonObject object(out);
    object.text("q", url.find("q").value_or(""));
    object.count("total", page->total);
    object.text("total_is", page->is_complete ? "exact" : "at least");
    object.count("names", page->names);
    {
      JsonArray series(object.key("series"));
      for (const SearchPage::Found& found : page->series) write_found(series.element(), found);
    }
    {
      JsonArray refused(object.key("refused"));
      for (const auto& line : services.reports.refused_with(request->words.words(), kRefusedShown))
        write_refused(refused.element(), line);
    }
    object.number("ms", page->ms);
  }
  return written(sink, kJson, out + "\n");
}

}  // namespace statmill
