// Helpers of the codec's tests: the key of one chunk, and short forms of the codec's functions for it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/codec/codec.h"
#include "storage/codec/window.h"

namespace statmill::codec_helpers {

inline constexpr int64_t kChunkSlots = 2160;
inline constexpr ChunkKey kKey{0, 7, 42};
inline constexpr Slot kFirst = 7 * kChunkSlots;

inline std::string encode(const std::vector<SlotBucket>& buckets, Combine combine = Combine::kMerge) {
  return encode_buckets(kKey, kFirst, combine, buckets);
}
// Encodes them as a window does. Requires: not empty.
inline std::string encode_run(const std::vector<SlotBucket>& buckets, Combine combine = Combine::kMerge) {
  Window window;
  for (const SlotBucket& b : buckets) window.add(b, combine, nullptr);
  window.close();
  return encode_entries(kKey, kFirst, combine, window.run()->entries);
}
inline std::string erase(Slot begin, Slot end) { return encode_erase(kKey, kFirst, begin, end); }
inline DecodedChunk decode(std::string_view value) { return decode_chunk(kKey, kFirst, kChunkSlots, value); }
inline std::string compact(std::string_view value, bool oldest = true) {
  return compact_chunk(kKey, kFirst, kChunkSlots, value, oldest).value;
}

inline Bucket gauge(int64_t mantissa, int8_t scale = 0) {
  return Bucket::of(Number::decimal(mantissa, scale));
}

// Returns a frame of any kind with a correct checksum, made without the code under test.
inline std::string seal(uint8_t kind, std::string_view payload, const ChunkKey& key = kKey) {
  std::string head;
  Writer h(head);
  h.u8(key.tier);
  h.u32be(key.chunk);
  h.u32be(key.id);
  h.u8(kind);
  std::string frame;
  Writer out(frame);
  out.u8(kind);
  out.varint(payload.size());
  out.bytes(payload);
  out.u32be(crc32c(payload, crc32c(head)));
  return frame;
}

inline std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int v : values) out.push_back(static_cast<char>(v));
  return out;
}

// One frame of every shape.
inline std::vector<std::string> sample_frames() {
  Bucket many = gauge(150, 2);
  many.merge(gauge(-275, 2));
  many.merge(gauge(3));
  const Bucket real = Bucket::of(Number::of(0.1 + 0.2));
  Bucket reals = real;
  reals.merge(Bucket::of(Number::of(-1e-300)));
  std::vector<SlotBucket> walk;
  for (Slot i = 0; i < 40; ++i) {
    Bucket bucket = gauge(1000 + i * i % 17, 1);
    for (int k = 0; k < 4 + i % 2; ++k) bucket.merge(gauge(1000 + i * k % 13, 1));
    walk.push_back({kFirst + 10 + i, bucket});
  }
  SparseHistogram latencies;
  for (int i = 0; i < 40; ++i) latencies.add(33'300 + i * i % 37, static_cast<uint64_t>(1 + i % 20));
  std::vector<SlotHistogram> many_slots;
  for (Slot i = 0; i < 20; ++i) many_slots.push_back({kFirst + 10 + i, latencies});
  return {
      encode(walk),
      encode({{kFirst, gauge(1)}, {kFirst + 1, gauge(2)}}),
      encode({{kFirst + 3, gauge(-125, 2)}, {kFirst + 9, gauge(7)}}),
      encode({{kFirst + 3, many}, {kFirst + 4, gauge(7)}}),
      encode({{kFirst + 3, real}, {kFirst + 2159, real}}),
      encode({{kFirst + 3, reals}}),
      encode({{kFirst + 3, gauge(9)}}, Combine::kAddEvents),
      encode_run(walk),
      encode_run(
          {{kFirst + 3, many}, {kFirst + 4, gauge(7)}, {kFirst + 5, gauge(8)}, {kFirst + 2159, reals}}),
      encode_run({{kFirst + 3, gauge(9)}, {kFirst + 4, gauge(9)}}, Combine::kAddEvents),
      encode_histogram_frame(kKey, kFirst,
                             std::vector<SlotHistogram>{{kFirst + 3, latencies}, {kFirst + 4, latencies}}),
      encode_histogram_frame(kKey, kFirst, many_slots),
      erase(kFirst + 2, kFirst + 4),
  };
}

}  // namespace statmill::codec_helpers
