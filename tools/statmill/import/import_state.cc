#include "tools/statmill/import/import_state.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "base/descriptor.h"

namespace statmill {
namespace {

constexpr std::string_view kHead = "statmill import 1\n";

// Secrets are written as ids are.
std::string hex_of(const std::array<uint8_t, AgentId::kBytes>& bytes) { return AgentId{bytes}.text(); }

Error state_error(const std::string& path) { return {ErrorCode::kIo, path + ": " + std::strerror(errno)}; }

Error not_a_state() { return {ErrorCode::kCorrupt, "no state of an import, or damaged"}; }

// Reads the words of one line: a key, then numbers or texts.
class StateLines {
 public:
  explicit StateLines(std::string_view text) : in_(std::string(text)) {}
  template <class... Values>
  bool read(std::string_view key, Values&... values) {
    std::string word;
    return in_ >> word && word == key && (... && static_cast<bool>(in_ >> values));
  }

 private:
  std::istringstream in_;
};

}  // namespace

ImportState ImportState::fresh(Timestamp now) {
  ImportState state{.time = now};
  SM_CHECK(::getrandom(state.id.bytes.data(), AgentId::kBytes, 0) == AgentId::kBytes);
  SM_CHECK(::getrandom(state.secret.bytes.data(), AgentSecret::kBytes, 0) == AgentSecret::kBytes);
  return state;
}

std::string import_state_text(const ImportState& state) {
  const ImportCheckpoint& c = state.checkpoint;
  std::ostringstream out;
  out << kHead << "id " << state.id.text() << "\nsecret " << hex_of(state.secret.bytes) << "\ntime "
      << state.time.time_since_epoch().count() << "\ninput " << state.input << "\nserver " << state.server
      << "\nbatch " << c.seq << ' ' << c.lines << ' ' << c.file << ' ' << c.from.offset << ' ' << c.from.line
      << ' ' << c.samples << "\n";
  return out.str();
}

Result<ImportState> parse_import_state(std::string_view text) {
  if (!text.starts_with(kHead) || text.size() > kImportStateBytesMax || !text.ends_with('\n'))
    return not_a_state();
  StateLines lines(text.substr(kHead.size()));
  ImportState state;
  ImportCheckpoint& c = state.checkpoint;
  std::string id;
  std::string secret;
  int64_t time_ms = 0;
  const bool is_whole = lines.read("id", id) && lines.read("secret", secret) && lines.read("time", time_ms) &&
                        lines.read("input", state.input) && lines.read("server", state.server) &&
                        lines.read("batch", c.seq, c.lines, c.file, c.from.offset, c.from.line, c.samples);
  const auto parsed_id = AgentId::parse(id);
  const auto parsed_secret = AgentId::parse(secret);
  if (!is_whole || !parsed_id || !parsed_secret) return not_a_state();
  state.id = *parsed_id;
  state.secret.bytes = parsed_secret->bytes;
  state.time = Timestamp(Duration(time_ms));
  return state;
}

Result<ImportState> read_import_state(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    return Error{errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, path + ": " + std::strerror(errno)};
  std::string text(kImportStateBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  Result<ImportState> state = parse_import_state(text);
  if (!state) return Error(state.error()).with(path);
  return state;
}

Status write_import_state(const std::string& path, const ImportState& state) {
  const std::string unfinished = path + ".new";
  const std::string text = import_state_text(state);
  Descriptor file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.is_open()) return state_error(unfinished);
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::fsync(file.get()) != 0)
    return state_error(unfinished);
  if (::rename(unfinished.c_str(), path.c_str()) != 0) return state_error(path);
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open() || ::fsync(directory.get()) != 0) return state_error(folder);
  return Status::ok();
}

}  // namespace statmill
