#include "server/http/answer_csv.h"

#include <cmath>

#include "base/csv_text.h"
#include "base/text.h"
#include "server/http/http_message.h"
#include "server/query/labels.h"

namespace statmill {
namespace {

constexpr std::string_view kCsvLineEnd = "\r\n";
constexpr size_t kCsvPieceBytes = size_t{16} << 10;

void append_csv_names(std::string& out, const QueryAnswer& answer, std::span<const Stat> stats,
                      std::span<const Percentile> percentiles, SeriesForm form) {
  out.append("time");
  const auto append_name = [&out](const std::string& series, std::string_view stat) {
    out.push_back(',');
    append_csv_text(out, series + ":" + std::string(stat));
  };
  for (const SeriesAnswer& series : answer.series) {
    const std::string name =
        form == SeriesForm::kName ? series.name : SeriesLabels::of_name(series.name).text();
    for (const Stat stat : stats) append_name(name, stat_name(stat));
    for (const Percentile& percentile : percentiles) append_name(name, percentile.name);
  }
  out.append(kCsvLineEnd);
}

void append_csv_slot(std::string& out, const QueryAnswer& answer, std::span<const Stat> stats, size_t i) {
  out.append(std::to_string(answer.bins.first_s + static_cast<int64_t>(i) * answer.bins.step_s));
  for (const SeriesAnswer& series : answer.series) {
    for (const Stat stat : stats) {
      out.push_back(',');
      const auto number = stat_at(stat, answer, series, i);
      if (number) number->append_to(out);
    }
    for (const std::vector<double>& values : series.percentiles) {
      out.push_back(',');
      if (!values.empty() && !std::isnan(values[i])) append_number(out, values[i]);
    }
  }
  out.append(kCsvLineEnd);
}

}  // namespace

Status write_query_csv(const QueryAnswer& answer, std::span<const Stat> stats,
                       std::span<const Percentile> percentiles, BodySink& sink, SeriesForm form) {
  sink.set_content_type(kCsv);
  std::string out;
  append_csv_names(out, answer, stats, percentiles, form);
  const auto slots = answer.bins.count;
  for (size_t i = 0; i < slots; ++i) {
    append_csv_slot(out, answer, stats, i);
    if (out.size() < kCsvPieceBytes) continue;
    if (Status status = sink.write(out); !status) return status;
    out.clear();
  }
  return sink.write(out);
}

}  // namespace statmill
