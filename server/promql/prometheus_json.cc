#include "server/promql/prometheus_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "server/http/answer_json.h"
#include "server/json.h"

namespace statmill {
namespace {

struct ErrorForm {
  std::string_view type;
  unsigned status;
};

constexpr std::array kErrorForms = {
    ErrorForm{"bad_data", 400}, ErrorForm{"execution", 422},   ErrorForm{"timeout", 503},
    ErrorForm{"canceled", 503}, ErrorForm{"unavailable", 503}, ErrorForm{"internal", 500},
};

void append_integer(std::string& out, int64_t value) {
  std::array<char, 24> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
}

void append_quoted_number(std::string& out, double value) {
  out += '"';
  append_number_text(out, value);
  out += '"';
}

void append_texts(std::string& out, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  out.append(",\"").append(name).append("\":");
  JsonArray array(out);
  for (const std::string& text : texts) append_json_string(array.element(), text);
}

// One bucket of a histogram: [RULE,"LOWER","UPPER","COUNT"]. The rule says which edges belong to it: 0 the
// upper, 1 the lower, 3 both.
void append_cell(std::string& out, const SparseHistogram::Cell& cell, int joined_power, double seconds) {
  const double near = histogram_lower_edge(cell.index);
  const double far = histogram_upper_edge(cell.index, joined_power);
  out += cell.index == 0 ? "[3," : cell.index > 0 ? "[1," : "[0,";
  append_quoted_number(out, std::min(near, far));
  out += ',';
  append_quoted_number(out, std::max(near, far));
  out += ',';
  append_quoted_number(out, static_cast<double>(cell.count) / seconds);
  out += ']';
}

void append_histogram(std::string& out, const Histograms& histograms, size_t point) {
  const Bucket& bucket = histograms.buckets[point];
  const SparseHistogram& histogram = histograms.histograms[point];
  JsonObject object(out);
  append_quoted_number(object.key("count"), static_cast<double>(bucket.count()) / histograms.seconds[point]);
  append_quoted_number(object.key("sum"), bucket.sum() / histograms.seconds[point]);
  JsonArray cells(object.key("buckets"));
  for (const SparseHistogram::Cell& cell : histogram.cells()) {
    append_cell(cells.element(), cell, histogram.joined_power(), histograms.seconds[point]);
  }
}

void append_points(std::string& out, const SeriesValues& series, const Grid& grid) {
  JsonArray points(out);
  for (size_t i = 0; i < grid.points(); ++i) {
    const bool is_present =
        series.histograms ? !series.histograms->buckets[i].is_empty() : series.numbers.present[i];
    if (!is_present) continue;
    std::string& element = points.element();
    element += '[';
    append_seconds(element, grid.at(i));
    element += ',';
    if (series.histograms) {
      append_histogram(element, *series.histograms, i);
    } else {
      append_value(element, series.numbers, i);
    }
    element += ']';
  }
}

// The type of an error with status 503. QueryControl::stop_reason() says how its messages begin.
PrometheusError unavailable_type(std::string_view message) {
  if (message.starts_with("timeout")) return PrometheusError::kTimeout;
  if (message.starts_with("canceled")) return PrometheusError::kCanceled;
  return PrometheusError::kUnavailable;
}

}  // namespace

HttpResponse prometheus_error(PrometheusError type, std::string_view message) {
  const ErrorForm& form = kErrorForms[static_cast<size_t>(type)];
  HttpResponse response{form.status, {}, kJson, {}};
  {
    JsonObject object(response.body);
    object.text("status", "error");
    object.text("errorType", form.type);
    object.text("error", message);
  }
  response.body += '\n';
  return response;
}

HttpResponse evaluation_error(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kLimit:
    case ErrorCode::kNotFound:
      return prometheus_error(PrometheusError::kExecution, error.message);
    case ErrorCode::kUnavailable:
    case ErrorCode::kBusy:
      return prometheus_error(unavailable_type(error.message), error.message);
    case ErrorCode::kCorrupt:
    case ErrorCode::kVersion:
    case ErrorCode::kIo:
      break;
  }
  return prometheus_error(PrometheusError::kInternal, error.message);
}

HttpResponse prometheus_refusal(unsigned status, std::string_view message) {
  PrometheusError type = status >= 500 ? PrometheusError::kInternal : PrometheusError::kBadData;
  if (status == 422) type = PrometheusError::kExecution;
  if (status == 503) type = unavailable_type(message);
  HttpResponse response = prometheus_error(type, message);
  response.status = status;
  return response;
}

HttpResponse prometheus_answer(std::string_view data, const QueryNotes& notes) {
  HttpResponse response;
  response.body.reserve(data.size() + 64);
  {
    JsonObject object(response.body);
    object.text("status", "success");
    object.key("data").append(data);
    append_notes(response.body, notes);
  }
  response.body += '\n';
  return response;
}

Route prometheus_route(std::string_view path, std::span<const ParameterRule> parameters, QueryHandler handle,
                       std::string_view description) {
  return {.method = "GET",
          .path = path,
          .parameters = parameters,
          .handle = {},
          .description = description,
          .lane = Lane::kQuery,
          .query = std::move(handle),
          .strictness = Strictness::kLenient,
          .refuse = prometheus_refusal};
}

void append_number_text(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else {
    append_number(out, value);
  }
}

void append_notes(std::string& out, const QueryNotes& notes) {
  append_texts(out, "warnings", notes.warnings);
  append_texts(out, "infos", notes.infos);
}

void append_seconds(std::string& out, int64_t time_ms) {
  if (time_ms < 0) out += '-';
  const int64_t magnitude = time_ms < 0 ? -time_ms : time_ms;
  append_integer(out, magnitude / 1000);
  const int64_t rest = magnitude % 1000;
  if (rest == 0) return;
  const std::array<char, 4> fraction = {'.', static_cast<char>('0' + rest / 100),
                                        static_cast<char>('0' + rest / 10 % 10),
                                        static_cast<char>('0' + rest % 10)};
  out.append(fraction.data(), fraction.size());
}

void append_value(std::string& out, const Numbers& numbers, size_t point) {
  if (numbers.is_real()) {
    append_quoted_number(out, numbers.reals[point]);
    return;
  }
  out += '"';
  numbers.number(point).append_to(out);
  out += '"';
}

void append_series(std::string& out, std::span<const SeriesValues> series, const Grid& grid) {
  JsonObject object(out);
  append_labels_json(object.key("metric"), series.front().labels);
  for (const SeriesValues& values : series)
    append_points(object.key(values.histograms ? "histograms" : "values"), values, grid);
}

void append_instant(std::string& out, const SeriesValues& series, int64_t time_ms) {
  JsonObject object(out);
  append_labels_json(object.key("metric"), series.labels);
  std::string& value = object.key(series.histograms ? "histogram" : "value");
  value += '[';
  append_seconds(value, time_ms);
  value += ',';
  if (series.histograms) {
    append_histogram(value, *series.histograms, 0);
  } else {
    append_value(value, series.numbers, 0);
  }
  value += ']';
}

}  // namespace statmill
