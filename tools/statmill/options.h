// CommandLine: parses the command line of a subcommand with Boost.Program_options.
//
// There are only long options ("--from"), so names and values may start
// with a single '-'. "--" ends the options.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/statmill/cli.h"
#include "tools/statmill/client.h"

namespace statmill {

// The peer that a command connects to.
enum class Peer {
  kServer,         // --server URL
  kAdmin,          // --admin.socket PATH; its answers may take long
  kAdminOrServer,  // the same, or --server URL if that is given
  kNone,
};

struct Usage {
  std::string_view synopsis;  // "put [OPTION]... NAME VALUE [TIME]"
  std::string_view text;      // for --help: what the command does
  boost::program_options::options_description options{110};
  size_t operands_min = 0;
  size_t operands_max = SIZE_MAX;
  const char* operands_option = nullptr;  // an option that takes the place of all operands
  Peer peer = Peer::kServer;
  bool has_times = false;  // it reads or prints times, so it has --utc and --tz
};

class CommandLine {
 public:
  // Adds --help (also -h) to the options; with a peer also --timeout and --server or --admin.socket. If the
  // command line is not valid or has --help, outcome() is set, and the other functions must not be called.
  CommandLine(Usage usage, std::span<const std::string> arguments, const Environment& environment);

  const std::optional<Outcome>& outcome() const { return outcome_; }
  const std::vector<std::string>& operands() const { return operands_; }
  bool has(const char* option) const { return values_.count(option) != 0; }
  std::string text(const char* option) const { return values_[option].as<std::string>(); }
  // Returns all values of an option that may be repeated.
  std::vector<std::string> texts(const char* option) const {
    return has(option) ? values_[option].as<std::vector<std::string>>() : std::vector<std::string>();
  }
  const Client& client() const { return *client_; }  // Requires: a peer
  // The zone of times without one, and of those that are printed: --utc, --tz, or the environment's.
  const Zone& zone() const { return zone_; }
  // Parses the time that an option or an operand has.
  Result<int64_t> time(std::string_view text) const { return parse_time(text, now_, zone_); }

 private:
  Status read(const Usage& usage, std::span<const std::string> arguments);
  Status find_peer(Peer peer);
  Status find_zone();

  boost::program_options::variables_map values_;
  std::vector<std::string> operands_;
  const std::string token_;
  const std::string authority_;
  const Timestamp now_;
  Zone zone_;
  std::optional<Client> client_;
  std::optional<Outcome> outcome_;
};

enum class Format { kTable, kJson, kCsv };
Result<Format> parse_format(std::string_view text);

// Adds the options from, until and, if it is given, step of a query. Errors: kInvalid for texts that the
// server would not understand either.
Status add_range(const CommandLine& line, UrlParameters& out);

// Returns the exit code and message for an error.
Outcome outcome_of(const Error& error);
// Returns the exit code and message for an error of a data directory or a backup: as statmilld's.
Outcome data_outcome(const Error& error);
// Returns the exit code and message for an answer with a status other than 200.
Outcome outcome_of(const HttpAnswer& answer);
// The same for a query: kUsage if the server says that the query is invalid (400), kUnreachable if it cannot
// answer at present (503).
Outcome query_outcome(const HttpAnswer& answer);

}  // namespace statmill
