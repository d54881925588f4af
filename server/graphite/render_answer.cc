#include "server/graphite/render_answer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "base/csv_text.h"
#include "base/text.h"
#include "base/time_text.h"
#include "server/http/list_writer.h"
#include "server/json.h"

namespace statmill::graphite {
namespace {

void append_value(std::string& out, double value, std::string_view infinity) {
  if (is_none(value)) {
    out += "null";
  } else if (std::isinf(value)) {
    out.append(value < 0 ? "-" : "").append(infinity);
  } else {
    append_number(out, value);
  }
}

int64_t time_of(const Series& series, size_t i) {
  return series.start_s + static_cast<int64_t>(i) * series.step_s;
}

void append_json(std::string& out, const Series& series, bool without_nulls) {
  JsonObject object(out);
  object.text("target", series.name);
  {
    JsonObject tags(object.key("tags"));
    for (const auto& [tag, value] : series.tags) tags.text(tag, value);
  }
  JsonArray points(object.key("datapoints"));
  for (size_t i = 0; i < series.values.size(); ++i) {
    if (without_nulls && is_none(series.values[i])) continue;
    std::string& point = points.element();
    point += '[';
    append_value(point, series.values[i], "1e9999");
    point.append(",").append(std::to_string(time_of(series, i))).append("]");
  }
}

Status write_json(const SeriesList& list, bool without_nulls, BodySink& sink) {
  ListWriter writer(sink, "[");
  for (const Series& series : list) {
    if (without_nulls && std::ranges::all_of(series.values, is_none)) continue;
    if (Status s = writer.add([&](std::string& out) { append_json(out, series, without_nulls); }); !s)
      return s;
  }
  return writer.end("]\n");
}

// "2026-11-20 09:50:03", in the zone of the request.
std::string csv_time(int64_t time_s, const Zone& zone) {
  std::string text = iso_time(time_s + zone(time_s).east_s);
  text[10] = ' ';
  text.pop_back();
  return text;
}

Status write_csv(const SeriesList& list, const Zone& zone, BodySink& sink) {
  constexpr size_t kBlockBytes = size_t{64} << 10;  // each line has the whole name
  sink.set_content_type("text/csv");
  for (const Series& series : list) {
    std::string name;
    append_csv_text(name, series.name);
    std::string lines;
    for (size_t i = 0; i < series.values.size(); ++i) {
      lines.append(name).append(",").append(csv_time(time_of(series, i), zone)).append(",");
      if (!is_none(series.values[i])) append_value(lines, series.values[i], "inf");
      lines += "\r\n";
      if (lines.size() < kBlockBytes) continue;
      if (Status s = sink.write(lines); !s) return s;
      lines.clear();
    }
    if (Status s = sink.write(lines); !s) return s;
  }
  return Status::ok();
}

Status write_raw(const SeriesList& list, BodySink& sink) {
  sink.set_content_type("text/plain");
  for (const Series& series : list) {
    std::string line = series.name + "," + std::to_string(series.start_s) + "," +
                       std::to_string(series.end_s) + "," + std::to_string(series.step_s) + "|";
    for (size_t i = 0; i < series.values.size(); ++i) {
      if (i > 0) line += ',';
      line += float_text(series.values[i]);
    }
    if (Status s = sink.write(line + "\n"); !s) return s;
  }
  return Status::ok();
}

// The times are those of the first series; a row has the value at the same place of each.
Status write_dygraph(const SeriesList& list, BodySink& sink) {
  if (list.empty()) return sink.write("{}\n");
  std::string head = R"({"labels":["Time")";
  for (const Series& series : list) {
    head += ',';
    append_json_string(head, series.name);
  }
  ListWriter rows(sink, head + "],\"data\":[");
  for (size_t i = 0; i < list.front().values.size(); ++i) {
    const Status added = rows.add([&](std::string& out) {
      out.append("[").append(std::to_string(time_of(list.front(), i) * 1000));
      for (const Series& series : list) {
        out += ',';
        append_value(out, i < series.values.size() ? series.values[i] : kNoValue, "1e9999");
      }
      out += ']';
    });
    if (!added) return added;
  }
  return rows.end("]}\n");
}

}  // namespace

Status write_render_answer(const SeriesList& list, const RenderRequest& request, BodySink& sink) {
  switch (request.format) {
    case RenderRequest::Format::kCsv:
      return write_csv(list, request.options.zone, sink);
    case RenderRequest::Format::kRaw:
      return write_raw(list, sink);
    case RenderRequest::Format::kDygraph:
      return write_dygraph(list, sink);
    case RenderRequest::Format::kJson:
      break;
  }
  return write_json(list, request.without_nulls, sink);
}

}  // namespace statmill::graphite
