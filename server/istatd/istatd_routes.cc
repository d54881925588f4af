#include "server/istatd/istatd_routes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "server/http/query_work.h"
#include "server/istatd/counter_answer.h"
#include "server/istatd/counter_query.h"
#include "server/istatd/name_listing.h"
#include "server/istatd/sender_listing.h"
#include "server/json.h"

namespace statmill::istatd {
namespace {

constexpr std::array<std::string_view, 2> kRoots = {"/", "/istatd/"};

HttpResponse answer_of(const Status& written) {
  return written ? HttpResponse{} : error_response(written.error());
}

// Requires: the name is that of a series.
Result<CounterAnswer> read(const CounterSources& sources, const std::string& name, const AskedRange& range,
                           bool is_trailing, QueryControl& control) {
  return is_trailing ? read_trailing(sources, name, range, control)
                     : read_counter(sources, name, range, control);
}

HttpResponse handle_counter(const CounterSources& sources, const Url& url, QueryControl& control,
                            BodySink& sink) {
  const auto query = parse_counter_query(url);
  if (!query) return error_response(query.error());
  const std::string text = url.path.substr(url.path.rfind('/') + 1);
  const auto name = counter_name(sources.catalog, text);
  if (!name) return error_response(404, "No such counter " + text);
  const auto answer = read(sources, *name, query->range, query->is_trailing, control);
  if (!answer) return error_response(answer.error());
  return answer_of(query->is_csv ? write_counter_csv(*answer, sink) : write_counter_json(*answer, sink));
}

// Several counters: POST /*.
class CountersWork final : public QueryWork {
 public:
  CountersWork(const CounterSources& sources, CountersQuery query)
      : sources_(sources), query_(std::move(query)) {}

  std::string text() const override { return std::to_string(query_.keys.size()) + " counters"; }
  HttpResponse run(const QueryTurn& turn) override { return answer_of(write(turn.control, turn.sink)); }

 private:
  Status write(QueryControl& control, BodySink& sink) const {
    std::string before = "{";
    CounterRange last;
    for (const std::string& key : query_.keys) {
      append_json_string(before, key);
      before += ':';
      if (const auto name = counter_name(sources_.catalog, key)) {
        const auto answer = read(sources_, *name, query_.range, query_.is_trailing, control);
        if (!answer) return answer.error();
        const HeldMemory held(control, answer->rows.size() * sizeof(CounterRow));
        if (!held.status()) return held.status();
        last = answer->range;
        if (Status s = write_one_counter(*answer, std::move(before), query_.is_compact, sink); !s) return s;
        before.clear();
      } else {
        before += "\"Not found.\"";
      }
      before += ',';
    }
    return sink.write(before + tail(last));
  }
  // The range of the last counter, if no counter has such a name.
  std::string tail(const CounterRange& last) const {
    std::string out;
    for (const auto& [name, value] : {std::pair{"start", last.start_s}, std::pair{"stop", last.end_s},
                                      std::pair{"interval", last.interval_s}}) {
      if (std::ranges::find(query_.keys, name) != query_.keys.end()) continue;
      out.append(out.empty() ? "\"" : ",\"").append(name).append("\":").append(std::to_string(value));
    }
    return out + "}\n";
  }

  const CounterSources sources_;
  const CountersQuery query_;
};

Route counter_route(std::string_view path, const CounterSources& counters) {
  Route route{"GET", path, {}, 0, {}, {}, Lane::kQuery};
  route.strictness = Strictness::kLenient;
  route.query = [counters](const Url& url, QueryControl& control, BodySink& sink) {
    return handle_counter(counters, url, control, sink);
  };
  return route;
}

Route counters_route(std::string_view path, const CounterSources& counters) {
  Route route{"POST", path, {}, 0, {}, {}, Lane::kQuery};
  route.has_json_of_any_type = true;  // istatd's page says text/plain
  route.json = [counters](std::string_view body) -> Result<std::shared_ptr<QueryWork>> {
    auto query = parse_counters_query(body);
    if (!query) return query.error();
    return std::shared_ptr<QueryWork>(std::make_shared<CountersWork>(counters, *std::move(query)));
  };
  return route;
}

Route list_route(std::string_view root, const SeriesCatalog& catalog) {
  Route route{"GET", root, {}, 0, {}, {}, Lane::kQuery};
  route.needs = "q";
  route.strictness = Strictness::kLenient;
  route.query = [&catalog](const Url& url, QueryControl& control, BodySink& sink) {
    return answer_of(list_names(catalog, url.find("q").value_or(""), control, sink));
  };
  return route;
}

Route senders_route(std::string_view root, const IstatdServices& services) {
  Route route{"GET", root, {}, 0, {}, {}, Lane::kMemory};
  route.needs = "a";
  route.strictness = Strictness::kLenient;
  route.handle = [services](const Url&, std::string_view) {
    return HttpResponse{
        200, senders_json(services.connections, services.agents, services.counters.clock.wall()), kJson, {}};
  };
  return route;
}

Route no_file_route(std::string_view root) {
  Route route{"GET", root, {}, 0, {}, {}};
  route.needs = "f";
  route.strictness = Strictness::kLenient;
  route.handle = [](const Url&, std::string_view) {
    return error_response(404, "files of istatd's page are not served here");
  };
  return route;
}

}  // namespace

std::vector<Route> istatd_routes(const IstatdServices& services) {
  std::vector<Route> routes;
  for (const std::string_view root : kRoots) {
    routes.push_back(no_file_route(root));
    routes.push_back(senders_route(root, services));
    routes.push_back(list_route(root, services.counters.catalog));
  }
  routes.push_back(counters_route("/istatd/\\*", services.counters));
  routes.push_back(counter_route("/istatd/*", services.counters));
  return routes;
}

std::vector<Route> bare_counter_routes(const CounterSources& counters) {
  return {counters_route("/\\*", counters), counter_route("/*", counters)};
}

}  // namespace statmill::istatd
