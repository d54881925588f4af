#include "server/http/answer_buckets.h"

#include "base/text.h"
#include "proto/kind_text.h"
#include "proto/wide_decimal.h"
#include "server/http/http_message.h"

namespace statmill {
namespace {

constexpr size_t kPieceBytes = size_t{16} << 10;

void append_integer(std::string& out, auto value) { out.append(",").append(std::to_string(value)); }

void append_decimal(std::string& out, Int128 integer, int scale) {
  out.push_back(',');
  append_wide_decimal(out, integer, scale);
}

void append_real(std::string& out, double value) {
  out.push_back(',');
  append_number(out, value);
}

void append_decimals(std::string& out, uint64_t count, const Bucket::Decimal& d) {
  if (count == 1) return append_decimal(out, d.sum, d.scale);
  append_integer(out, count);
  append_decimal(out, d.sum, d.scale);
  append_decimal(out, d.sum_of_squares, 2 * d.scale);
  append_decimal(out, d.min, d.scale);
  append_decimal(out, d.max, d.scale);
}

void append_reals(std::string& out, uint64_t count, const Bucket::Real& r) {
  if (count == 1) return append_real(out, r.sum);
  append_integer(out, count);
  append_real(out, r.sum);
  out.append(",\"~");
  append_number(out, r.m2);
  out.push_back('"');
  append_real(out, r.min);
  append_real(out, r.max);
}

void append_cells(std::string& out, const SparseHistogram& histogram) {
  out.append(",[");
  for (const HistogramCell& cell : histogram.cells()) {
    if (out.back() != '[') out.push_back(',');
    out.append(std::to_string(cell.index));
    append_integer(out, cell.count);
  }
  out.push_back(']');
}

// The histogram of one point; null if it has none. `at` walks through them.
const SparseHistogram* next_histogram(const SlotColumns& points, size_t point, size_t& at) {
  while (at < points.histograms.size() && static_cast<size_t>(points.histograms[at].slot) < point) ++at;
  const bool is_there =
      at < points.histograms.size() && static_cast<size_t>(points.histograms[at].slot) == point;
  return is_there ? &points.histograms[at].histogram : nullptr;
}

// Appends [TIME,TOTAL]; nothing if nothing happened: silence of an event is 0 in any case.
void append_total(std::string& out, const QueryAnswer& answer, const SeriesAnswer& series, size_t point) {
  const auto total = stat_at(Stat::kSum, answer, series, point);
  if (!total || (series.kind == Kind::kEvent && total->value() == 0)) return;
  out.append("[").append(std::to_string(answer.bins.begin_s(point))).append(",");
  total->append_to(out);
  out.push_back(']');
}

void append_line_head(std::string& out, const QueryAnswer& answer, const SeriesAnswer& series) {
  out.append(R"({"name":)");
  append_json_string(out, series.name);
  out.append(R"(,"kind":")").append(kind_text(series.kind)).append(R"(","step":)");
  out.append(std::to_string(answer.bins.step_s)).append(R"(,"buckets":[)");
}

// Writes the line of one series. Returns false if it has no samples.
Result<bool> write_line(const QueryAnswer& answer, const SeriesAnswer& series, BodySink& sink) {
  std::string out;
  std::string slot;
  bool is_begun = false;
  size_t at = 0;
  for (size_t i = 0; i < answer.bins.count; ++i) {
    slot.clear();
    if (adds_up(series.kind)) {
      append_total(slot, answer, series, i);
    } else if (const Bucket bucket = series.points.bucket_at(i); !bucket.is_empty()) {
      append_bucket_json(slot, answer.bins.begin_s(i), bucket, next_histogram(series.points, i, at));
    }
    if (slot.empty()) continue;
    if (is_begun) {
      out.push_back(',');
    } else {
      append_line_head(out, answer, series);
    }
    is_begun = true;
    out.append(slot);
    if (out.size() < kPieceBytes) continue;
    if (Status status = sink.write(out); !status) return status.error();
    out.clear();
  }
  if (!is_begun) return false;
  if (Status status = sink.write(out.append("]}\n")); !status) return status.error();
  return true;
}

std::string end_line(const QueryAnswer& answer, size_t lines) {
  std::string out = R"({"end":true,"series":)" + std::to_string(lines);
  if (answer.damaged_frames > 0) out += ",\"damaged\":" + std::to_string(answer.damaged_frames);
  if (answer.joined_histograms > 0) out += ",\"joined\":" + std::to_string(answer.joined_histograms);
  return out + "}\n";
}

}  // namespace

void append_bucket_json(std::string& out, int64_t time_s, const Bucket& bucket,
                        const SparseHistogram* histogram) {
  out.append("[").append(std::to_string(time_s));
  if (bucket.is_decimal()) {
    append_decimals(out, bucket.count(), bucket.decimal());
  } else {
    append_reals(out, bucket.count(), bucket.real());
  }
  if (histogram != nullptr && bucket.count() > 1) append_cells(out, *histogram);
  out.push_back(']');
}

Status write_buckets(const QueryAnswer& answer, BodySink& sink) {
  sink.set_content_type(kNdjson);
  size_t lines = 0;
  for (const SeriesAnswer& series : answer.series) {
    const Result<bool> written = write_line(answer, series, sink);
    if (!written) return written.error();
    if (*written) ++lines;
  }
  return sink.write(end_line(answer, lines));
}

}  // namespace statmill
