// Options: what the subcommands share in reading their command line, by Boost.Program_options.
//
// Only long options exist ("--from"), so that names and values may start with a single '-'; "--" ends them.
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

// Whom a command talks to.
enum class Peer {
  kServer,  // --server URL
  kAdmin,   // --admin.socket PATH; an answer may take long
  kNobody,
};

struct Usage {
  std::string_view synopsis;  // "put [OPTION]... NAME VALUE [TIME]"
  std::string_view text;      // what it does, lines of prose
  boost::program_options::options_description options{110};
  size_t operands_min = 0;
  size_t operands_max = SIZE_MAX;
  Peer peer = Peer::kServer;
};

// A subcommand's command line, read.
class CommandLine {
 public:
  // Adds --help to the options, and --timeout with where the peer is: --server or --admin.socket. On a wrong
  // command line and on --help, says so in ended_as(), and the rest must not be asked.
  CommandLine(Usage usage, std::span<const std::string> arguments, const Environment& environment);

  const std::optional<Outcome>& ended_as() const { return ended_as_; }
  const std::vector<std::string>& operands() const { return operands_; }
  bool has(const char* option) const { return values_.count(option) != 0; }
  std::string text(const char* option) const { return values_[option].as<std::string>(); }
  const Client& client() const { return *client_; }  // Requires: a peer

 private:
  Status read(const Usage& usage, std::span<const std::string> arguments);
  Status find_peer(Peer peer);

  boost::program_options::variables_map values_;
  std::vector<std::string> operands_;
  std::optional<Client> client_;
  std::optional<Outcome> ended_as_;
};

enum class Format { kTable, kJson, kCsv };
Result<Format> parse_format(std::string_view text);

// How the command ends for this error: exit code and one line.
Outcome ending(const Error& error);
// How it ends when the server's answer has another status than 200.
Outcome ending(const HttpAnswer& answer);

}  // namespace statmill
