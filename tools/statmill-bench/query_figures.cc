#include "tools/statmill-bench/query_figures.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <utility>

#include "tools/statmill-bench/http_connection.h"
#include "tools/statmill-bench/query_peer.h"
#include "tools/statmill-bench/query_pipelined.h"

namespace statmill {
namespace {

using std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::chrono::seconds kWarmLimit{5};  // for all runs of a figure
constexpr size_t kRunsMin = 5;

// Returns the time until the answer is there, in ms. Errors: kCorrupt if it is another one.
Result<double> time_request(HttpConnection& connection, const AskedQuery& asked) {
  const auto begin = steady_clock::now();
  const auto answer = connection.get(asked.target);
  const Milliseconds taken = steady_clock::now() - begin;
  if (!answer) return answer.error();
  if (Status s = asked.check(answer->body); !s) return s.error();
  return taken.count();
}

Measured measure_warm(const QueryServer& server, HttpConnection& connection, const AskedQuery& asked,
                      size_t runs, const std::string& name) {
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

Measured measure_cold(QueryServer& server, const AskedQuery& asked, size_t starts, const std::string& name) {
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
  const bool is_peer = !server.name().empty();
  const auto asked = ask_first(*connection, {target_of(figure, server.api()), figure.want,
                                             is_peer ? figure.peer_tolerance : figure.tolerance});
  if (!asked) return asked.error();
  const std::string peer = is_peer ? std::string(server.name()) + "." : "";
  const std::string name = "query." + peer + figure.name;
  if (figure.timing == QueryTiming::kPipelined)
    return measure_pipelined(server, *asked, context.options.runs, name);
  const bool has_cold = figure.timing == QueryTiming::kWarmAndCold;
  Measured out =
      measure_warm(server, *connection, *asked, context.options.runs, name + (has_cold ? ".warm" : ""));
  if (!out || !has_cold) return out;
  const Measured cold = measure_cold(server, *asked, context.options.starts, name + ".cold");
  if (!cold) return cold.error();
  out->insert(out->end(), cold->begin(), cold->end());
  return out;
}

Measured measure_server(Result<std::unique_ptr<QueryServer>> server, const QueryContext& context,
                        const QueryData& data, const std::vector<QueryFigure>& figures) {
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

}  // namespace

Measured measure_figures(const QueryContext& context, const QueryData& data,
                         const std::vector<QueryFigure>& figures, bool is_pending) {
  Measured out = measure_server(
      start_statmill(
          {.program = context.server_program, .parent = context.options.directory, .is_pending = is_pending}),
      context, data, figures);
  std::vector<QueryFigure> of_peers;
  std::ranges::copy_if(figures, std::back_inserter(of_peers), &QueryFigure::is_of_peers);
  if (of_peers.empty()) return out;
  for (const std::string& peer : context.options.peers) {
    if (!out) break;
    auto server = make_query_peer(peer, context.options.directory);
    if (!server && server.error().code == ErrorCode::kUnavailable) {
      say_query(peer, "skipped: " + server.error().message);
      continue;
    }
    const Measured measured = measure_server(std::move(server), context, data, of_peers);
    if (!measured) return Error(measured.error()).with(peer);
    out->insert(out->end(), measured->begin(), measured->end());
  }
  return out;
}

std::string target_of(const QueryFigure& figure, std::string_view api) {
  const std::string path = figure.is_own() ? figure.path : std::string(api) + "/" + figure.path;
  return url_target(path, figure.parameters);
}

void say_query(std::string_view measure, const std::string& what) {
  std::fprintf(stderr, "query: %.*s: %s\n", static_cast<int>(measure.size()), measure.data(), what.c_str());
}

}  // namespace statmill
