#include "agent/host_name.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "agent/catalogue/series_name.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "proto/added_tags.h"
#include "proto/agent/frames.h"

namespace statmill {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// Runs in the child process.
[[noreturn]] void write_canonical_name(const std::string& name, int to) {
  addrinfo hints{};
  hints.ai_flags = AI_CANONNAME;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) == 0 && found->ai_canonname != nullptr) {
    const std::string_view canonical(found->ai_canonname);
    static_cast<void>(!::write(to, canonical.data(), std::min<size_t>(canonical.size(), kHostBytesMax)));
  }
  ::_exit(0);
}

// Returns what arrives before the end or the limit, whatever comes first.
std::string read_for(int from, Duration limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::string text;
  for (;;) {
    const auto left = std::chrono::ceil<Duration>(until - std::chrono::steady_clock::now());
    pollfd waiting{.fd = from, .events = POLLIN, .revents = 0};
    const int ready = left > Duration(0) ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return {};
    std::array<char, kHostBytesMax> piece;
    const ssize_t count = ::read(from, piece.data(), piece.size());
    if (count <= 0) return text;
    text.append(piece.data(), static_cast<size_t>(count));
  }
}

std::string canonical_name_of(const std::string& name, Duration limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return {};
  if (child == 0) write_canonical_name(name, to.get());
  to.reset();
  std::string canonical = read_for(from.get(), limit);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return canonical;
}

bool is_key(std::string_view text) {
  return !text.empty() && text != "host" && text != "name" &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

Error invalid_tag(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid, "\"" + std::string(text) + "\" " + std::string(why)};
}

}  // namespace

std::string own_host_name(Duration limit) {
  std::array<char, kHostBytesMax + 1> text{};
  if (::gethostname(text.data(), text.size() - 1) != 0 || text.front() == '\0') return "unknown";
  std::string name = lower(text.data());
  if (name.find('.') != std::string::npos) return name;
  std::string canonical = lower(canonical_name_of(name, limit));
  return canonical.starts_with(name + ".") ? canonical : name;
}

Result<HostTags> parse_host_tags(const std::string& text) {
  HostTags tags;
  if (text.empty()) return tags;
  for (const std::string_view tag : split(text, ',')) {
    const size_t equals = tag.find('=');
    if (equals == std::string_view::npos) return invalid_tag(tag, "is not of the form key=value");
    const std::string_view key = tag.substr(0, equals);
    const std::string_view value = tag.substr(equals + 1);
    if (!is_key(key)) return invalid_tag(key, "must consist of a-z 0-9 _, and not be host or name");
    if (value.empty()) return invalid_tag(tag, "has no value");
    if (!tags.emplace(key, value).second) return invalid_tag(key, "is given twice");
  }
  if (!AddedTags::read(host_tags("h", tags))) return invalid_tag(text, "has characters that no name has");
  if (host_tags(std::string(kHostBytesMax, 'h'), tags).size() > kTagsBytesMax)
    return Error{ErrorCode::kLimit, "the tags are too long: with the host they may have 1024 bytes"};
  return tags;
}

std::string host_tags(const std::string& host, const HostTags& tags) {
  HostTags all = tags;
  all["host"] = host;
  std::string text;
  for (const auto& [key, value] : all) append_tag(text, key, value);
  return text.substr(1);
}

}  // namespace statmill
