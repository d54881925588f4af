#include "server/istatd/counter_answer.h"

#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/time_text.h"
#include "server/http/http_message.h"
#include "server/http/list_writer.h"
#include "server/json.h"

namespace statmill::istatd {
namespace {

using Field = std::pair<std::string_view, double>;

std::array<Field, 7> fields_of(const CounterRow& row) {
  return {{{"count", row.count},
           {"min", row.min},
           {"max", row.max},
           {"sum", row.sum},
           {"sumsq", row.sumsq},
           {"avg", row.avg},
           {"sdev", row.sdev}}};
}

std::string range_text(const CounterRange& range) {
  return "\"start\":" + std::to_string(range.start_s) + ",\"end\":" + std::to_string(range.end_s) +
         ",\"interval\":" + std::to_string(range.interval_s);
}

void append_bucket(std::string& out, const CounterRow& row) {
  JsonObject bucket(out);
  bucket.key("time") += std::to_string(row.time_s);
  JsonObject data(bucket.key("data"));
  data.number("avg", row.avg);
  data.number("count", row.count);
  data.number("max", row.max);
  data.number("min", row.min);
  data.number("sdev", row.sdev);
  data.number("sum", row.sum);
  data.number("sumsq", row.sumsq);
}

void append_line(std::string& out, const CounterRow& row) {
  out.append(iso_time(row.time_s)).append(",").append(std::to_string(row.time_s));
  for (const auto& [name, value] : fields_of(row)) {
    out += ',';
    if (std::isfinite(value)) append_number(out, value);
  }
  out += "\r\n";
}

void append_row(std::string& out, const CounterRow& row) {
  JsonObject one(out);
  one.key("time") += std::to_string(row.time_s);
  for (const auto& [name, value] : fields_of(row)) one.number(name, value);
}

void append_compact(std::string& out, const CounterRow& row) {
  JsonArray one(out);
  one.element() += std::to_string(row.time_s);
  for (const auto& [name, value] : fields_of(row)) append_number(one.element(), value);
}

// Writes the rows as a list between `head` and `tail`.
template <class Append>
Status write_rows(std::span<const CounterRow> rows, std::string head, std::string_view tail, BodySink& sink,
                  const Append& append) {
  ListWriter list(sink, std::move(head));
  for (const CounterRow& row : rows) {
    if (Status s = list.add([&](std::string& out) { append(out, row); }); !s) return s;
  }
  return list.end(tail);
}

}  // namespace

Status write_counter_json(const CounterAnswer& answer, BodySink& sink) {
  return write_rows(answer.rows, "{" + range_text(answer.range) + ",\"buckets\":[", "]}\n", sink,
                    append_bucket);
}

Status write_counter_csv(const CounterAnswer& answer, BodySink& sink) {
  constexpr size_t kBlockBytes = size_t{16} << 10;
  sink.set_content_type(kCsv);
  std::string out =
      "ISO Time,Unix Timestamp,Sample Count,Minimum,Maximum,Sum,Sum Squared,Average,Standard Deviation\r\n";
  for (const CounterRow& row : answer.rows) {
    append_line(out, row);
    if (out.size() < kBlockBytes) continue;
    if (Status s = sink.write(out); !s) return s;
    out.clear();
  }
  return sink.write(out);
}

Status write_one_counter(const CounterAnswer& answer, std::string head, bool is_compact, BodySink& sink) {
  head.append("{").append(range_text(answer.range)).append(",\"data\":[");
  return write_rows(answer.rows, std::move(head), "]}", sink, is_compact ? append_compact : append_row);
}

}  // namespace statmill::istatd
