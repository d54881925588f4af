#include "server/admin/admin_routes.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 1> kFlushParameters = {{{"compact"}}};

HttpResponse json(std::string body) { return {200, std::move(body), kJson, {}}; }

HttpResponse handle_flush(Admin& admin, const Url& url) {
  const std::string_view compact = url.find("compact").value_or("false");
  if (compact != "true" && compact != "false")
    return error_response(400, "compact must be true or false, not \"" + std::string(compact) + "\"");
  const Result<Admin::Sizes> sizes = compact == "true" ? admin.compact() : admin.flush();
  if (!sizes) return error_response(sizes.error());
  return json("{\"bytes_before\":" + std::to_string(sizes->bytes_before) +
              ",\"bytes_after\":" + std::to_string(sizes->bytes_after) + "}\n");
}

void append_count(std::string& out, std::string_view name, uint64_t count) {
  out.append("\"").append(name).append("\":").append(std::to_string(count)).append(",");
}

std::string report_json(const ScrubReport& report) {
  std::string out = "{";
  append_count(out, "files", report.files);
  append_count(out, "file_bytes", report.file_bytes);
  append_count(out, "series", report.series);
  append_count(out, "journal_rows", report.journal_rows);
  append_count(out, "journal_entries", report.journal_entries);
  append_count(out, "activity_rows", report.activity_rows);
  append_count(out, "exemplars", report.exemplars);
  out += "\"tiers\":[";
  for (const ScrubReport::Tier& tier : report.tiers) {
    out += out.back() == '[' ? "{" : ",{";
    append_count(out, "rows", tier.rows);
    append_count(out, "frames", tier.frames);
    append_count(out, "buckets", tier.buckets);
    append_count(out, "histograms", tier.histograms);
    append_count(out, "bytes", tier.bytes);
    out += "\"name\":";
    append_json_string(out, tier.name);
    out += "}";
  }
  out += "],";
  append_count(out, "fault_count", report.fault_count);
  out += "\"faults\":[";
  for (const ScrubReport::Fault& fault : report.faults) {
    out += out.back() == '[' ? "{\"where\":" : ",{\"where\":";
    append_json_string(out, fault.where);
    out += ",\"what\":";
    append_json_string(out, fault.what);
    out += "}";
  }
  return out + "]}\n";
}

HttpResponse handle_check(Admin& admin, const Url&) {
  const Result<ScrubReport> report = admin.check();
  if (!report) return error_response(report.error());
  return json(report_json(*report));
}

HttpResponse handle_confirm_clock(Admin& admin, const Url&) {
  const Result<Duration> ahead = admin.confirm_clock();
  if (!ahead) return error_response(ahead.error());
  const int64_t ahead_s = std::chrono::round<std::chrono::seconds>(*ahead).count();
  return json("{\"ahead_s\":" + std::to_string(std::max<int64_t>(0, ahead_s)) +
              ",\"behind_s\":" + std::to_string(std::max<int64_t>(0, -ahead_s)) + "}\n");
}

HttpResponse handle_job(Admin& admin, const Url&) {
  const auto job = admin.running_job();
  std::string out = "{\"job\":";
  if (!job) return json(out + "null}\n");
  append_json_string(out, job->name);
  out += ",\"done_bytes\":" + std::to_string(job->progress.done);
  out += ",\"total_bytes\":" + std::to_string(job->progress.total);
  return json(out + "}\n");
}

}  // namespace

std::vector<Route> admin_routes(Admin& admin) {
  const auto with = [&admin](HttpResponse (*handle)(Admin&, const Url&)) {
    return [&admin, handle](const Url& url, std::string_view) { return handle(admin, url); };
  };
  return {
      {"POST", "/admin/v1/flush", kFlushParameters, 0, with(handle_flush),
       "write all data in memory to files; with compact=true merge all files"},
      {"POST", "/admin/v1/check", {}, 0, with(handle_check), "check that everything stored can be read"},
      {"GET", "/admin/v1/job", {}, 0, with(handle_job), "what the running job is, and how far it has come"},
      {"POST",
       "/admin/v1/clock/confirm",
       {},
       0,
       with(handle_confirm_clock),
       "confirm that the wall clock is right, so that retention goes by it"},
  };
}

}  // namespace statmill
