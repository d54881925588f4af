#include "tools/statmill/top/fetch.h"

#include <utility>

#include "tools/statmill/options.h"

namespace statmill {
namespace {

constexpr const char* kSeriesListedMax = "20000";
constexpr size_t kTargetBytesMax = 3500;  // the server accepts 4096

// Makes requests until one fails.
class Asker {
 public:
  explicit Asker(const Client& client) : client_(client) {}

  // Calls `use` with the body of the answer, and notes its error.
  template <class Use>
  void ask(std::string_view path, const UrlParameters& parameters, const Use& use) {
    if (!problem_.empty()) return;
    const Result<HttpAnswer> answer = client_.get(path, parameters);
    if (!answer) {
      problem_ = answer.error().message;
    } else if (answer->status != 200) {
      problem_ = error_text(*answer);
    } else {
      use(answer->body);
    }
  }
  // Parses the answer into `out`.
  template <class Value, class Parse>
  void ask(std::string_view path, const UrlParameters& parameters, Value& out, const Parse& parse) {
    ask(path, parameters, [&](const std::string& body) {
      auto parsed = parse(body);
      if (parsed) {
        out = std::move(*parsed);
      } else {
        problem_ = parsed.error().message;
      }
    });
  }
  void query(const UrlParameters& parameters, QueryResult& out) {
    ask("/api/v1/query", parameters, out,
        [](const std::string& body) { return parse_query_result(body, {}); });
  }
  const std::string& problem() const { return problem_; }

 private:
  const Client& client_;
  std::string problem_;
};

void fetch_hosts(Asker& asker, TopData& out) {
  HostAnswers answers;
  asker.ask("/api/v1/status/agents", {}, answers.agents, parse_agents);
  asker.query(averages_request(), answers.averages);
  asker.query(percentiles_request(), answers.percentiles);
  asker.query(history_request(), answers.history);
  out.hosts = rank_hosts(answers);
  out.connected = answers.agents.connected;
}

void fetch_values(Asker& asker, const std::vector<std::string>& names, TopData& out) {
  const UrlParameters range = {{"from", "-10m"}, {"until", "now"}, {"step", "30s"}, {"stats", "avg"}};
  for (size_t i = 0; i < names.size();) {
    UrlParameters parameters = range;
    size_t bytes = 100;
    for (; i < names.size(); ++i) {
      bytes += 3 * names[i].size() + 8;  // each byte may become %XX
      if (bytes > kTargetBytesMax && parameters.size() > range.size()) break;
      parameters.emplace_back("series", names[i]);
    }
    QueryResult part;
    asker.query(parameters, part);
    for (SeriesColumns& series : part.series) out.values.series.push_back(std::move(series));
  }
}

}  // namespace

TopData fetch_top(const Client& client, const Wanted& wanted, const std::string& charted) {
  TopData out;
  Asker asker(client);
  if (wanted.view == View::kHosts) fetch_hosts(asker, out);
  if (wanted.view == View::kSeries) {
    out.listed = wanted.pattern;
    asker.ask("/api/v1/series", {{"match", wanted.pattern}, {"limit", kSeriesListedMax}}, out.series,
              parse_series_listing);
    fetch_values(asker, wanted.names, out);
  }
  if (wanted.view == View::kChart) {
    out.charted = charted;
    asker.query(wanted.chart, out.chart);
  }
  out.problem = asker.problem();
  return out;
}

}  // namespace statmill
