#include "agent/spool/segment.h"

#include <algorithm>
#include <cstdio>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr std::string_view kMagic = "smspool\n";
constexpr std::string_view kEnding = ".spool";
constexpr size_t kNameDigits = 20;
constexpr size_t kChecksumBytes = 4;

static_assert(kSegmentHeaderBytes == 8 + 1 + AgentId::kBytes + 4 + 4 * 8 + kChecksumBytes);

void write_position(Writer& writer, const SpoolPosition& position) {
  writer.u64be(position.seq);
  writer.u64be(position.lines);
}
SpoolPosition read_position(Reader& reader) {
  SpoolPosition position;
  position.seq = reader.u64be();
  position.lines = reader.u64be();
  return position;
}

}  // namespace

std::string encode_segment_header(const SegmentHeader& header) {
  std::string out;
  Writer writer(out);
  writer.bytes(kMagic);
  writer.u8(kSegmentVersion);
  writer.bytes({reinterpret_cast<const char*>(header.id.bytes.data()), AgentId::kBytes});
  writer.u32be(header.epoch);
  write_position(writer, header.before);
  write_position(writer, header.previous_end);
  writer.u32be(crc32c(out));
  return out;
}

Result<SegmentHeader> decode_segment_header(std::string_view bytes) {
  const Error damaged{ErrorCode::kCorrupt, "the header of a segment is damaged"};
  if (bytes.size() < kSegmentHeaderBytes) return damaged;
  bytes = bytes.substr(0, kSegmentHeaderBytes);
  Reader reader(bytes);
  if (reader.bytes(kMagic.size()) != kMagic) return damaged;
  const uint8_t version = reader.u8();
  SegmentHeader header;
  const std::string_view id = reader.bytes(AgentId::kBytes);
  std::copy(id.begin(), id.end(), header.id.bytes.begin());
  header.epoch = reader.u32be();
  header.before = read_position(reader);
  header.previous_end = read_position(reader);
  if (reader.u32be() != crc32c(bytes.substr(0, kSegmentHeaderBytes - kChecksumBytes))) return damaged;
  if (version != kSegmentVersion) {
    return Error{ErrorCode::kVersion, "a segment has version " + std::to_string(version) +
                                          ", this program reads " + std::to_string(kSegmentVersion)};
  }
  if (header.before.seq > kSeqMax || header.before.lines > kSeqMax) return damaged;
  return header;
}

std::string segment_name(uint64_t first_seq) {
  char name[kNameDigits + 1];
  std::snprintf(name, sizeof(name), "%020llu", static_cast<unsigned long long>(first_seq));
  return std::string(name) + std::string(kEnding);
}

std::optional<uint64_t> parse_segment_name(std::string_view name) {
  if (name.size() != kNameDigits + kEnding.size() || !name.ends_with(kEnding)) return std::nullopt;
  const auto seq = parse_as<uint64_t>(name.substr(0, kNameDigits));
  return seq == 0 ? std::nullopt : seq;
}

}  // namespace statmill
