// See identity.h.
#include "agent/spool/identity.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "base/text.h"

namespace statmill {
namespace {

constexpr std::string_view kTitle = "statmill spool ";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kId = "id ";
constexpr std::string_view kEpoch = "epoch ";
constexpr std::string_view kPlace = "place ";
constexpr std::string_view kChecksum = "crc ";
constexpr size_t kPlaceDigits = 32;
constexpr size_t kChecksumDigits = 8;

template <class Number>
std::optional<Number> parse(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string checksum_line(std::string_view text) {
  std::array<char, kChecksumDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", static_cast<unsigned>(crc32c(text)));
  return std::string(kChecksum) + digits.data() + '\n';
}

// What follows the word, on a line of its own at the start of `text`; the line is taken off.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view word) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(word)) return std::nullopt;
  const std::string_view rest = text.substr(word.size(), end - word.size());
  text.remove_prefix(end + 1);
  return rest;
}

}  // namespace

std::string place_hash(std::string_view place) {
  const Hash128 hash = hash_name(place, 0);
  std::array<char, kPlaceDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                static_cast<unsigned long long>(hash.low));
  return digits.data();
}

std::string encode_identity(const SpoolIdentity& identity) {
  std::string text;
  text.append(kTitle).append(kVersion).append("\n");
  text.append(kId).append(identity.id.text()).append("\n");
  text.append(kEpoch).append(std::to_string(identity.epoch)).append("\n");
  text.append(kPlace).append(identity.place).append("\n");
  return text + checksum_line(text);
}

Result<SpoolIdentity> decode_identity(std::string_view text) {
  const Error damaged{ErrorCode::kCorrupt, "the spool's identity is damaged"};
  const size_t body = text.rfind(kChecksum);
  if (body == std::string_view::npos || text.substr(body) != checksum_line(text.substr(0, body)))
    return damaged;
  std::string_view lines = text.substr(0, body);
  const auto version = take_line(lines, kTitle);
  if (!version) return damaged;
  if (*version != kVersion) {
    return Error{ErrorCode::kVersion, "the spool has version " + std::string(*version) +
                                          ", this program reads " + std::string(kVersion)};
  }
  const auto id_text = take_line(lines, kId);
  const auto id = id_text ? AgentId::parse(*id_text) : std::nullopt;
  const auto epoch_text = take_line(lines, kEpoch);
  const auto epoch = epoch_text ? parse<uint32_t>(*epoch_text, 10) : std::nullopt;
  const auto place = take_line(lines, kPlace);
  // There must be an epoch after this one.
  if (!id || !epoch || *epoch == 0 || *epoch == std::numeric_limits<uint32_t>::max() || !place ||
      !lines.empty()) {
    return damaged;
  }
  return SpoolIdentity{*id, *epoch, std::string(*place)};
}

}  // namespace statmill
