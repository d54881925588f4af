#include "server/http/query_run.h"

#include "base/stage.h"

#include <array>
#include <charconv>
#include <chrono>

namespace statmill {
namespace {

// Returns the query as the log and the list of queries show it: the path and the decoded parameters.
std::string text_of(const Url& url) {
  std::string text = url.path;
  for (const Parameter& parameter : url.parameters) {
    text.append(text.size() == url.path.size() ? "?" : "&").append(parameter.name).append("=");
    text.append(parameter.value);
    if (text.size() > kQueryTextBytes) break;
  }
  return text.substr(0, kQueryTextBytes);
}

// For clients that read the parts of a long answer slowly: a work limits the time of its queries itself.
constexpr Duration kWritingTime = std::chrono::seconds(10);

QueryLimits limits_of(const QueryService& service, const QueryWork* work) {
  QueryLimits limits = service.limits();
  if (work != nullptr) limits.timeout += kWritingTime;
  return limits;
}

// `query;dur=1.5;desc="slots=8640"`, in milliseconds.
std::string server_timing(const QueryCost& cost) {
  std::array<char, 32> ms;
  const auto end = std::to_chars(ms.data(), ms.data() + ms.size(), cost.ms, std::chars_format::fixed, 3).ptr;
  return "query;dur=" + std::string(ms.data(), end) + ";desc=\"series=" + std::to_string(cost.series) +
         " chunks=" + std::to_string(cost.chunks) + " slots=" + std::to_string(cost.slots) + "\"";
}

}  // namespace

QueryRun::QueryRun(QueryService& service, HttpCounters& counters, Request request, std::function<void()> wake)
    : service_(service),
      counters_(counters),
      request_(std::move(request)),
      text_(request_.work ? request_.work->text() : text_of(request_.url)),
      control_(limits_of(service, request_.work.get()), &service.memory(), &service.clock()),
      stream_({.control = control_,
               .clock = service.clock(),
               .coding = request_.coding,
               .wake = std::move(wake),
               .on_waiting =
                   [this](bool begins) {
                     service_.pool().wait_for_client(lane_, begins);
                     control_.set_working(!begins);
                   }}),
      id_(service.board().add(text_, request_.client, control_)) {}

QueryRun::~QueryRun() {
  if (status_ != 0) return;
  // It never ran to its end: no thread was free, or its client left while it waited for one.
  service_.count_stopped(control_);
  service_.board().remove(id_, 0);
}

bool QueryRun::run(QueryLane lane) {
  lane_ = lane;
  control_.run_among_small(lane == QueryLane::kSmall);
  control_.begin();
  HttpResponse response;
  // A query that was stopped while it waited does nothing.
  if (const Status status = control_.check(); !status) {
    response = request_.route.refuse(503, status.error().message);
  } else {
    response = call_handler();
  }
  // Work goes on where it was; a query starts again.
  if (control_.is_too_heavy() && (request_.work || !stream_.has_begun())) {
    if (!request_.work) stream_.restart();
    control_.set_working(false);
    return false;
  }
  status_ = response.status;
  response.may_retry = response.status == 503;
  response.server_timing = server_timing(control_.cost());
  // Work accounts for each of its queries.
  if (request_.work) {
    service_.count_stopped(control_);
  } else {
    service_.account({request_.route.path, text_, request_.client, status_}, control_);
  }
  service_.board().remove(id_, status_);
  stream_.finish(std::move(response));
  return true;
}

HttpResponse QueryRun::call_handler() {
  const InStage stage(Stage::kQuery);
  try {
    if (request_.work) return request_.work->run({&service_, request_.client, control_, stream_});
    return request_.route.query(request_.url, control_, stream_);
  } catch (...) {
    // An exception of a handler or a library ends the request, not the server.
    counters_.handler_failures.add();
    return request_.route.refuse(500, "the handler failed");
  }
}

}  // namespace statmill
