#include "tools/statmill/options.h"

#include <algorithm>
#include <boost/program_options/parsers.hpp>
#include <sstream>

#include "base/nearest_word.h"
#include "base/text.h"
#include "base/zone_file.h"
#include "tools/statmill/answer.h"

namespace statmill {
namespace {

namespace po = boost::program_options;

std::string help(const Usage& usage) {
  std::ostringstream out;
  out << "Usage: statmill " << usage.synopsis << "\n" << usage.text << "\n\n" << usage.options;
  return out.str();
}

void add_peer_options(Usage& usage, const Environment& environment) {
  if (usage.peer == Peer::kServer) {
    usage.options.add_options()  //
        ("server", po::value<std::string>()->default_value(environment.default_server)->value_name("URL"),
         "the server's address; also STATMILL_URL");
  }
  const bool is_admin = usage.peer == Peer::kAdmin || usage.peer == Peer::kAdminOrServer;
  if (usage.peer == Peer::kAdminOrServer) {
    usage.options.add_options()  //
        ("server", po::value<std::string>()->value_name("URL"), "the address of a server on another host");
  }
  if (is_admin) {
    usage.options.add_options()  //
        ("admin.socket",
         po::value<std::string>()->default_value(environment.default_admin_socket)->value_name("PATH"),
         "the server's admin socket on this host; also STATMILL_ADMIN_SOCKET");
  }
  if (usage.peer != Peer::kNone) {
    usage.options.add_options()  //
        ("timeout", po::value<std::string>()->default_value(is_admin ? "1d" : "30s")->value_name("DURATION"),
         "give up if connecting, sending or receiving takes longer");
  }
}

// Checks a step: a duration like 5m, or plain seconds.
Status check_step(std::string_view text) {
  constexpr int64_t kSecondsMax = 366 * 86400;  // the server's limit
  if (parse_integer(text, 1, kSecondsMax)) return Status::ok();
  const Result<Duration> step = parse_duration(text);
  return step ? Status::ok() : Status(step.error());
}

}  // namespace

CommandLine::CommandLine(Usage usage, std::span<const std::string> arguments, const Environment& environment)
    : token_(environment.token),
      authority_(environment.authority),
      now_(environment.now),
      zone_(environment.zone) {
  add_peer_options(usage, environment);
  if (usage.has_times) {
    usage.options.add_options()  //
        ("utc", "times are in UTC, not in local time")("tz", po::value<std::string>()->value_name("ZONE"),
                                                       "times are in this zone, such as Europe/Berlin");
  }
  usage.options.add_options()("help", "print this; also -h");
  if (Status status = read(usage, arguments); !status) {
    outcome_ = {.code = ExitCode::kUsage,
                .messages = "statmill: " + status.error().message + "\nUsage: statmill " +
                            std::string(usage.synopsis) + "\n"};
  } else if (has("help")) {
    outcome_ = {.output = help(usage)};
  }
}

Status CommandLine::read(const Usage& usage, std::span<const std::string> arguments) {
  po::options_description all;
  all.add(usage.options).add_options()("operand", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("operand", -1);
  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::replace(words.begin(), std::find(words.begin(), words.end(), "--"), std::string("-h"),
               std::string("--help"));
  namespace style = po::command_line_style;
  try {  // Boost's parser throws
    po::store(po::command_line_parser(words)
                  .options(all)
                  .positional(positional)
                  .style(style::allow_long | style::long_allow_next | style::long_allow_adjacent)
                  .run(),
              values_);
  } catch (const po::unknown_option& e) {
    std::vector<std::string_view> names;
    for (const auto& option : usage.options.options()) names.emplace_back(option->long_name());
    std::string word = e.get_option_name();
    word.erase(0, word.find_first_not_of('-'));
    return Error{ErrorCode::kInvalid, e.what() + did_you_mean(word, names, "--")};
  } catch (const po::error& e) {
    return Error{ErrorCode::kInvalid, e.what()};
  }
  if (has("help")) return Status::ok();
  if (Status zone = find_zone(); !zone) return zone;
  if (has("operand")) operands_ = values_["operand"].as<std::vector<std::string>>();
  if (usage.operands_option != nullptr && has(usage.operands_option)) {
    if (operands_.empty()) return usage.peer == Peer::kNone ? Status::ok() : find_peer(usage.peer);
    return Error{ErrorCode::kInvalid,
                 "--" + std::string(usage.operands_option) + " takes the place of names"};
  }
  if (operands_.size() < usage.operands_min) return Error{ErrorCode::kInvalid, "too few arguments"};
  if (operands_.size() > usage.operands_max) return Error{ErrorCode::kInvalid, "too many arguments"};
  return usage.peer == Peer::kNone ? Status::ok() : find_peer(usage.peer);
}

Status CommandLine::find_zone() {
  if (has("utc")) zone_ = utc;
  if (!has("tz")) return Status::ok();
  if (has("utc")) return Error{ErrorCode::kInvalid, "--utc and --tz are two zones"};
  Result<Zone> zone = read_zone(text("tz"));
  if (!zone) return Error(zone.error()).with("--tz");
  zone_ = *std::move(zone);
  return Status::ok();
}

Status CommandLine::find_peer(Peer peer) {
  const Result<Duration> timeout = parse_duration(text("timeout"));
  if (!timeout) return Error(timeout.error()).with("--timeout");
  const bool is_server = peer == Peer::kServer || (peer == Peer::kAdminOrServer && has("server"));
  Result<Client> client =
      is_server ? Client::to(text("server"), *timeout) : Client::at_socket(text("admin.socket"), *timeout);
  if (!client) return client.error();
  client_ = std::move(*client);
  if (is_server) {
    client_->set_token(token_);
    client_->set_authority(authority_);
  }
  return Status::ok();
}

Result<Format> parse_format(std::string_view text) {
  if (text == "table") return Format::kTable;
  if (text == "json") return Format::kJson;
  if (text == "csv") return Format::kCsv;
  return Error{ErrorCode::kInvalid, "--format \"" + std::string(text) + "\" is not table, json or csv"};
}

Status add_range(const CommandLine& line, UrlParameters& out) {
  for (const char* option : {"from", "until"}) {
    const std::string text = line.text(option);
    const Result<int64_t> time_s = line.time(text);
    if (!time_s) return Error(time_s.error()).with(std::string("--") + option);
    // what is relative stays so, since the server's clock defines now
    out.emplace_back(option, is_relative_time(text) ? text : std::to_string(*time_s));
  }
  if (!line.has("step")) return Status::ok();
  if (const Status step = check_step(line.text("step")); !step) return Error(step.error()).with("--step");
  out.emplace_back("step", line.text("step"));
  return Status::ok();
}

Outcome outcome_of(const Error& error) {
  Outcome out{.code = ExitCode::kFailed, .messages = "statmill: " + error.message + "\n"};
  if (error.code == ErrorCode::kUnavailable) out.code = ExitCode::kUnreachable;
  if (error.code == ErrorCode::kInvalid) out.code = ExitCode::kUsage;
  return out;
}

Outcome data_outcome(const Error& error) {
  return {.code = data_fault(error).code, .messages = "statmill: " + error.message + "\n"};
}

Outcome outcome_of(const HttpAnswer& answer) {
  return {.code = ExitCode::kFailed, .messages = "statmill: " + error_text(answer) + "\n"};
}

Outcome query_outcome(const HttpAnswer& answer) {
  Outcome out = outcome_of(answer);
  if (answer.status == 400) out.code = ExitCode::kUsage;
  if (answer.status == 503) out.code = ExitCode::kUnreachable;
  return out;
}

}  // namespace statmill
