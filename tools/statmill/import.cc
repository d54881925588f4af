#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/net/tls_context.h"
#include "base/token_file.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/import/import_report.h"
#include "tools/statmill/import/import_run.h"
#include "tools/statmill/import/import_verify.h"
#include "tools/statmill/options.h"
#include "tools/statmill/progress.h"

namespace statmill {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kImportText =
    "Sends the history in files of other systems to a server, so that each sample counts exactly once; PATH "
    "is a\n"
    "file, a folder with all below it, or - for standard input. Then it compares what the server has with "
    "what was\n"
    "read. If it is interrupted, whatever was killed, the same command with --resume goes on. docs/import.md "
    "says what\n"
    "becomes what.";

constexpr uint16_t kAgentPort = 8113;

Outcome import_failure(const Error& error, std::string_view hint = {}) {
  Outcome out = outcome_of(error);
  out.messages += hint;
  return out;
}

// What the command line says.
struct ImportCommand {
  ImportRunOptions run;
  ImportStreamOptions stream;
  std::string state_path;  // empty: none
  uint64_t hash = 0;
  bool verifies = true;
};

Usage import_usage() {
  Usage usage{.synopsis = "import [OPTION]... PATH...", .text = kImportText, .operands_min = 1};
  usage.options.add_options()  //
      ("format", po::value<std::string>()->value_name("NAME"),
       ("of all files: " + format_names() + "; by default it is found out for each").c_str())(
          "prefix", po::value<std::string>()->default_value("")->value_name("TEXT"),
          "put this before all names, such as old.")(
          "agent", po::value<std::string>()->value_name("HOST:PORT"),
          "the server's port for agents; by default port 8113 of --server's host")(
          "agent.token_file", po::value<std::string>()->default_value("")->value_name("FILE"),
          "file whose first line is the token that agents need")("agent.tls", "use TLS at that port")(
          "agent.authority", po::value<std::string>()->default_value("")->value_name("FILE"),
          "trusted CA certificates, PEM; by default the system's")(
          "agent.name", po::value<std::string>()->default_value("")->value_name("NAME"),
          "name that the certificate must have, if not the host")(
          "state", po::value<std::string>()->value_name("FILE"),
          "where to keep how far the import is; by default ./statmill-import-HASH.state")(
          "resume", "go on with an import that was interrupted")(
          "strict", "end at the first thing that cannot be stored, instead of counting it")(
          "no-verify", "do not compare what the server has with what was read")(
          "dry-run", "read the files and report, without a server");
  return usage;
}

Status read_agent_options(const CommandLine& line, ImportStreamOptions& out) {
  if (line.has("agent")) {
    const auto endpoint = parse_endpoint(line.text("agent"));
    if (!endpoint) return Error(endpoint.error()).with("--agent");
    out.server = *endpoint;
  } else {
    out.server = {line.client().host(), kAgentPort};
  }
  const auto patience = parse_duration(line.text("timeout"));
  if (!patience) return Error(patience.error()).with("--timeout");
  out.patience = *patience;
  auto token = read_token_file("agent.token_file", line.text("agent.token_file"));
  if (!token) return token.error();
  out.token = *std::move(token);
  out.tls_name = line.text("agent.name");
  out.host = "statmill-import";
  if (!line.has("agent.tls")) return Status::ok();
  auto tls = client_tls(line.text("agent.authority"));
  if (!tls) return tls.error();
  out.tls = *std::move(tls);
  return Status::ok();
}

Result<ImportCommand> read_command(const CommandLine& line, int input) {
  ImportCommand out;
  std::optional<HistoryFormat> format;
  if (line.has("format")) {
    format = parse_history_format(line.text("format"));
    if (!format)
      return Error{ErrorCode::kInvalid,
                   "--format: " + line.text("format") + " is not one of " + format_names()};
  }
  auto files = find_history_files(line.operands(), format);
  if (!files) return files.error();
  out.run = {.files = *std::move(files),
             .input = input,
             .prefix = line.text("prefix"),
             .is_strict = line.has("strict")};
  if (Status read = read_agent_options(line, out.stream); !read) return read.error();
  out.hash = history_hash(out.run.files, out.run.prefix + "\n" + out.stream.server.text());
  out.verifies = !line.has("no-verify");
  const bool has_pipe =
      std::ranges::any_of(out.run.files, [](const HistoryFile& f) { return f.path == "-"; });
  if (line.has("state")) {
    out.state_path = line.text("state");
  } else if (!has_pipe) {
    char name[64];
    std::snprintf(name, sizeof(name), "statmill-import-%016lx.state", out.hash);
    out.state_path = name;
  }
  if (has_pipe && line.has("resume"))
    return Error{ErrorCode::kInvalid, "--resume: what came from standard input cannot be read again"};
  return out;
}

// Returns the state to go on with, or a fresh one.
Result<ImportState> state_of(const ImportCommand& command, bool resumes, Timestamp now) {
  ImportState fresh = ImportState::fresh(now);
  fresh.input = command.hash;
  fresh.server = command.stream.server.text();
  if (command.state_path.empty()) return fresh;
  auto found = read_import_state(command.state_path);
  if (!found && found.error().code != ErrorCode::kNotFound) return found.error();
  if (!found && resumes)
    return Error{ErrorCode::kInvalid, command.state_path + ": no such import was interrupted"};
  if (!found) return fresh;
  if (!resumes)
    return Error{ErrorCode::kInvalid, command.state_path +
                                          ": this import was interrupted; go on with --resume, or remove the "
                                          "file to begin again, which counts twice what was sent"};
  if (found->input != command.hash)
    return Error{ErrorCode::kInvalid, command.state_path + ": of other files, options or another server"};
  return found;
}

// Reads the files without sending anything.
Status read_totals(const ImportCommand& command, ImportTotals& totals, const std::stop_token& stop,
                   ImportAccount& account, const Environment& environment) {
  LongJob job([&stop] { return stop.stop_requested(); });
  const ProgressLine progress(environment, "read", [&job] { return std::optional(job.progress()); });
  ImportBatches batches({.totals = &totals,
                         .prefix = command.run.prefix,
                         .is_strict = command.run.is_strict,
                         .should_stop = [&job] { return job.is_cancelled(); }});
  const Status read = read_history(command.run, {}, job, batches);
  account = batches.account();
  return read;
}

Outcome dry_run(const ImportCommand& command, const Environment& environment) {
  const Interruption interruption;
  const SystemClock clock;
  const SteadyTime begin = clock.steady();
  ImportTotals totals;
  ImportReport report;
  const Status read = read_totals(command, totals, interruption.token(), report.account, environment);
  if (!read) return import_failure(read.error());
  report.is_dry = true;
  report.elapsed = std::chrono::floor<Duration>(clock.steady() - begin);
  report.series = totals.series().size();
  return {.code = report.code(), .output = import_report_text(report)};
}

// Compares what the server has with what was read; reads the files again if this run has read only a part.
void verify(const ImportCommand& command, const Client& client, const std::stop_token& stop,
            const Environment& environment, ImportTotals& totals, ImportReport& report) {
  report.comparison.emplace();
  if (report.sent.was_resumed) {
    ImportAccount all;
    const Status read = read_totals(command, totals, stop, all, environment);
    if (!read) {
      report.comparison->fault = read.error();
      return;
    }
    report.account = all;
  }
  report.comparison = compare_import(client, totals);
  report.left_out = totals.left_out();
}

Outcome run_with_server(const CommandLine& line, const ImportCommand& command, ImportState state,
                        const Environment& environment) {
  const Interruption interruption;
  const SystemClock clock;
  const SteadyTime begin = clock.steady();
  ImportTotals totals;
  ImportReport report;
  const Client client = line.client().until(interruption.token());
  const RefusalsByReason before = refusals_of_agents(client);
  ImportRun run(command.run, command.state_path, std::move(state), command.verifies ? &totals : nullptr,
                clock);
  {
    LongJob job([&interruption] { return interruption.token().stop_requested(); });
    const ProgressLine progress(environment, "import", [&job] { return std::optional(job.progress()); });
    const auto sent = run.send(command.stream, job, interruption.token());
    if (!sent)
      return import_failure(sent.error(), command.state_path.empty() ? "" : "statmill: --resume goes on\n");
    report.set(*sent);
  }
  report.elapsed = std::chrono::floor<Duration>(clock.steady() - begin);
  if (report.sent.lines_refused > 0) report.by_reason = refused_since(client, before);
  if (command.verifies) verify(command, client, interruption.token(), environment, totals, report);
  Outcome out{.code = report.code(), .output = import_report_text(report)};
  if (report.comparison && report.comparison->fault) {
    out.messages = "statmill: verify: " + report.comparison->fault->message + "\n";
    if (!command.state_path.empty()) out.messages += "statmill: --resume compares again\n";
  } else if (!command.state_path.empty()) {
    std::remove(command.state_path.c_str());
  }
  return out;
}

}  // namespace

Outcome run_import(std::span<const std::string> arguments, const Environment& environment) {
  const CommandLine line(import_usage(), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const auto command = read_command(line, environment.input);
  if (!command) return outcome_of(command.error());
  if (line.has("dry-run")) return dry_run(*command, environment);
  auto state = state_of(*command, line.has("resume"), environment.now);
  if (!state) return outcome_of(state.error());
  return run_with_server(line, *command, *std::move(state), environment);
}

}  // namespace statmill
