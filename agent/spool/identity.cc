#include "agent/spool/identity.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr std::string_view kTitle = "statmill spool ";
constexpr std::string_view kVersion = "2";
constexpr std::string_view kId = "id ";
constexpr std::string_view kSecret = "secret ";
constexpr std::string_view kEpoch = "epoch ";
constexpr std::string_view kLocation = "location ";
constexpr std::string_view kProduct = "product ";
constexpr std::string_view kAddresses = "addresses ";
constexpr std::string_view kHost = "host ";
constexpr std::string_view kBegun = "begun ";
constexpr std::string_view kLost = "lost ";
constexpr std::string_view kAcknowledged = "acknowledged ";
constexpr std::string_view kChecksum = "crc ";
constexpr std::string_view kUnknownFact = "-";

static_assert(AgentSecret::kBytes == AgentId::kBytes);

std::string checksum_line(std::string_view text) {
  return std::string(kChecksum) + hex_digits(crc32c(text)) + '\n';
}

// A secret is written like an id.
std::string secret_text(const AgentSecret& secret) { return AgentId{secret.bytes}.text(); }

std::string addresses_text(const std::vector<std::string>& addresses) {
  std::string text;
  for (const std::string& address : addresses) text += (text.empty() ? "" : " ") + address;
  return text.empty() ? std::string(kUnknownFact) : text;
}

std::string_view fact_text(const std::string& fact) { return fact.empty() ? kUnknownFact : fact; }

// Reads a text whose lines each consist of a keyword and a value. After a malformed line, all further values
// are empty and has_failed() is true.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  // Returns the value of the next line, which must begin with `word`.
  std::string_view next(std::string_view word) {
    const size_t end = text_.find('\n');
    if (failed_ || end == std::string_view::npos || !text_.starts_with(word)) {
      failed_ = true;
      return {};
    }
    const std::string_view rest = text_.substr(word.size(), end - word.size());
    text_.remove_prefix(end + 1);
    return rest;
  }
  template <class Value>
  Value next(std::string_view word, std::optional<Value> (*parse)(std::string_view)) {
    const auto value = parse(next(word));
    if (!value) failed_ = true;
    return value.value_or(Value());
  }
  bool has_failed() const { return failed_; }
  bool is_done() const { return !failed_ && text_.empty(); }

 private:
  std::string_view text_;
  bool failed_ = false;
};

std::optional<AgentSecret> parse_secret(std::string_view text) {
  const auto bytes = AgentId::parse(text);
  return bytes ? std::optional(AgentSecret{bytes->bytes}) : std::nullopt;
}

// The epoch must have a successor.
std::optional<uint32_t> parse_epoch(std::string_view text) {
  const auto epoch = parse_as<uint32_t>(text);
  const bool is_possible = epoch && *epoch > 0 && *epoch < std::numeric_limits<uint32_t>::max();
  return is_possible ? epoch : std::nullopt;
}

std::optional<std::string> parse_fact(std::string_view text) {
  if (text.empty() || text.find(' ') != std::string_view::npos) return std::nullopt;
  return text == kUnknownFact ? std::string() : std::string(text);
}

std::optional<std::vector<std::string>> parse_addresses(std::string_view text) {
  std::vector<std::string> addresses;
  if (text == kUnknownFact) return addresses;
  for (;;) {
    const size_t end = std::min(text.find(' '), text.size());
    auto address = parse_fact(text.substr(0, end));
    if (!address || address->empty() || addresses.size() == kAddressesMax) return std::nullopt;
    addresses.push_back(std::move(*address));
    if (end == text.size()) return addresses;
    text.remove_prefix(end + 1);
  }
}

std::optional<bool> parse_begun(std::string_view text) {
  if (text != "yes" && text != "no") return std::nullopt;
  return text == "yes";
}

std::optional<SpoolLoss> parse_lost(std::string_view text) {
  const size_t space = std::min(text.find(' '), text.size());
  const auto lines = parse_as<uint64_t>(text.substr(0, space));
  if (!lines || *lines > kSeqMax || space == text.size()) return std::nullopt;
  for (const GapReason reason : {GapReason::kDamaged, GapReason::kCloned, GapReason::kCopied}) {
    if (text.substr(space + 1) == gap_reason_text(reason)) return SpoolLoss{*lines, reason};
  }
  return std::nullopt;
}

std::optional<SpoolPosition> parse_position(std::string_view text) {
  const size_t space = std::min(text.find(' '), text.size());
  const auto seq = parse_as<uint64_t>(text.substr(0, space));
  const auto lines = space < text.size() ? parse_as<uint64_t>(text.substr(space + 1)) : std::nullopt;
  if (!seq || !lines || *seq > kSeqMax || *lines > kSeqMax) return std::nullopt;
  return SpoolPosition{*seq, *lines};
}

}  // namespace

uint64_t random_bits() {
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

SpoolIdentity new_identity(const RandomSource& random, const SpoolLocation& location, const SpoolLoss& lost) {
  SpoolIdentity identity{.location = location, .lost = lost};
  const auto fill = [&](auto& bytes) {
    for (size_t i = 0; i < bytes.size(); i += 8) {
      const uint64_t bits = random();
      for (size_t j = 0; j < 8; ++j) bytes[i + j] = static_cast<uint8_t>(bits >> (8 * j));
    }
  };
  fill(identity.id.bytes);
  fill(identity.secret.bytes);
  return identity;
}

std::string encode_identity(const SpoolIdentity& identity) {
  std::string text;
  const auto line = [&text](std::string_view word, std::string_view rest) {
    text.append(word).append(rest).append("\n");
  };
  line(kTitle, kVersion);
  line(kId, identity.id.text());
  line(kSecret, secret_text(identity.secret));
  line(kEpoch, std::to_string(identity.epoch));
  line(kLocation, identity.location.directory);
  line(kProduct, fact_text(identity.location.product));
  line(kAddresses, addresses_text(identity.location.addresses));
  line(kHost, fact_text(identity.location.host));
  line(kBegun, identity.has_begun ? "yes" : "no");
  line(kLost, std::to_string(identity.lost.lines) + " " + std::string(gap_reason_text(identity.lost.reason)));
  line(kAcknowledged,
       std::to_string(identity.acknowledged.seq) + " " + std::to_string(identity.acknowledged.lines));
  return text + checksum_line(text);
}

Result<SpoolIdentity> decode_identity(std::string_view text) {
  const Error damaged{ErrorCode::kCorrupt, "the spool's identity is damaged"};
  const size_t body = text.rfind(kChecksum);
  if (body == std::string_view::npos || text.substr(body) != checksum_line(text.substr(0, body)))
    return damaged;
  Lines lines(text.substr(0, body));
  const std::string_view version = lines.next(kTitle);
  if (lines.has_failed()) return damaged;
  if (version != kVersion) {
    return Error{ErrorCode::kVersion, "the spool has version " + std::string(version) +
                                          ", this program reads " + std::string(kVersion) +
                                          "; send its batches with the program that wrote them, or remove "
                                          "the spool, which loses them"};
  }
  SpoolIdentity identity;
  identity.id = lines.next(kId, AgentId::parse);
  identity.secret = lines.next(kSecret, parse_secret);
  identity.epoch = lines.next(kEpoch, parse_epoch);
  identity.location.directory = lines.next(kLocation);
  identity.location.product = lines.next(kProduct, parse_fact);
  identity.location.addresses = lines.next(kAddresses, parse_addresses);
  identity.location.host = lines.next(kHost, parse_fact);
  identity.has_begun = lines.next(kBegun, parse_begun);
  identity.lost = lines.next(kLost, parse_lost);
  identity.acknowledged = lines.next(kAcknowledged, parse_position);
  if (!lines.is_done()) return damaged;
  return identity;
}

Status write_identity(SpoolDirectory& directory, const SpoolIdentity& identity) {
  return directory.replace(std::string(kIdentityFile), encode_identity(identity));
}

Result<Segment> begin_numbering(SpoolDirectory& directory, SpoolIdentity& identity) {
  SM_CHECK(!identity.has_begun);
  // The new identity is durable before any segment of the old one is removed, and all of these are removed
  // before the new numbering begins.
  Status status = write_identity(directory, identity);
  if (status) status = directory.sync();
  if (!status) return std::move(status).error();
  const auto names = directory.list();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!parse_segment_name(name)) continue;
    if (status = directory.remove(name); !status) return std::move(status).error();
  }
  if (status = directory.sync(); !status) return std::move(status).error();
  Segment segment;
  segment.before = segment.last = identity.start();
  segment.bytes = kSegmentHeaderBytes;
  segment.is_durable = true;
  status = directory.replace(
      segment.name(),
      encode_segment_header(
          {.id = identity.id, .epoch = identity.epoch, .before = segment.before, .previous_end = {}}));
  if (status) status = directory.sync();
  SpoolIdentity begun = identity;
  begun.has_begun = true;
  if (status) status = write_identity(directory, begun);
  if (status) status = directory.sync();
  if (!status) return std::move(status).error();
  identity = std::move(begun);
  return segment;
}

}  // namespace statmill
