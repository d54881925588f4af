#include "storage/agent_row.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"

namespace statmill {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint8_t kEphemeral = 1;
constexpr uint8_t kUncertain = 2;
constexpr uint8_t kAhead = 4;
constexpr size_t kChecksumBytes = 4;

uint32_t checksum(const AgentId& id, std::string_view body) {
  return crc32c(body, crc32c({reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}));
}

void put(Writer& writer, Timestamp time) { writer.svarint(time.time_since_epoch().count()); }
Timestamp read_time(Reader& reader) { return Timestamp(Duration(reader.svarint())); }

void put(Writer& writer, const AgentGap& gap) {
  writer.varint(gap.first);
  writer.varint(gap.last - gap.first);
  writer.varint(gap.lines);
  writer.u8(static_cast<uint8_t>(gap.reason));
  put(writer, gap.from);
  put(writer, gap.to);
}

void put(Writer& writer, std::string_view text) {
  writer.varint(text.size());
  writer.bytes(text);
}
std::string read_text(Reader& reader) { return std::string(reader.bytes(reader.varint())); }

AgentGap read_gap(Reader& reader) {
  AgentGap gap;
  gap.first = reader.varint();
  gap.last = gap.first + reader.varint();
  gap.lines = reader.varint();
  gap.reason = static_cast<GapReason>(reader.u8());
  gap.from = read_time(reader);
  gap.to = read_time(reader);
  return gap;
}

void put(Writer& writer, const AgentRun& run, const AgentPosition& position) {
  writer.varint(run.after - position.seq);
  writer.varint(run.lines_before - position.lines);
  writer.varint(run.last.seq - run.after);
  writer.varint(run.last.lines - run.lines_before);
  put(writer, run.last.time);
}

AgentRun read_run(Reader& reader, const AgentPosition& position) {
  AgentRun run;
  run.after = position.seq + reader.varint();
  run.lines_before = position.lines + reader.varint();
  run.last.epoch = position.epoch;
  run.last.seq = run.after + reader.varint();
  run.last.lines = run.lines_before + reader.varint();
  run.last.time = read_time(reader);
  return run;
}

uint8_t flags_of(const AgentRow& row) {
  return static_cast<uint8_t>((row.is_ephemeral ? kEphemeral : 0) | (row.uncertain_until ? kUncertain : 0) |
                              (row.ahead ? kAhead : 0));
}

Error corrupt(std::string_view what) { return {ErrorCode::kCorrupt, "agent row: " + std::string(what)}; }

}  // namespace

std::string encode_agent_row(const AgentRow& row) {
  std::string out;
  Writer writer(out);
  writer.u8(kVersion);
  writer.u8(flags_of(row));
  writer.varint(row.position.epoch);
  writer.varint(row.position.seq);
  writer.varint(row.position.lines);
  put(writer, row.position.time);
  put(writer, row.seen);
  put(writer, row.host);
  writer.varint(row.gaps);
  writer.varint(row.lines_lost);
  writer.varint(row.last_gaps.size());
  for (const AgentGap& gap : row.last_gaps) put(writer, gap);
  put(writer, row.newest);
  if (row.uncertain_until) put(writer, *row.uncertain_until);
  writer.varint(row.lines_refused);
  writer.bytes({reinterpret_cast<const char*>(row.secret.data()), row.secret.size()});
  put(writer, row.peer);
  put(writer, row.agent_version);
  put(writer, row.boot.kernel);
  put(writer, row.boot.id);
  put(writer, row.boot.time);
  if (row.ahead) put(writer, *row.ahead, row.position);
  writer.u32be(checksum(row.id, out));
  return out;
}

Result<AgentRow> decode_agent_row(const AgentId& id, std::string_view bytes) {
  if (bytes.size() < kChecksumBytes + 1) return corrupt("too short");
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Reader(bytes.substr(body.size())).u32be() != checksum(id, body)) return corrupt("checksum");
  Reader reader(body);
  if (reader.u8() != kVersion) return Error{ErrorCode::kVersion, "agent row: unknown version"};
  AgentRow row;
  row.id = id;
  const uint8_t flags = reader.u8();
  row.is_ephemeral = (flags & kEphemeral) != 0;
  row.position.epoch = static_cast<uint32_t>(reader.varint());
  row.position.seq = reader.varint();
  row.position.lines = reader.varint();
  row.position.time = read_time(reader);
  row.seen = read_time(reader);
  row.host = read_text(reader);
  row.gaps = reader.varint();
  row.lines_lost = reader.varint();
  const uint64_t kept = reader.varint();
  if (kept > AgentRow::kGapsKept) return corrupt("gaps");
  for (uint64_t i = 0; i < kept; ++i) row.last_gaps.push_back(read_gap(reader));
  row.newest = read_time(reader);
  if ((flags & kUncertain) != 0) row.uncertain_until = read_time(reader);
  row.lines_refused = reader.varint();
  const std::string_view secret = reader.bytes(row.secret.size());
  std::copy(secret.begin(), secret.end(), row.secret.begin());
  row.peer = read_text(reader);
  row.agent_version = read_text(reader);
  if (!reader.done()) {  // rows before format 2.1 end here
    row.boot.kernel = read_text(reader);
    row.boot.id = read_text(reader);
    row.boot.time = read_time(reader);
  }
  if ((flags & kAhead) != 0) {
    row.ahead = read_run(reader, row.position);
    if (row.ahead->after <= row.position.seq || row.ahead->last.seq < row.ahead->after) return corrupt("run");
  }
  if (reader.failed() || !reader.done()) return corrupt("length");
  return row;
}

}  // namespace statmill
