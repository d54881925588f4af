#include "tools/statmill-bench/query_figures.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "tools/statmill-bench/http_connection.h"

namespace statmill {
namespace {

using std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::chrono::seconds kWarmLimit{5};  // for all runs of a figure
constexpr size_t kRunsMin = 5;

std::string target_of(const QueryServer& server, const QueryFigure& figure) {
  const std::string path = figure.is_own() ? figure.path : std::string(server.api()) + "/" + figure.path;
  return url_target(path, figure.parameters);
}

// A request whose answer is known.
struct Asked {
  std::string target;
  std::string answer;  // its lasting part
};

// Returns the time until the answer is there, in ms. Errors: kCorrupt if it is another one.
Result<double> time_request(HttpConnection& connection, const Asked& asked) {
  const auto begin = steady_clock::now();
  const auto answer = connection.get(asked.target);
  const Milliseconds taken = steady_clock::now() - begin;
  if (!answer) return answer.error();
  if (lasting_part(answer->body) == asked.answer) return taken.count();
  return Error{ErrorCode::kCorrupt, "another answer than before: " + answer->body.substr(0, 200)};
}

Result<Asked> ask_first(HttpConnection& connection, const QueryServer& server, const QueryFigure& figure) {
  Asked asked{target_of(server, figure), {}};
  const auto answer = connection.get(asked.target);
  if (!answer) return answer.error();
  const double tolerance = server.name().empty() ? figure.tolerance : figure.peer_tolerance;
  if (Status s = check_answer(answer->body, figure.want, tolerance); !s) return s.error();
  asked.answer = lasting_part(answer->body);
  return asked;
}

Measured measure_warm(const QueryServer& server, HttpConnection& connection, const Asked& asked, size_t runs,
                      const std::string& name) {
  std::vector<double> times;
  const auto before = server.meter().cpu_time();
  if (!before) return before.error();
  const auto begin = steady_clock::now();
  while (times.size() < runs && (times.size() < kRunsMin || steady_clock::now() - begin < kWarmLimit)) {
    const Result<double> time = time_request(connection, asked);
    if (!time) return time.error();
    times.push_back(*time);
  }
  const auto after = server.meter().cpu_time();
  if (!after) return after.error();
  const double cpu_ms = Milliseconds(*after - *before).count() / static_cast<double>(times.size());
  return std::vector<Measurement>{{name + "_ms", percentile(times, 50), "ms", times.size()},
                                  {name + "_p99_ms", percentile(times, 99), "ms", times.size()},
                                  {name + "_cpu_ms", cpu_ms, "ms", times.size()}};
}

Measured measure_cold(QueryServer& server, const Asked& asked, size_t starts, const std::string& name) {
  std::vector<double> times;
  for (size_t i = 0; i < starts; ++i) {
    if (Status s = server.restart(); !s) return s.error();
    auto connection = HttpConnection::open(server.http());
    if (!connection) return connection.error();
    const Result<double> time = time_request(*connection, asked);
    if (!time) return time.error();
    times.push_back(*time);
  }
  return std::vector<Measurement>{{name + "_ms", percentile(times, 50), "ms", times.size()}};
}

Measured measure_figure(const QueryContext& context, QueryServer& server, const QueryFigure& figure) {
  auto connection = HttpConnection::open(server.http());
  if (!connection) return connection.error();
  const auto asked = ask_first(*connection, server, figure);
  if (!asked) return asked.error();
  const std::string peer = server.name().empty() ? "" : std::string(server.name()) + ".";
  const std::string name = "query." + peer + figure.name;
  Measured out = measure_warm(server, *connection, *asked, context.options.runs,
                              name + (figure.has_cold ? ".warm" : ""));
  if (!out || !figure.has_cold) return out;
  const Measured cold = measure_cold(server, *asked, context.options.starts, name + ".cold");
  if (!cold) return cold.error();
  out->insert(out->end(), cold->begin(), cold->end());
  return out;
}

}  // namespace

Measured measure_figures(const QueryContext& context, const QueryData& data,
                         const std::vector<QueryFigure>& figures, bool is_pending) {
  auto server = start_statmill(
      {.program = context.server_program, .parent = context.options.directory, .is_pending = is_pending});
  if (!server) return server.error();
  if (Status s = (*server)->load(data); !s) return s.error();
  std::vector<Measurement> out;
  for (const QueryFigure& figure : figures) {
    const Measured measured = measure_figure(context, **server, figure);
    if (!measured) return Error(measured.error()).with(figure.name);
    out.insert(out.end(), measured->begin(), measured->end());
  }
  return out;
}

void say_query(std::string_view measure, const std::string& what) {
  std::fprintf(stderr, "query: %.*s: %s\n", static_cast<int>(measure.size()), measure.data(), what.c_str());
}

}  // namespace statmill
