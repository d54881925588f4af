// A line in the middle of a text has other lines after it, so the parser can read sixteen bytes at once
// without checking where the line ends.
#include "proto/statsd/fast_parser.h"

#include <algorithm>
#include <array>

#include "base/bytes16.h"
#include "proto/fast_number.h"
#include "proto/line_text.h"
#include "proto/statsd/sampling_rate.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

constexpr std::ptrdiff_t kLane = 16;

// Copies sixteen bytes at a time: reads and writes up to fifteen bytes past the end.
void copy_lanes(std::string_view text, char* to) {
  for (size_t i = 0; i < text.size(); i += kLane) std::memcpy(to + i, text.data() + i, kLane);
}

// Marks the bytes other than letters, digits and - . / _, which nearly all tags consist of.
constexpr auto ends_tag_word = [](Bytes16 b) -> Mask16 {
  const Mask16 is_letter = (b | 0x20) - 'a' < 26;
  const Mask16 is_dash_to_nine = b - '-' < 13;
  return ~(is_letter | is_dash_to_nine | (b == '_'));
};

// Finds the ends of words in [at, end), 64 bytes at a time.
class WordEnds {
 public:
  WordEnds(const char* at, const char* end) : block_(at), end_(end) { scan(); }

  // Returns the next end of a word; nullptr near the end of the text.
  const char* next() {
    while (ends_ == 0) {
      if (block_ == nullptr) return nullptr;
      block_ += kBlock;
      scan();
    }
    const char* const at = block_ + std::countr_zero(ends_);
    ends_ &= ends_ - 1;
    return at;
  }

 private:
  static constexpr std::ptrdiff_t kBlock = 4 * kLane;

  void scan() {
    // One more lane must be readable, so that copy_lanes() can copy any text of the block.
    if (end_ - block_ < kBlock + kLane) {
      block_ = nullptr;
      return;
    }
    const auto ends_in = [this](int lane) {
      return bits_of(ends_tag_word(bytes16_at(block_ + kLane * lane))) << kLane * lane;
    };
    ends_ = ends_in(0) | ends_in(1) | ends_in(2) | ends_in(3);
  }

  const char* block_;  // the block that ends_ describes; nullptr: no further block
  const char* const end_;
  uint64_t ends_ = 0;  // one bit per byte of the block; next() clears the bits that it has returned
};

// Tags `k:v,k:v` of the common form: each has a key and a value, and no two keys share their first eight
// bytes, so that comparing these bytes sorts the tags.
class FastTags {
 public:
  // Returns the bar or LF after the tags; nullptr if they do not have the common form.
  const char* read(const char* key, const char* end) {
    WordEnds ends(key, end);
    for (count_ = 0; count_ < kTagsMax;) {
      const char* const assign = ends.next();
      if (assign == nullptr || *assign != ':') return nullptr;
      const char* tag_end = nullptr;
      do {
        tag_end = ends.next();
        if (tag_end == nullptr) return nullptr;
      } while (*tag_end == ':');
      if (tag_end == assign + 1 || !put(key, assign, tag_end)) return nullptr;
      if (*tag_end != ',') return *tag_end == '|' || *tag_end == '\n' ? tag_end : nullptr;
      key = tag_end + 1;
    }
    return nullptr;
  }
  bool is_empty() const { return count_ == 0; }
  size_t name_size(std::string_view path) const { return path.size() + tags_size_; }
  // Returns the canonical name, which `batch` keeps. Requires: one lane after the path is readable.
  std::string_view name(std::string_view path, Batch& batch) const {
    const size_t size = name_size(path);
    char* const begin = batch.spare(size + kLane);
    copy_lanes(path, begin);
    char* to = begin + path.size();
    const Tag* const tags_end = tags_.data() + count_;
    for (const Tag* tag = tags_.data(); tag != tags_end; ++tag) {
      *to = ';';
      copy_lanes({tag->key, tag->size}, to + 1);
      to[1 + tag->key_size] = '=';
      to += 1 + tag->size;
    }
    return {batch.room(size), size};
  }

 private:
  struct Tag {
    uint64_t key_head;
    const char* key;
    uint32_t key_size;
    uint32_t size;  // key, colon and value
  };

  // Inserts a tag in sorted order, searching from the end. Most clients use an
  // order of their own, so some tags move.
  bool put(const char* key, const char* assign, const char* tag_end) {
    const std::ptrdiff_t key_size = assign - key;
    if (key_size == 0) return false;
    const std::ptrdiff_t no_key = 64 - 8 * std::min<std::ptrdiff_t>(key_size, 8);
    const uint64_t head = __builtin_bswap64(word_at(key)) >> no_key << no_key;
    if (head == kNameKeyHead) return false;
    Tag* place = tags_.data() + count_;
    for (; place != tags_.data() && place[-1].key_head >= head; --place) {
      if (place[-1].key_head == head) return false;
      *place = place[-1];
    }
    const std::ptrdiff_t size = tag_end - key;
    *place = {head, key, static_cast<uint32_t>(key_size), static_cast<uint32_t>(size)};
    ++count_;
    tags_size_ += static_cast<size_t>(size) + 1;
    return true;
  }

  std::array<Tag, kTagsMax> tags_;  // the first count_ are set, sorted by key
  size_t count_ = 0;
  size_t tags_size_ = 0;  // bytes of all ";key=value"
};

// Returns the bar or LF that ends an extension; nullptr if it is not within sixteen readable bytes.
const char* extension_end(const char* at, const char* end) {
  if (end - at < kLane + 1) return nullptr;
  const Bytes16 bytes = bytes16_at(at);
  const uint64_t ends = bits_of((bytes == sixteen('|')) | (bytes == sixteen('\n')));
  return ends == 0 ? nullptr : at + std::countr_zero(ends);
}

// A line that is being parsed into the last sample of the batch. The sample is written in place: copying it
// right after writing its parts would wait for those stores.
struct Line {
  const char* begin;
  const char* end;  // of the text
  char type;        // its first letter
  Sample& sample;
};

// Applies a sampling rate to the sample. Returns false if the rate is not valid or the sample is refused.
bool apply_rate(const Line& line, std::string_view text, Batch& batch) {
  SamplingRate rate;
  if (!rate.read(line.begin, text)) return false;
  if (line.type == 'g') return true;
  const auto verdict =
      line.type == 'c' ? rate.scale_amount(line.sample.value) : rate.repeat(line.sample, batch);
  return verdict.is_accepted();
}

// Reads rate and tags, each at most once, so that no line exceeds the limit on its size.
// `at` is the bar before the first. Returns the end of the extensions or nullptr. Not
// inlined: other lines need no room for tags.
[[gnu::noinline]] const char* read_extensions(const Line& line, const char* at, Batch& batch) {
  FastTags tags;
  bool has_rate = false;
  while (*at == '|') {
    const char* const text = at + 2;
    if (at[1] == '@' && !has_rate) {
      at = extension_end(text, line.end);
      has_rate = at != nullptr && apply_rate(line, {text, static_cast<size_t>(at - text)}, batch);
      if (!has_rate) return nullptr;
    } else if (at[1] == '#' && tags.is_empty()) {
      at = tags.read(text, line.end);
      if (at == nullptr) return nullptr;
    } else {
      return nullptr;
    }
  }
  if (tags.is_empty()) return at;
  if (tags.name_size(line.sample.name) > kNameBytesMax) return nullptr;
  line.sample.name = tags.name(line.sample.name, batch);
  return at;
}

// Returns the line's LF, or nullptr if the line does not have the common form.
const char* read_line(const char* begin, const char* end, Sample& sample, StatsdBatch& batch) {
  const size_t path_size = plain_path_size({begin, static_cast<size_t>(end - begin)});
  const char* const number = begin + path_size + 1;  // after the colon
  if (path_size - 1 >= kNameBytesMax || end - number < kLane + 4) return nullptr;
  if (number[-1] != ':' || *begin == '~' || *begin == '_') return nullptr;
  const uint64_t bars = bits_of(bytes16_at(number) == sixteen('|'));
  if (bars == 0) return nullptr;
  const auto number_size = static_cast<size_t>(std::countr_zero(bars));
  if (!parse_number_fast(begin, {number, number_size}, sample.value)) return nullptr;
  sample.name = {begin, path_size};
  const char type = number[number_size + 1];
  const char* at = number + number_size + 2;
  if (type == 'c') {
    sample.kind = Kind::kEvent;
  } else if (type != 'g') {
    sample.kind = Kind::kDistribution;
    if (type == 'm') {
      if (*at++ != 's' || sample.value.mantissa < 0) return nullptr;
      sample.is_in_ms = true;
    } else if (type != 'h' && type != 'd') {
      return nullptr;
    }
  }
  if (*at == '|') at = read_extensions({begin, end, type, sample}, at, batch.batch);
  if (at == nullptr || *at != '\n') return nullptr;
  if (type == 'g') {
    const auto index = static_cast<uint32_t>(batch.batch.samples.size() - 1);
    batch.gauges.push_back({index, *number == '+' || *number == '-'});
  }
  return at;
}

}  // namespace

const char* parse_statsd_line_fast(const char* begin, const char* end, StatsdBatch& batch) {
  std::vector<Sample>& samples = batch.batch.samples;
  const char* const lf = read_line(begin, end, samples.emplace_back(), batch);
  if (lf == nullptr) {
    samples.pop_back();
    return nullptr;
  }
  ++batch.batch.received;
  return lf + 1;
}

}  // namespace statmill
