#include <unistd.h>

#include <boost/program_options/options_description.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "base/token_file.h"
#include "base/visible.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/export/csv_writer.h"
#include "tools/statmill/export/export_run.h"
#include "tools/statmill/export/openmetrics_writer.h"
#include "tools/statmill/export/remote_write_writer.h"
#include "tools/statmill/import/jsonl_line.h"
#include "tools/statmill/interruption.h"
#include "tools/statmill/options.h"
#include "tools/statmill/progress.h"

namespace statmill {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kExportText =
    "Writes the stored buckets of series to standard output, for `statmill import` and for other programs.\n"
    "PATTERN is a name, a glob (* ? [a-z] {one,two}), or a selector of PromQL such as 'cpu{host=\"web1\"}'. "
    "jsonl and\n"
    "csv lose nothing: imported into an empty server, they make the same buckets. docs/import.md describes "
    "the formats.";

Status write_all(int output, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(output, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrorCode::kIo, std::string("standard output: ") + std::strerror(errno)};
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return Status::ok();
}

// Writes the lines as the server sends them.
class LinesOut {
 public:
  explicit LinesOut(WriteOut out) : out_(std::move(out)) {}
  Status write(std::string_view line) {
    text_.append(line).append("\n");
    return text_.size() < kPieceBytes ? Status::ok() : flush();
  }
  Status flush() {
    Status written = out_(text_);
    text_.clear();
    return written;
  }

 private:
  static constexpr size_t kPieceBytes = size_t{64} << 10;
  const WriteOut out_;
  std::string text_;
};

// Passes the samples of lines to a writer of another format.
class LinesToWriter final : public HistorySink {
 public:
  explicit LinesToWriter(HistoryWriter& writer) : writer_(writer) {}
  Status write(std::string_view line) {
    if (!line_.read(line, 0, *this) && status_)
      status_ = Error{ErrorCode::kCorrupt, "the server's answer cannot be read"};
    return status_;
  }
  bool add(const Sample& sample) override {
    status_ = writer_.write(sample);
    return status_.has_value();
  }
  bool refuse(uint64_t, std::string_view) override { return false; }

 private:
  HistoryWriter& writer_;
  JsonlLine line_;
  Status status_ = Status::ok();
};

Result<ExportRange> read_range(const CommandLine& line, Timestamp now) {
  ExportRange out;
  const auto from = line.time(line.text("from"));
  if (!from) return Error(from.error()).with("--from");
  const auto until = line.time(line.text("until"));
  if (!until) return Error(until.error()).with("--until");
  const auto step = parse_duration(line.text("step"));
  if (!step) return Error(step.error()).with("--step");
  out = {*from, *until + 1, step->count() / 1000, unix_seconds(now)};
  if (out.step_s < 1) return Error{ErrorCode::kInvalid, "--step: less than a second"};
  return out;
}

// Where an export reads and what it counts.
struct ExportSource {
  const CommandLine& line;
  const Client& client;
  const ExportRange& range;
  LongJob& job;
};

// Exports all series that match, those of one pattern each once.
Status export_all(const ExportSource& source, const PassLine& write, ExportAccount& account) {
  std::vector<std::vector<ExportedSeries>> all;
  for (const std::string& pattern : source.line.operands()) {
    auto series = list_exported(source.client, pattern);
    if (!series) return series.error();
    if (series->empty()) return Error{ErrorCode::kNotFound, "no series matches \"" + visible(pattern) + "\""};
    source.job.expect(series->size());
    all.push_back(*std::move(series));
  }
  for (const auto& series : all) {
    Status exported = export_series(source.client, series, source.range, write, account, source.job);
    if (!exported) return exported;
  }
  return Status::ok();
}

Outcome export_outcome(const Status& status, const ExportAccount& account) {
  if (!status) return outcome_of(status.error());
  Outcome out;
  if (account.damaged > 0) {
    out.code = ExitCode::kFailed;
    out.messages =
        "statmill: " + std::to_string(account.damaged) + " stored frames are damaged and missing\n";
  }
  if (account.joined > 0)
    out.messages += "statmill: note: " + std::to_string(account.joined) +
                    " histograms had too many cells; their percentiles are less exact\n";
  return out;
}

// Exports by a writer of samples.
Status export_by(HistoryWriter& writer, const ExportSource& source, ExportAccount& account) {
  LinesToWriter lines(writer);
  const auto write = [&lines](std::string_view text) { return lines.write(text); };
  Status status = export_all(source, write, account);
  return status ? writer.finish() : status;
}

// Returns the client for the whole URL of --remote-write.
Result<Client> remote_client(const CommandLine& line, const Environment& environment) {
  const auto timeout = parse_duration(line.text("timeout"));
  if (!timeout) return Error(timeout.error()).with("--timeout");
  auto client = Client::to(line.text("remote-write"), *timeout);
  if (!client) return Error(client.error()).with("--remote-write");
  client->set_authority(environment.authority);
  if (line.has("remote-token")) {
    auto token = read_token_file("remote-token", line.text("remote-token"));
    if (!token) return token.error();
    client->set_token(*std::move(token));
  }
  return client;
}

// Adds what became of the samples that were sent.
Outcome with_sent(Outcome out, const RemoteWriteAccount& sent) {
  out.output += "sent " + std::to_string(sent.samples - sent.refused) + " samples in " +
                std::to_string(sent.requests) + " requests\n";
  if (sent.refused == 0) return out;
  if (out.code == ExitCode::kOk) out.code = ExitCode::kRefused;
  out.messages += "statmill: " + std::to_string(sent.refused) + " samples were refused, the first with " +
                  sent.first_answer + "\n";
  return out;
}

Usage export_usage() {
  Usage usage{
      .synopsis = "export [OPTION]... PATTERN...", .text = kExportText, .operands_min = 1, .has_times = true};
  usage.options.add_options()                                                                            //
      ("from", po::value<std::string>()->default_value("0")->value_name("TIME"), "begin of the range")   //
      ("until", po::value<std::string>()->default_value("now")->value_name("TIME"), "end of the range")  //
      ("step", po::value<std::string>()->default_value("10s")->value_name("DURATION"),
       "length of a bucket; longer where the server has only longer ones")(
          "format", po::value<std::string>()->default_value("jsonl")->value_name("NAME"),
          "jsonl, csv or openmetrics")("remote-write", po::value<std::string>()->value_name("URL"),
                                       "send to this URL by Prometheus' remote_write, instead of writing")(
          "remote-token", po::value<std::string>()->value_name("FILE"),
          "file whose first line is the token for that URL");
  return usage;
}

}  // namespace

Outcome run_export(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line(export_usage(), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const auto range = read_range(line, environment.now);
  if (!range) return outcome_of(range.error());
  const std::string format = line.text("format");
  if (format != "jsonl" && format != "csv" && format != "openmetrics")
    return outcome_of(Error{ErrorCode::kInvalid, "--format: not jsonl, csv or openmetrics"});
  const Interruption interruption;
  const Client client = line.client().until(interruption.token());
  LongJob job;
  // On a terminal that shows the export itself there is no room for it.
  Environment shown = environment;
  if (environment.terminal && !line.has("remote-write")) shown.show_progress = {};
  const ProgressLine progress(
      shown, "export", [&job] { return std::optional(job.progress()); }, ProgressUnit::kSeries);
  const ExportSource source{line, client, *range, job};
  ExportAccount account;
  if (line.has("remote-write")) {
    const auto target = remote_client(line, environment);
    if (!target) return outcome_of(target.error());
    const Client remote = target->until(interruption.token());
    RemoteWriteAccount sent;
    const auto writer = make_remote_write_writer(remote, "", sent);
    return with_sent(export_outcome(export_by(*writer, source, account), account), sent);
  }
  const WriteOut write_out = [&environment](std::string_view bytes) {
    return write_all(environment.output, bytes);
  };
  if (format == "jsonl") {
    LinesOut lines(write_out);
    const auto write = [&lines](std::string_view text) { return lines.write(text); };
    Status status = export_all(source, write, account);
    if (status) status = lines.flush();
    return export_outcome(status, account);
  }
  const auto writer = format == "csv" ? make_csv_writer(write_out) : make_openmetrics_writer(write_out);
  return export_outcome(export_by(*writer, source, account), account);
}

}  // namespace statmill
