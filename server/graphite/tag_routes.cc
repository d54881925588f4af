#include "server/graphite/tag_routes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "server/graphite/find_query.h"
#include "server/graphite/tag_expression.h"
#include "server/graphite/tag_query.h"
#include "server/http/list_writer.h"
#include "server/json.h"
#include "server/names/value_test.h"

namespace statmill::graphite {
namespace {

HttpResponse answer_of(const Status& written) {
  return written ? HttpResponse{} : error_response(written.error());
}

// Writes the first `limit` of some texts as a list, whose elements `append` appends.
template <class Texts, class Append>
HttpResponse list_answer(const Texts& texts, size_t limit, BodySink& sink, const Append& append) {
  ListWriter list(sink, "[");
  for (const std::string& text : texts) {
    if (limit-- == 0) break;
    if (Status s = list.add([&](std::string& out) { append(out, text); }); !s)
      return error_response(s.error());
  }
  return answer_of(list.end("]\n"));
}

// The tags of the series that satisfy the matchers, in Graphite's words.
Result<std::set<std::string>> tags_of(const GraphiteTags& tags, std::vector<LabelMatcher> matchers,
                                      QueryControl& control) {
  CatalogRequest request;
  if (!matchers.empty()) request.selectors.push_back(std::move(matchers));
  const auto labels = tags.catalog.label_names(request, control);
  if (!labels) return labels.error();
  std::set<std::string> out;
  for (const std::string& label : *labels) out.emplace(tag_of_label(label));
  return out;
}

// [{"tag":"host"},...]
HttpResponse handle_list(const GraphiteTags& tags, const Url& url, QueryControl& control, BodySink& sink) {
  const auto limit = parse_tag_limit(url, SIZE_MAX);
  if (!limit) return error_response(limit.error());
  const auto filter = parse_tag_filter(url, "tag");
  if (!filter) return error_response(filter.error());
  auto found = tags_of(tags, {}, control);
  if (!found) return error_response(found.error());
  if (*filter) {
    const auto test = ValueTest::parse(**filter);
    if (!test) return error_response(test.error());
    std::erase_if(*found, [&](const std::string& tag) { return !test->accepts(tag); });
  }
  return list_answer(*found, *limit, sink,
                     [](std::string& out, const std::string& tag) { JsonObject(out).text("tag", tag); });
}

// {"tag":"host","values":[{"value":"a","count":3},...]}, or null if no series has the tag.
HttpResponse handle_tag(const GraphiteTags& tags, const Url& url, QueryControl& control, BodySink& sink) {
  const std::string tag = url.path.substr(url.path.rfind('/') + 1);
  const std::string label(label_of_tag(tag));
  const auto limit = parse_tag_limit(url, SIZE_MAX);
  if (!limit) return error_response(limit.error());
  const auto filter = parse_tag_filter(url, label);
  if (!filter) return error_response(filter.error());
  const auto counts = tags.catalog.series_by_value(label, control);
  if (!counts) return error_response(counts.error());
  if (counts->empty()) return answer_of(sink.write("null\n"));
  std::optional<ValueTest> test;
  if (*filter) {
    auto parsed = ValueTest::parse(**filter);
    if (!parsed) return error_response(parsed.error());
    test.emplace(*std::move(parsed));
  }
  std::string head = "{\"tag\":";
  append_json_string(head, tag);
  ListWriter list(sink, head + ",\"values\":[");
  size_t left = *limit;
  for (const auto& [value, count] : *counts) {
    if (test && !test->accepts(value)) continue;
    if (left-- == 0) break;
    const Status s = list.add([&, &text = value, series = count](std::string& out) {
      JsonObject one(out);
      one.text("value", text);
      one.count("count", series);
    });
    if (!s) return error_response(s.error());
  }
  return answer_of(list.end("]}\n"));
}

HttpResponse handle_find_series(const GraphiteTags& tags, const Url& url, QueryControl& control,
                                BodySink& sink) {
  const auto matchers = parse_tag_expressions(repeated_values(url, "expr"));
  if (!matchers) return error_response(Error(matchers.error()).with("parameter expr"));
  auto series = tags.selector.select(*matchers, control);
  if (!series) return error_response(series.error());
  std::ranges::sort(*series, {}, &SeriesRef::name);
  ListWriter list(sink, "[");
  for (const SeriesRef& one : *series) {
    if (Status s = list.add([&](std::string& out) { append_json_string(out, one.name); }); !s)
      return error_response(s.error());
  }
  return answer_of(list.end("]\n"));
}

// Tags that are in an expression already are not listed.
HttpResponse handle_complete_tags(const GraphiteTags& tags, const Url& url, QueryControl& control,
                                  BodySink& sink) {
  const auto query = parse_completion(url, "tagPrefix");
  if (!query) return error_response(query.error());
  auto found = tags_of(tags, query->matchers, control);
  if (!found) return error_response(found.error());
  for (const LabelMatcher& matcher : query->matchers) found->erase(std::string(tag_of_label(matcher.label)));
  std::erase_if(*found, [&](const std::string& tag) { return !tag.starts_with(query->prefix); });
  return list_answer(*found, query->limit, sink, append_json_string);
}

HttpResponse handle_complete_values(const GraphiteTags& tags, const Url& url, QueryControl& control,
                                    BodySink& sink) {
  auto query = parse_completion(url, "valuePrefix");
  if (!query) return error_response(query.error());
  const auto tag = url.find("tag");
  if (!tag || tag->empty()) return error_response(400, "parameter tag is missing");
  const std::string label(label_of_tag(*tag));
  CatalogRequest request;
  query->matchers.push_back({LabelMatcher::Op::kNotEqual, label, ""});
  if (!query->prefix.empty())
    query->matchers.push_back({LabelMatcher::Op::kMatches, label, regex_of_prefix(query->prefix)});
  request.selectors.push_back(std::move(query->matchers));
  const auto values = tags.catalog.label_values(label, request, control);
  if (!values) return error_response(values.error());
  return list_answer(*values, query->limit, sink, append_json_string);
}

// The parameters of a form, before those of the URL.
Result<Url> with_form(const HttpRequest& request, const Url& url) {
  auto form = parse_form(request.body);
  if (!form) return form.error();
  Url out{url.path, *std::move(form)};
  out.parameters.insert(out.parameters.end(), url.parameters.begin(), url.parameters.end());
  return out;
}

// Senders and carbon announce a series here before its first sample. Nothing is made: samples make series.
HttpResponse handle_tag_series(const HttpRequest& request, const Url& url, bool is_one) {
  const auto all = with_form(request, url);
  if (!all) return error_response(all.error());
  std::vector<std::string> paths = repeated_values(*all, "path");
  if (paths.empty()) return error_response(400, "parameter path is missing");
  if (is_one) paths.resize(1);
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    auto name = name_of_tagged_path(path);
    if (!name) return error_response(name.error());
    names.push_back(*std::move(name));
  }
  std::string body;
  if (is_one) {
    append_json_string(body, names.front());
  } else {
    JsonArray list(body);
    for (const std::string& name : names) append_json_string(list.element(), name);
  }
  return {200, body + "\n", kJson, {}};
}

HttpResponse refuse_deletion(const Url&, std::string_view) {
  return error_response(501,
                        "series are not deleted here: an administrator does it with statmill delete, or POST "
                        "/admin/v1/delete");
}

// The routes that change nothing, although clients POST to them.
std::vector<Route> announcement_routes() {
  std::vector<Route> routes;
  const auto add = [&routes](std::string_view path, std::string_view description) -> Route& {
    Route route{"POST", path, {}, kFormBytesMax, {}, description, Lane::kMemory};
    route.strictness = Strictness::kLenient;
    return routes.emplace_back(std::move(route));
  };
  for (const std::string_view path : {"/tags/tagSeries", "/graphite/tags/tagSeries"}) {
    add(path, routes.empty() ? "the stored name of a path with tags" : "").respond =
        [](const HttpRequest& request, const Url& url) { return handle_tag_series(request, url, true); };
  }
  for (const std::string_view path : {"/tags/tagMultiSeries", "/graphite/tags/tagMultiSeries"}) {
    add(path, {}).respond = [](const HttpRequest& request, const Url& url) {
      return handle_tag_series(request, url, false);
    };
  }
  for (const std::string_view path : {"/tags/delSeries", "/graphite/tags/delSeries"})
    add(path, {}).handle = refuse_deletion;
  return routes;
}

}  // namespace

std::vector<Route> tag_routes(const GraphiteTags& tags) {
  using Handle = HttpResponse (*)(const GraphiteTags&, const Url&, QueryControl&, BodySink&);
  struct Entry {
    std::array<std::string_view, 2> paths;
    Handle handle;
    std::string_view description;
  };
  constexpr std::array<Entry, 5> kEntries = {{
      {{"/tags", "/graphite/tags"}, handle_list, "the tags of all series, as Graphite lists them"},
      {{"/tags/findSeries", "/graphite/tags/findSeries"}, handle_find_series, "series by their tags"},
      {{"/tags/autoComplete/tags", "/graphite/tags/autoComplete/tags"},
       handle_complete_tags,
       "tags with a prefix"},
      {{"/tags/autoComplete/values", "/graphite/tags/autoComplete/values"},
       handle_complete_values,
       "values of a tag with a prefix"},
      {{"/tags/*", "/graphite/tags/*"}, handle_tag, "the values of a tag"},
  }};
  std::vector<Route> routes = announcement_routes();
  for (const auto& [paths, handle, description] : kEntries) {
    for (const std::string_view path : paths) {
      Route route{"GET", path, {}, 0, {}, path == paths[0] ? description : "", Lane::kQuery};
      route.strictness = Strictness::kLenient;
      route.query = [tags, handle = handle](const Url& url, QueryControl& control, BodySink& sink) {
        return handle(tags, url, control, sink);
      };
      routes.push_back(std::move(route));
    }
  }
  return routes;
}

}  // namespace statmill::graphite
