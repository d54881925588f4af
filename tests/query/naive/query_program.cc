// naive_query DATA QUERIES START END STEP: answers each line of the file QUERIES as Prometheus' query_range
// would, over the samples of the file DATA, one JSON object a line. tools/compare-promql compares it with
// Prometheus.
//
// A line of DATA: kind, canonical name, unix seconds, value; separated by blanks. Its samples belong to the
// slots of 10 s.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/text.h"
#include "server/promql/literals.h"
#include "server/promql/parser.h"
#include "tests/query/naive/naive.h"

namespace statmill::naive {
namespace {

Labels labels_of(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, ';');
  Labels out = {{std::string(promql::kNameLabel), std::string(parts[0])}};
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    out[std::string(parts[i].substr(0, equals))] = parts[i].substr(equals + 1);
  }
  return out;
}

std::vector<SampledSeries> read_series(const char* path) {
  const std::map<std::string, SeriesKind> kinds = {{"gauge", SeriesKind::kGauge},
                                                   {"event", SeriesKind::kEvent},
                                                   {"counter", SeriesKind::kCounter},
                                                   {"distribution", SeriesKind::kDistribution}};
  std::map<std::string, SampledSeries> by_name;
  std::ifstream file(path);
  std::string kind;
  std::string name;
  std::string value;
  for (int64_t second = 0; file >> kind >> name >> second >> value;) {
    const auto [found, is_new] = by_name.try_emplace(name);
    if (is_new) found->second = {labels_of(name), kinds.at(kind), {}};
    Number number;
    if (parse_number(value, number).is_accepted())
      found->second.samples.push_back({from_unix_seconds(second), number});
  }
  std::vector<SampledSeries> out;
  for (auto& [key, series] : by_name) out.push_back(std::move(series));
  return out;
}

std::string failure(const Error& error) {
  std::string out = R"({"status":"error","error":)";
  append_json_string(out, error.message);
  return out + "}";
}

std::string row_json(const AnswerRow& row, const Grid& grid) {
  std::string out = R"({"metric":{)";
  for (const auto& [label, value] : row.labels) {
    if (!out.ends_with('{')) out += ',';
    append_json_string(out, label);
    out += ':';
    append_json_string(out, value);
  }
  out += R"(},"values":[)";
  Timestamp time = grid.start;
  for (const auto& point : row.points) {
    if (point) {
      if (!out.ends_with('[')) out += ',';
      out.append("[").append(std::to_string(unix_seconds(time))).append(",\"");
      promql::append_float(out, *point);
      out += "\"]";
    }
    time += grid.step;
  }
  return out + "]}";
}

std::string answer_json(const std::string& query, const std::vector<SampledSeries>& series,
                        const Grid& grid) {
  const auto tree = promql::parse_promql(query);
  if (!tree) return failure(tree.error());
  const auto answer = evaluate(*tree, series, grid, {.now = grid.end});
  if (!answer) return failure(answer.error());
  std::string out = R"({"status":"success","data":{"result":[)";
  for (const AnswerRow& row : *answer) {
    if (!out.ends_with('[')) out += ',';
    out += row_json(row, grid);
  }
  return out + "]}}";
}

int run(const char* const* arguments) {
  const std::vector<SampledSeries> series = read_series(arguments[0]);
  const auto second = [&](int i) { return from_unix_seconds(std::atoll(arguments[i])); };
  const Grid grid{second(2), second(3), std::chrono::seconds(std::atoll(arguments[4]))};
  std::ifstream queries(arguments[1]);
  for (std::string query; std::getline(queries, query);)
    std::cout << answer_json(query, series, grid) << '\n';
  return 0;
}

}  // namespace
}  // namespace statmill::naive

int main(int argc, char** argv) {
  if (argc == 6) return statmill::naive::run(argv + 1);
  std::fputs("usage: naive_query DATA QUERIES START END STEP\n", stderr);
  return 2;
}
