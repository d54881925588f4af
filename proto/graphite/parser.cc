// A name that is already canonical, with or without tags, is not copied.
#include "proto/graphite/parser.h"

#include <optional>

#include "proto/fast_fields.h"
#include "proto/fast_number.h"
#include "proto/graphite/fields.h"
#include "proto/line_text.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

using LineFields = Fields<3>;  // name, value, time

// Parses a line of the common form: a canonical name, a short number and a time, separated by single spaces,
// then LF. Returns the begin of the next line. Returns nullptr and does nothing if the line has another form
// or is near the end of the text.
const char* parse_line_fast(const char* begin, const char* end, RepeatedTime& last_time, Batch& batch) {
  const char* name_end = begin + plain_path_size({begin, static_cast<size_t>(end - begin)});
  if (name_end != end && *name_end == ';') name_end = find_space(name_end, end);
  const std::string_view name(begin, static_cast<size_t>(name_end - begin));
  if (end - name_end < 2 * (1 + kFastFieldRoom) || *name_end != ' ') return nullptr;
  if (name.empty() || name.size() > kNameBytesMax || !is_canonical_graphite_name(name)) return nullptr;
  const FastField value = FastField::at(name_end + 1);
  if (!value.ends_with(' ')) return nullptr;
  const FastField time = FastField::at(value.end() + 1);
  std::optional<int64_t> time_s;
  Number number;
  const auto read = [](std::string_view text, std::optional<int64_t>& read_s) {
    return read_graphite_time(text, read_s).is_accepted();
  };
  if (!time.ends_with('\n') || !last_time.read(time, time_s, read)) return nullptr;
  if (!parse_number_fast(begin, value.text(), number)) return nullptr;
  Sample& sample = batch.samples.emplace_back();
  sample.name = name;
  sample.time_s = time_s;
  sample.value = number;
  ++batch.received;
  return time.end() + 1;
}

Verdict<Refusal> read_sample(const LineFields& fields, Batch& batch, Sample& sample) {
  if (const auto verdict = read_graphite_name(fields[0], batch, sample.name); verdict.is_refused())
    return verdict;
  if (const auto verdict = parse_number(fields[1], sample.value); verdict.is_refused()) return verdict;
  return fields.count == 2 ? kAccepted : read_graphite_time(fields[2], sample.time_s);
}

}  // namespace

void parse_graphite_line(std::string_view line, Batch& batch) {
  if (line.size() > kLineBytesMax) return batch.refuse(Refusal::kLineTooLong, line);
  const LineFields fields = split_fields<LineFields::kMax>(line);
  if (fields.count == 0) return;
  if (fields.count != 2 && fields.count != 3) return batch.refuse(Refusal::kFieldCount, line);
  Sample& sample = batch.samples.emplace_back();
  if (const auto verdict = read_sample(fields, batch, sample); verdict.is_refused()) {
    batch.samples.pop_back();
    return batch.refuse(verdict.reason(), line);
  }
  ++batch.received;
  if (fields[0].front() == '~') ++batch.renamed;
}

void parse_graphite_lines(std::string_view bytes, Batch& batch) {
  RepeatedTime last_time;
  for_each_line(
      bytes, [&](const char* at, const char* end) { return parse_line_fast(at, end, last_time, batch); },
      [&](std::string_view line) { parse_graphite_line(line, batch); });
}

}  // namespace statmill
