#include "base/bytes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace statmill {
namespace {

constexpr uint64_t kMax64 = std::numeric_limits<uint64_t>::max();

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out.push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
    out.push_back(kDigits[static_cast<uint8_t>(c) & 15]);
  }
  return out;
}

template <class Write>
std::string written(const Write& write) {
  std::string bytes;
  Writer writer(bytes);
  write(writer);
  return bytes;
}

TEST(Bytes, GoldenBytesNeverChange) {
  EXPECT_EQ(hex(written([](Writer& w) { w.u8(0xab); })), "ab");
  EXPECT_EQ(hex(written([](Writer& w) { w.u16be(0x0102); })), "0102");
  EXPECT_EQ(hex(written([](Writer& w) { w.u32be(0x01020304); })), "01020304");
  EXPECT_EQ(hex(written([](Writer& w) { w.u64be(0x0102030405060708); })), "0102030405060708");
  EXPECT_EQ(hex(written([](Writer& w) { w.f64(-1.5); })), "bff8000000000000");
  EXPECT_EQ(hex(written([](Writer& w) { w.bytes("xyz"); })), "78797a");
  EXPECT_EQ(hex(written([](Writer& w) { w.varint(0); })), "00");
  EXPECT_EQ(hex(written([](Writer& w) { w.varint(127); })), "7f");
  EXPECT_EQ(hex(written([](Writer& w) { w.varint(128); })), "8001");
  EXPECT_EQ(hex(written([](Writer& w) { w.varint(300); })), "ac02");
  EXPECT_EQ(hex(written([](Writer& w) { w.varint(kMax64); })), "ffffffffffffffffff01");
  EXPECT_EQ(hex(written([](Writer& w) { w.svarint(-1); })), "01");
  EXPECT_EQ(hex(written([](Writer& w) { w.varint128(~Uint128{0}); })), std::string(36, 'f') + "03");
}

TEST(Bytes, ZigzagKeepsSmallNumbersSmall) {
  const std::vector<std::pair<int64_t, uint64_t>> table = {
      {0, 0}, {-1, 1}, {1, 2}, {-2, 3}, {INT64_MAX, kMax64 - 1}, {INT64_MIN, kMax64}};
  for (const auto& [number, code] : table) {
    EXPECT_EQ(zigzag(static_cast<uint64_t>(number)), code);
    EXPECT_EQ(static_cast<int64_t>(unzigzag(code)), number);
  }
}

RC_GTEST_PROP(Bytes, ReadsWhatWasWritten,
              (uint64_t a, int64_t b, uint64_t c, double d, const std::string& e)) {
  const auto shift = *rc::gen::inRange(0, 64);  // varints of every length
  const Uint128 wide = static_cast<Uint128>(a) << 64 | c;
  const std::string bytes = written([&](Writer& w) {
    w.varint(a >> shift);
    w.svarint(b >> shift);
    w.varint128(wide >> shift);
    w.u64be(a);
    w.u32be(static_cast<uint32_t>(c));
    w.u16be(static_cast<uint16_t>(c));
    w.u8(static_cast<uint8_t>(c));
    w.f64(d);
    w.bytes(e);
  });
  Reader r(bytes);
  RC_ASSERT(r.varint() == a >> shift);
  RC_ASSERT(r.svarint() == b >> shift);
  RC_ASSERT(r.varint128() == wide >> shift);
  RC_ASSERT(r.u64be() == a);
  RC_ASSERT(r.u32be() == static_cast<uint32_t>(c));
  RC_ASSERT(r.u16be() == static_cast<uint16_t>(c));
  RC_ASSERT(r.u8() == static_cast<uint8_t>(c));
  RC_ASSERT(std::bit_cast<uint64_t>(r.f64()) == std::bit_cast<uint64_t>(d));
  RC_ASSERT(r.remaining() == e.size());
  RC_ASSERT(r.bytes(e.size()) == e);
  RC_ASSERT(r.done());
  RC_ASSERT(!r.failed());
}

TEST(Bytes, TruncatedReadsReturnZeroAndFail) {
  const std::string longest(18, '\xff');
  for (size_t size = 0; size < longest.size(); ++size) {
    const std::string_view cut = std::string_view(longest).substr(0, size);
    Reader wide(cut);
    EXPECT_TRUE(wide.varint128() == 0 && wide.failed()) << size;
    if (size > 9) continue;
    Reader varint(cut);
    EXPECT_TRUE(varint.varint() == 0 && varint.failed()) << size;
    Reader svarint(cut);
    EXPECT_TRUE(svarint.svarint() == 0 && svarint.failed()) << size;
    if (size > 7) continue;
    Reader fixed(cut);
    EXPECT_TRUE(fixed.u64be() == 0 && fixed.failed()) << size;
    Reader real(cut);
    EXPECT_TRUE(real.f64() == 0 && real.failed()) << size;
    Reader text(cut);
    EXPECT_TRUE(text.bytes(size + 1).empty() && text.failed()) << size;
  }
}

TEST(Bytes, VarintsBeyond64BitsFail) {
  const std::string nine(9, '\xff');
  const std::vector<std::pair<std::string, bool>> table = {
      {nine + '\x01', true}, {nine + '\x02', false}, {nine + '\x81', false}, {nine + "\x81\x01", false}};
  for (const auto& [bytes, fits] : table) {
    Reader r(bytes);
    EXPECT_EQ(r.varint(), fits ? kMax64 : 0) << hex(bytes);
    EXPECT_EQ(r.failed(), !fits) << hex(bytes);
  }
  const std::string eighteen(18, '\xff');
  const std::vector<std::pair<std::string, bool>> wide = {{eighteen + '\x03', true},
                                                          {eighteen + '\x04', false},
                                                          {eighteen + '\x83', false},
                                                          {eighteen + "\x83\x01", false}};
  for (const auto& [bytes, fits] : wide) {
    Reader r(bytes);
    EXPECT_TRUE(r.varint128() == (fits ? ~Uint128{0} : 0)) << hex(bytes);
    EXPECT_EQ(r.failed(), !fits) << hex(bytes);
  }
}

TEST(Bytes, OverlongVarintsHaveTheirValue) {
  Reader r(std::string_view("\x85\x80\x80\x00", 4));
  EXPECT_EQ(r.varint(), 5u);
  EXPECT_TRUE(r.done() && !r.failed());
}

TEST(Bytes, FailedReaderStaysFailed) {
  Reader r("abc");
  EXPECT_EQ(r.u64be(), 0u);
  EXPECT_TRUE(r.failed() && r.done());
  EXPECT_EQ(r.u8(), 0u) << "after a failure, even existing bytes are not read";
  EXPECT_TRUE(r.bytes(1).empty());
  EXPECT_TRUE(r.failed());
}

TEST(Bytes, LengthOfAllOnesDoesNotWrap) {
  Reader r("abc");
  r.u8();
  EXPECT_TRUE(r.bytes(static_cast<size_t>(-1)).empty());
  EXPECT_TRUE(r.failed());
}

// Any sequence of reads from any bytes: never past the end (checked by sanitizers), and position() only
// grows.
RC_GTEST_PROP(Bytes, ReaderNeverLeavesItsBytes, (const std::string& bytes)) {
  const std::vector<char> exact(bytes.begin(), bytes.end());  // no spare capacity after the end
  Reader r(std::string_view(exact.data(), exact.size()));
  const auto program = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9));
  for (const int step : program) {
    const size_t before = r.position();
    switch (step) {
      case 0:
        r.u8();
        break;
      case 1:
        r.u16be();
        break;
      case 2:
        r.u32be();
        break;
      case 3:
        r.u64be();
        break;
      case 4:
        r.f64();
        break;
      case 5:
        r.varint();
        break;
      case 6:
        r.svarint();
        break;
      case 7:
        r.varint128();
        break;
      default:
        r.bytes(static_cast<size_t>(r.u8()));
    }
    RC_ASSERT(r.position() >= before);
    RC_ASSERT(r.position() + r.remaining() == exact.size());
    RC_ASSERT(r.failed() || r.position() > before || step == 8);
  }
}

}  // namespace
}  // namespace statmill
