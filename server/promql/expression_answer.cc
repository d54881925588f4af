#include "server/promql/expression_answer.h"

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/csv_text.h"
#include "base/stage.h"
#include "server/http/answer_json.h"
#include "server/http/http_message.h"
#include "server/http/list_writer.h"
#include "server/http/query_board.h"
#include "server/json.h"
#include "server/promql/prometheus_json.h"
#include "server/query/plan/result.h"

namespace statmill {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr size_t kLinesBytes = size_t{16} << 10;  // written at a time

using Cell = std::optional<AnswerNumber>;

Cell stat_cell(Stat stat, const Histograms& histograms, size_t row) {
  const double seconds = histograms.seconds[row];
  // The length of the bucket is used by kRate only.
  const Cell number = stat_number(stat, histograms.buckets[row], Kind::kDistribution, 1, 1);
  if (!number || seconds == 1 || (stat != Stat::kCount && stat != Stat::kSum)) return number;
  return AnswerNumber::real(number->value() / seconds);
}

Cell percentile_cell(const Percentile& percentile, const Histograms& histograms, size_t row) {
  const Bucket& bucket = histograms.buckets[row];
  if (bucket.is_empty() || histograms.histograms[row].is_empty()) return std::nullopt;
  return AnswerNumber::real(histograms.histograms[row].percentile(percentile.q, bucket.min(), bucket.max()));
}

// Calls `visit` with the name of each column and a function from the row to the cell.
template <class Visit>
void visit_columns(const ExpressionAnswer& answer, const SeriesValues& series, const Visit& visit) {
  if (!series.histograms) {
    const Numbers& numbers = series.numbers;
    visit(std::string_view("value"),
          [&](size_t row) { return numbers.present[row] ? Cell(numbers.number(row)) : std::nullopt; });
    return;
  }
  const Histograms& histograms = *series.histograms;
  for (const Stat stat : answer.stats)
    visit(stat_name(stat), [&, stat](size_t row) { return stat_cell(stat, histograms, row); });
  for (const Percentile& percentile : answer.percentiles) {
    visit(std::string_view(percentile.name),
          [&](size_t row) { return percentile_cell(percentile, histograms, row); });
  }
}

void append_cell(std::string& out, const AnswerNumber& number, std::string_view quote) {
  if (number.is_finite()) return number.append_to(out);
  out += quote;
  append_number_text(out, number.value());
  out += quote;
}

void append_columns(JsonObject& object, const ExpressionAnswer& answer, const SeriesValues& series) {
  visit_columns(answer, series, [&](std::string_view name, const auto& cell_at) {
    JsonArray cells(object.key(name));
    for (size_t row = 0; row < answer.grid.points(); ++row) {
      std::string& element = cells.element();
      const Cell cell = cell_at(row);
      if (cell) {
        append_cell(element, *cell, "\"");
      } else {
        element += "null";
      }
    }
  });
}

void append_series_json(std::string& out, const ExpressionAnswer& answer,
                        std::span<const SeriesValues> series) {
  JsonObject object(out);
  append_labels_json(object.key("labels"), series.front().labels);
  for (const SeriesValues& values : series) append_columns(object, answer, values);
}

std::string head_of(const ExpressionAnswer& answer) {
  const Grid& grid = answer.grid;
  std::string head = "{\"from\":" + std::to_string(grid.start_ms / 1000);
  head += ",\"until\":" + std::to_string((grid.at(grid.points() - 1) + grid.step_ms) / 1000);
  head += ",\"step\":" + std::to_string(grid.step_ms / 1000);
  head += ",\"tier\":" + (answer.notes.tier_s > 0 ? std::to_string(answer.notes.tier_s) : "null");
  return head + ",\"series\":[";
}

void append_csv_line(std::string& out, const ExpressionAnswer& answer, size_t row) {
  out += std::to_string(answer.grid.at(row) / 1000);
  for (const SeriesValues& series : answer.series) {
    visit_columns(answer, series, [&](std::string_view, const auto& cell_at) {
      out += ',';
      if (const Cell cell = cell_at(row)) append_cell(out, *cell, "");
    });
  }
  out += kLineEnd;
}

}  // namespace

Status write_expression_json(const ExpressionAnswer& answer, const QueryControl& control, BodySink& sink) {
  const InStage stage(Stage::kPrint);
  ListWriter list(sink, head_of(answer));
  const Status written = for_each_series(answer.series, [&](std::span<const SeriesValues> series) {
    return list.add([&](std::string& out) { append_series_json(out, answer, series); });
  });
  if (!written) return written;
  std::string tail = "]";
  append_notes(tail, answer.notes);
  tail += ",\"cost\":";
  append_cost_json(tail, control.cost());
  return list.end(tail + "}\n");
}

Status write_expression_csv(const ExpressionAnswer& answer, BodySink& sink) {
  const InStage stage(Stage::kPrint);
  sink.set_content_type(kCsv);
  std::string out = "time";
  for (const SeriesValues& series : answer.series) {
    const std::string labels = series.labels.text();
    visit_columns(answer, series, [&](std::string_view name, const auto&) {
      out += ',';
      append_csv_text(out, labels + ":" + std::string(name));
    });
  }
  out += kLineEnd;
  for (size_t row = 0; row < answer.grid.points(); ++row) {
    append_csv_line(out, answer, row);
    if (out.size() < kLinesBytes) continue;
    if (Status status = sink.write(out); !status) return status;
    out.clear();
  }
  return sink.write(out);
}

}  // namespace statmill
