// A line is a name and parts, `values|type|extensions`, separated by `:`. Tags may follow the values, so
// samples get their names last.
#include "proto/statsd/parser.h"

#include <optional>

#include "proto/line_text.h"
#include "proto/name_escapes.h"
#include "proto/statsd/fast_parser.h"
#include "proto/statsd/sampling_rate.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

constexpr std::string_view kEventMark = "_e{";
constexpr std::string_view kServiceCheckMark = "_sc|";

enum class Type : uint8_t { kCounter, kGauge, kTimer, kDistribution, kSet };

std::optional<Type> read_type(Cursor& cursor) {
  if (cursor.skip('c')) return Type::kCounter;
  if (cursor.skip('g')) return Type::kGauge;
  if (cursor.skip('h') || cursor.skip('d')) return Type::kDistribution;
  if (cursor.skip('s')) return Type::kSet;
  return cursor.skip('m') && cursor.skip('s') ? std::optional(Type::kTimer) : std::nullopt;
}

// The name of a line with the tags from all of its parts.
class LineName {
 public:
  // Sets a name that is only a path.
  void set_plain(std::string_view path) { path_ = path; }

  // Reads a path, which Graphite's tags `;k=v` or Influx's tags `,k=v` may follow.
  Verdict<Refusal> read(std::string_view text, Batch& batch) {
    if (!is_text(text)) return Refusal::kBadName;
    Cursor cursor(text);
    const std::string_view written = cursor.until<';', ','>();
    const std::string_view path = without_tilde(written);
    if (path.empty()) return Refusal::kEmptyName;
    was_renamed_ = path.size() != written.size();
    if (const auto verdict = spell_part(path, NamePart::kPath, batch, path_); verdict.is_refused())
      return verdict;
    if (cursor.is_at_end()) return kAccepted;
    const std::string_view pairs = text.substr(written.size() + 1);
    if (cursor.front() == ',') return tags_.add_all(pairs, TagSpelling::kInflux, batch);
    if (path_.data() != path.data() || !are_canonical_tags(pairs))
      return tags_.add_all(pairs, TagSpelling::kGraphite, batch);
    canonical_tags_ = pairs;
    return kAccepted;
  }

  // Reads the tags before the next bar.
  Verdict<Refusal> add_tags(Cursor& cursor, Batch& batch) {
    const std::string_view rest = cursor.rest();
    std::string_view text = rest.substr(0, plain_size(rest, '|'));
    const bool is_plain = text.size() == rest.size() || rest[text.size()] == '|';
    if (!is_plain) text = rest.substr(0, rest.find('|'));
    cursor.advance(text.size());
    if (!is_plain && !is_text(text)) return Refusal::kBadName;
    return tags_.add_all(text, TagSpelling::kDogStatsd, batch);
  }
  Verdict<Refusal> add_host(std::string_view host, Batch& batch) {
    return is_text(host) ? tags_.add("host", host, batch) : Refusal::kBadName;
  }

  // Sets `name` to the canonical name: a view of the line if it is there, else kept by `batch`.
  Verdict<Refusal> finish(Batch& batch, std::string_view& name) {
    if (tags_.is_empty()) {
      const size_t tags_size = canonical_tags_.empty() ? 0 : canonical_tags_.size() + 1;
      name = std::string_view(path_.data(), path_.size() + tags_size);
      return accept_if(name.size() <= kNameBytesMax, Refusal::kNameTooLong);
    }
    if (!canonical_tags_.empty()) {
      const auto verdict = tags_.add_all(canonical_tags_, TagSpelling::kGraphite, batch);
      if (verdict.is_refused()) return verdict;
    }
    if (tags_.name_size(path_) > kNameBytesMax) return Refusal::kNameTooLong;
    name = tags_.name(path_, batch);
    return kAccepted;
  }
  bool was_renamed() const { return was_renamed_; }

 private:
  std::string_view path_;
  std::string_view canonical_tags_;  // follow the path in the line; not in tags_
  TagList tags_;
  bool was_renamed_ = false;
};

// `values|type|extensions`
struct Part {
  std::string_view values;
  bool is_packed = false;  // more than one value, separated by `:`
  Type type = Type::kCounter;
  SamplingRate rate;
  std::optional<int64_t> time_s;
};

Verdict<Refusal> read_time(std::string_view text, std::optional<int64_t>& time_s) {
  return accept_if(parse_integer(text, time_s.emplace()).is_accepted(), Refusal::kBadTime);
}

// Reads the extension after a bar. Ignores those that begin with another letter: they belong to later
// versions or identify the sender.
Verdict<Refusal> read_extension(Cursor& cursor, Part& part, LineName& name, Batch& batch) {
  if (cursor.is_at_end() || cursor.front() == '|') return kAccepted;
  if (cursor.skip('#')) return name.add_tags(cursor, batch);
  if (cursor.skip('@')) {
    const bool is_rate = part.rate.read(cursor.until<'|', ':'>());
    return accept_if(is_rate, Refusal::kBadRate);
  }
  if (cursor.skip('T')) return read_time(cursor.until<'|', ':'>(), part.time_s);
  const char first = cursor.until<'|'>().front();
  const bool is_letter = ('a' <= first && first <= 'z') || ('A' <= first && first <= 'Z');
  return accept_if(is_letter, Refusal::kBadExtension);
}

// Reads the part after a colon. Leaves the cursor at the colon before the next part or at the end.
Verdict<Refusal> read_part(Cursor& cursor, Part& part, LineName& name, Batch& batch) {
  const Cursor begin = cursor;
  part.values = cursor.until<'|', ':'>();
  if (!cursor.is_at_end() && cursor.front() == ':') {
    part.is_packed = true;
    cursor = begin;
    part.values = cursor.until<'|'>();
  }
  part.values = trimmed(part.values);
  if (!cursor.skip('|')) return Refusal::kBadType;
  const auto type = read_type(cursor);
  if (!type || !(cursor.is_at_end() || cursor.front() == '|' || cursor.front() == ':')) {
    return Refusal::kBadType;
  }
  part.type = *type;
  while (cursor.skip('|')) {
    if (const auto verdict = read_extension(cursor, part, name, batch); verdict.is_refused()) return verdict;
  }
  return kAccepted;
}

Verdict<Refusal> add_member(const Part& part, StatsdBatch& batch) {
  if (part.values.empty()) return Refusal::kBadValue;
  if (part.time_s) return Refusal::kBadTime;
  batch.members.push_back({{}, part.values, batch.batch.sender()});
  return kAccepted;
}

Verdict<Refusal> add_value(std::string_view text, const Part& part, StatsdBatch& batch) {
  const size_t index = batch.batch.samples.size();
  Sample& sample = batch.batch.samples.emplace_back();
  sample.time_s = part.time_s;
  if (const auto verdict = parse_number(text, sample.value); verdict.is_refused()) return verdict;
  switch (part.type) {
    case Type::kCounter:
      sample.kind = Kind::kEvent;
      return part.rate.scale_amount(sample.value);
    case Type::kGauge:
      batch.gauges.push_back({static_cast<uint32_t>(index), text.front() == '+' || text.front() == '-'});
      return kAccepted;
    case Type::kTimer:
      if (sample.value.value() < 0) return Refusal::kBadValue;
      sample.is_in_ms = true;
      [[fallthrough]];
    default:
      sample.kind = Kind::kDistribution;
      return part.rate.repeat(sample, batch.batch);
  }
}

// Adds the values of a part, which may be packed with `:` between them. A member of a set is never packed.
Verdict<Refusal> add_values(const Part& part, StatsdBatch& batch) {
  if (part.type == Type::kSet) return add_member(part, batch);
  if (!part.is_packed) return add_value(part.values, part, batch);
  Cursor cursor(part.values);
  do {
    if (const auto verdict = add_value(cursor.until<':'>(), part, batch); verdict.is_refused())
      return verdict;
  } while (cursor.skip(':'));
  return kAccepted;
}

Verdict<Refusal> read_name(Cursor& cursor, std::string_view line, LineName& name, Batch& batch) {
  const size_t path_size = plain_path_size(line);
  const bool is_plain = 0 < path_size && path_size < line.size() && line[path_size] == ':' && line[0] != '~';
  if (is_plain) {
    cursor.advance(path_size);
    name.set_plain(line.substr(0, path_size));
    return kAccepted;
  }
  const std::string_view text = cursor.until<':'>();
  return cursor.is_at_end() ? Refusal::kFieldCount : name.read(trimmed(text), batch);
}

// `name:part:part...`
Verdict<Refusal> read_values(std::string_view line, LineName& name, StatsdBatch& batch) {
  Cursor cursor(line);
  if (const auto verdict = read_name(cursor, line, name, batch.batch); verdict.is_refused()) return verdict;
  while (cursor.skip(':')) {
    Part part;
    if (const auto verdict = read_part(cursor, part, name, batch.batch); verdict.is_refused()) return verdict;
    if (const auto verdict = add_values(part, batch); verdict.is_refused()) return verdict;
  }
  return kAccepted;
}

// Reads `_sc|name|status|d:time|h:host|#tags|m:message` as a gauge of 0 to 3.
// The message is last and may contain bars.
Verdict<Refusal> read_service_check(std::string_view line, LineName& name, StatsdBatch& batch) {
  Cursor cursor(line);
  cursor.advance(kServiceCheckMark.size());
  const std::string_view name_text = cursor.until<'|'>();
  if (!cursor.skip('|')) return Refusal::kFieldCount;
  if (const auto verdict = name.read(name_text, batch.batch); verdict.is_refused()) return verdict;
  const std::string_view status = cursor.until<'|'>();
  if (status.size() != 1 || status < "0" || "3" < status) return Refusal::kBadValue;
  Sample& sample = batch.batch.samples.emplace_back();
  sample.value = Number::decimal(status.front() - '0', 0);
  batch.checks.push_back({static_cast<uint32_t>(batch.batch.samples.size() - 1), {}, batch.batch.sender()});
  while (cursor.skip('|')) {
    Verdict<Refusal> verdict = kAccepted;
    if (cursor.skip('#')) {
      verdict = name.add_tags(cursor, batch.batch);
    } else {
      const std::string_view rest = cursor.rest();
      const std::string_view field = cursor.until<'|'>();
      if (field.starts_with("m:")) {
        batch.checks.back().message = rest.substr(2);
        break;
      }
      if (field.starts_with("d:")) verdict = read_time(field.substr(2), sample.time_s);
      if (field.starts_with("h:")) verdict = name.add_host(field.substr(2), batch.batch);
    }
    if (verdict.is_refused()) return verdict;
  }
  return kAccepted;
}

// Adds all samples and members that `kRead` finds in the text, or a single refusal.
template <auto kRead>
void parse_with(std::string_view text, StatsdBatch& batch) {
  std::vector<Sample>& samples = batch.batch.samples;
  const size_t samples_before = samples.size();
  const size_t gauges_before = batch.gauges.size();
  const size_t members_before = batch.members.size();
  const size_t checks_before = batch.checks.size();
  LineName line_name;
  std::string_view name;
  Verdict<Refusal> verdict = kRead(text, line_name, batch);
  if (verdict.is_accepted()) verdict = line_name.finish(batch.batch, name);
  if (verdict.is_refused()) {
    samples.resize(samples_before);
    batch.gauges.resize(gauges_before);
    batch.members.resize(members_before);
    batch.checks.resize(checks_before);
    return batch.batch.refuse(verdict.reason(), text);
  }
  for (size_t i = samples_before; i < samples.size(); ++i) samples[i].name = name;
  for (size_t i = members_before; i < batch.members.size(); ++i) batch.members[i].name = name;
  batch.batch.received += samples.size() - samples_before;
  if (line_name.was_renamed()) ++batch.batch.renamed;
}

void parse_event(std::string_view line, StatsdBatch& batch) {
  StatsdEvent event{.sender = batch.batch.sender()};
  if (const auto verdict = parse_statsd_event(line, event); verdict.is_refused())
    return batch.batch.refuse(verdict.reason(), line);
  batch.events.push_back(event);
}

}  // namespace

void parse_statsd_line(std::string_view line, StatsdBatch& batch) {
  if (line.size() > kLineBytesMax) return batch.batch.refuse(Refusal::kLineTooLong, line);
  line = trimmed(line);
  if (line.empty()) return;
  if (line.front() == '_') {
    if (line.starts_with(kEventMark)) return parse_event(line, batch);
    if (line.starts_with(kServiceCheckMark)) return parse_with<read_service_check>(line, batch);
  }
  parse_with<read_values>(line, batch);
}

void parse_statsd_lines(std::string_view bytes, StatsdBatch& batch) {
  for_each_line(
      bytes, [&](const char* at, const char* end) { return parse_statsd_line_fast(at, end, batch); },
      [&](std::string_view line) { parse_statsd_line(line, batch); });
}

}  // namespace statmill
