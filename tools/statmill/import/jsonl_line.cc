#include "tools/statmill/import/jsonl_line.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "proto/added_tags.h"
#include "proto/batch.h"
#include "proto/canonical_name.h"
#include "proto/istatd/exact_line.h"
#include "proto/kind_text.h"
#include "proto/line_text.h"
#include "proto/prometheus/series_name.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr std::string_view kBadJson = "bad_json";
constexpr size_t kTextBytesMax = size_t{64} << 10;  // of a key or a text
constexpr uint32_t kNoNumber = std::numeric_limits<uint32_t>::max();
constexpr int64_t kSecondsMax = 100'000'000'000;  // later than the year 5000: the time is in ms

enum class Key : uint8_t { kNone, kName, kMetric, kKind, kBuckets, kValues, kTimestamps, kOther };

Key key_of(std::string_view text) {
  constexpr std::pair<std::string_view, Key> kKeys[] = {
      {"name", Key::kName},       {"metric", Key::kMetric}, {"kind", Key::kKind},
      {"buckets", Key::kBuckets}, {"values", Key::kValues}, {"timestamps", Key::kTimestamps}};
  for (const auto& [name, key] : kKeys) {
    if (text == name) return key;
  }
  return Key::kOther;
}

int64_t floor_seconds(int64_t ms) { return ms / 1000 - (ms % 1000 < 0 ? 1 : 0); }

// The number that begins at `at` in a valid text.
std::string_view number_at(std::string_view line, uint32_t at) {
  const std::string_view rest = line.substr(at);
  return rest.substr(0, rest.find_first_of(",] \t\r\n"));
}

}  // namespace

// The handler of Boost's parser. It ends the parser by an error, whose text nobody reads: `reason_` says why.
class JsonlLine::Handler {
 public:
  static constexpr size_t max_object_size = std::numeric_limits<size_t>::max();
  static constexpr size_t max_array_size = std::numeric_limits<size_t>::max();
  static constexpr size_t max_key_size = kTextBytesMax;
  static constexpr size_t max_string_size = kTextBytesMax;
  using Text = json::string_view;
  using Code = json::error_code;

  void begin(std::string_view line, uint64_t number, HistorySink& sink);
  // `is_whole`: the parser found no fault. Returns false if the sink did.
  bool finish(bool is_whole);
  bool has_counters() const { return has_counters_; }

  // What the parser calls.
  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code& code);
  bool on_object_end(size_t, Code&) {
    --depth_;
    return true;
  }
  bool on_array_begin(Code& code);
  bool on_array_end(size_t, Code& code);
  bool on_key_part(Text part, size_t, Code&) { return append(part); }
  bool on_key(Text part, size_t, Code& code);
  bool on_string_part(Text part, size_t, Code&) { return append(part); }
  bool on_string(Text part, size_t, Code& code);
  bool on_number_part(Text, Code& code) { return end(code, kBadJson); }
  bool on_int64(int64_t, Text text, Code& code) { return take_number(text, code); }
  bool on_uint64(uint64_t, Text text, Code& code) { return take_number(text, code); }
  bool on_double(double, Text text, Code& code) { return take_number(text, code); }
  bool on_bool(bool, Code& code) { return depth_ == 1 || is_skipped() || end(code, kBadJson); }
  bool on_null(Code& code) { return depth_ == 1 || is_skipped() || put(kNoNumber, code); }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

 private:
  bool is_skipped() const { return key_ == Key::kOther; }
  bool append(Text part) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool end(Code& code, std::string_view reason) {
    reason_ = reason;
    code = json::make_error_code(json::error::syntax);
    return false;
  }
  bool take_number(Text text, Code& code);
  bool put(uint32_t at, Code& code);
  bool refuse(std::string_view reason, Code& code) {
    if (sink_->refuse(number_, reason)) return true;
    is_ended_by_sink_ = true;
    return end(code, {});
  }
  bool refuse(Refusal reason, Code& code) { return refuse(refusal_label(reason), code); }
  bool begin_samples(Code& code);
  bool end_row(Code& code);
  Verdict<Refusal> read_bucket(Sample& sample);
  Verdict<Refusal> find_name();
  bool pass_values();

  std::string_view line_;
  uint64_t number_ = 0;
  HistorySink* sink_ = nullptr;
  int depth_ = 0;
  Key key_ = Key::kNone;
  std::string text_;
  std::string label_;
  std::string_view reason_;
  bool is_ended_by_sink_ = false;
  bool is_refused_ = false;  // all samples of the line are, for their name
  // What the line says of its series.
  std::string name_text_;
  std::vector<std::pair<std::string, std::string>> labels_;
  std::optional<Kind> kind_;
  Batch batch_;  // keeps the canonical name
  std::optional<std::string_view> name_;
  // Where numbers begin in the line.
  std::vector<uint32_t> values_;
  std::vector<uint32_t> times_;
  std::vector<uint32_t> row_;
  std::vector<uint32_t> cells_;
  std::string squares_;  // of the row, with the mark of deviations
  std::string exact_;    // the row as an exact line
  Batch row_batch_;
  CounterSteps counters_;
  bool has_counters_ = false;
};

bool JsonlLine::Handler::on_object_begin(Code& code) {
  ++depth_;
  if (depth_ == 1 || is_skipped() || (depth_ == 2 && key_ == Key::kMetric)) return true;
  return end(code, kBadJson);
}

bool JsonlLine::Handler::on_array_begin(Code& code) {
  ++depth_;
  if (is_skipped()) return true;
  const bool is_list = key_ == Key::kBuckets || key_ == Key::kValues || key_ == Key::kTimestamps;
  if (depth_ == 2 && is_list) return key_ != Key::kBuckets || begin_samples(code);
  const bool is_row = depth_ == 3 && key_ == Key::kBuckets;
  if (is_row) {
    row_.clear();
    cells_.clear();
    squares_.clear();
    return true;
  }
  return (depth_ == 4 && key_ == Key::kBuckets && row_.size() == 6) || end(code, kBadJson);
}

bool JsonlLine::Handler::on_array_end(size_t, Code& code) {
  const bool is_row = depth_ == 3 && key_ == Key::kBuckets;
  --depth_;
  return !is_row || end_row(code);
}

bool JsonlLine::Handler::on_key(Text part, size_t, Code&) {
  append(part);
  if (depth_ == 1) key_ = key_of(text_);
  if (depth_ == 2 && key_ == Key::kMetric) label_ = text_;
  text_.clear();
  return true;
}

bool JsonlLine::Handler::on_string(Text part, size_t, Code& code) {
  append(part);
  const std::string text = std::exchange(text_, {});
  if (is_skipped()) return true;
  if (depth_ == 1 && key_ == Key::kName) {
    name_text_ = text;
    return true;
  }
  if (depth_ == 1 && key_ == Key::kKind) {
    for (const Kind kind : kKinds) {
      if (kind_text(kind) == text) kind_ = kind;
    }
    return kind_.has_value() || end(code, kBadJson);
  }
  if (depth_ == 2 && key_ == Key::kMetric) {
    if (labels_.size() > kTagsMax) return end(code, refusal_label(Refusal::kTagLimit));
    labels_.emplace_back(label_, text);
    return true;
  }
  if (depth_ == 3 && key_ == Key::kBuckets && row_.size() == 3) {
    squares_ = text;
    return put(kNoNumber, code);
  }
  // VictoriaMetrics writes infinities as texts.
  return depth_ == 2 && key_ == Key::kValues ? put(kNoNumber, code) : end(code, kBadJson);
}

bool JsonlLine::Handler::take_number(Text text, Code& code) {
  if (is_skipped() || depth_ == 1) return true;
  const char* const at = text.data();
  if (at < line_.data() || at >= line_.data() + line_.size()) return end(code, kBadJson);
  return put(static_cast<uint32_t>(at - line_.data()), code);
}

bool JsonlLine::Handler::put(uint32_t at, Code& code) {
  if (depth_ == 2 && key_ == Key::kValues) {
    values_.push_back(at);
  } else if (depth_ == 2 && key_ == Key::kTimestamps) {
    times_.push_back(at);
  } else if (depth_ == 3 && key_ == Key::kBuckets && row_.size() < 6) {
    row_.push_back(at);
  } else if (depth_ == 4 && key_ == Key::kBuckets) {
    cells_.push_back(at);
  } else {
    return end(code, kBadJson);
  }
  return true;
}

Verdict<Refusal> JsonlLine::Handler::find_name() {
  if (name_) return kAccepted;
  std::string_view name;
  if (!labels_.empty()) {
    std::vector<LabelView> views;
    views.reserve(labels_.size());
    for (const auto& [label, value] : labels_) views.push_back({label, value});
    if (const auto verdict = read_series_name(views, batch_, name); verdict.is_refused()) return verdict;
  } else if (const auto verdict = spell_name(name_text_, batch_, name); verdict.is_refused()) {
    return verdict;
  }
  name_ = name;
  return kAccepted;
}

// Buckets come after the name and the kind, so that they need not be kept.
bool JsonlLine::Handler::begin_samples(Code& code) {
  if (!kind_ || (name_text_.empty() && labels_.empty())) return end(code, kBadJson);
  const auto verdict = find_name();
  is_refused_ = verdict.is_refused();
  return !is_refused_ || refuse(verdict.reason(), code);
}

// Reads the row of a bucket of many samples as an exact line, which has what a Number lacks.
Verdict<Refusal> JsonlLine::Handler::read_bucket(Sample& sample) {
  if (adds_up(*kind_) || (!cells_.empty() && *kind_ != Kind::kDistribution) || cells_.size() % 2 != 0)
    return Refusal::kFieldCount;
  const auto number = [this](uint32_t at) {
    return at == kNoNumber ? std::string_view("-") : number_at(line_, at);
  };
  const bool has_squares_text = row_[3] == kNoNumber && !squares_.empty();
  if (has_squares_text && squares_.find_first_of(" \t\n\v\f\r") != std::string::npos)
    return Refusal::kBadValue;
  exact_.assign({kExactMark, exact_letter(*kind_), ' ', 'x', ' ', '0'});
  exact_.append(" ").append(number(row_[2])).append(" ");
  exact_.append(has_squares_text ? std::string_view(squares_) : number(row_[3]));
  for (const size_t i : {size_t{4}, size_t{5}, size_t{1}}) exact_.append(" ").append(number(row_[i]));
  for (size_t i = 0; i < cells_.size(); i += 2)
    exact_.append(" ").append(number(cells_[i])).append(":").append(number(cells_[i + 1]));
  row_batch_.clear();
  parse_exact_line(exact_, AddedTags(), row_batch_);
  if (row_batch_.samples.empty()) {
    const auto* const reason = std::ranges::find_if(row_batch_.refused, [](uint64_t n) { return n > 0; });
    return static_cast<Refusal>(reason - row_batch_.refused.begin());
  }
  sample.value = row_batch_.samples.front().value;
  sample.ready = row_batch_.samples.front().ready;
  return kAccepted;
}

bool JsonlLine::Handler::end_row(Code& code) {
  if (is_refused_) return true;
  Sample sample;
  sample.name = *name_;
  sample.kind = *kind_;
  const bool is_whole = row_.size() == 2 || row_.size() == 6;
  int64_t time = 0;
  if (!is_whole) return refuse(Refusal::kFieldCount, code);
  if (row_[0] == kNoNumber || parse_integer(number_at(line_, row_[0]), time).is_refused())
    return refuse(Refusal::kBadTime, code);
  sample.time_s = time > kSecondsMax ? time / 1000 : time;
  const auto read = [&]() -> Verdict<Refusal> {
    if (row_.size() == 6) return read_bucket(sample);
    if (row_[1] == kNoNumber) return Refusal::kNotFinite;
    return parse_number(number_at(line_, row_[1]), sample.value);
  };
  if (const auto verdict = read(); verdict.is_refused()) return refuse(verdict.reason(), code);
  if (sink_->add(sample)) return true;
  is_ended_by_sink_ = true;
  return end(code, {});
}

// Passes on the values with their timestamps, as VictoriaMetrics writes them: those of a cumulative counter
// become increments, unless the line says its kind.
bool JsonlLine::Handler::pass_values() {
  if (values_.empty() && times_.empty()) return true;
  if (values_.size() != times_.size()) return sink_->refuse(number_, kBadJson);
  if (const auto verdict = find_name(); verdict.is_refused())
    return sink_->refuse(number_, refusal_label(verdict.reason()));
  Sample sample;
  sample.name = *name_;
  const std::string_view path = name_->substr(0, name_->find(';'));
  const auto is_le = [](const auto& label) { return label.first == "le"; };
  const bool is_counter =
      !kind_ && is_cumulative(path, std::ranges::any_of(labels_, is_le), FamilyType::kUnknown);
  has_counters_ |= is_counter;
  sample.kind = is_counter ? Kind::kCounter : kind_.value_or(Kind::kGauge);
  for (size_t i = 0; i < values_.size(); ++i) {
    int64_t time_ms = 0;
    std::optional<Number> step;
    const auto read = [&]() -> Verdict<Refusal> {
      if (times_[i] == kNoNumber || parse_integer(number_at(line_, times_[i]), time_ms).is_refused())
        return Refusal::kBadTime;
      if (values_[i] == kNoNumber) return Refusal::kNotFinite;
      if (const auto v = parse_number(number_at(line_, values_[i]), sample.value); v.is_refused()) return v;
      return is_counter ? counters_.count(*name_, time_ms, sample.value, step) : kAccepted;
    };
    if (const auto verdict = read(); verdict.is_refused()) {
      if (!sink_->refuse(number_, refusal_label(verdict.reason()))) return false;
      continue;
    }
    if (is_counter && !step) continue;
    if (step) sample.value = *step;
    sample.time_s = floor_seconds(time_ms);
    if (!sink_->add(sample)) return false;
  }
  return true;
}

void JsonlLine::Handler::begin(std::string_view line, uint64_t number, HistorySink& sink) {
  line_ = line;
  number_ = number;
  sink_ = &sink;
  depth_ = 0;
  key_ = Key::kNone;
  text_.clear();
  reason_ = kBadJson;
  is_ended_by_sink_ = is_refused_ = false;
  name_text_.clear();
  labels_.clear();
  kind_.reset();
  name_.reset();
  batch_.clear();
  values_.clear();
  times_.clear();
}

bool JsonlLine::Handler::finish(bool is_whole) {
  if (is_ended_by_sink_) return false;
  return is_whole ? pass_values() : sink_->refuse(number_, reason_);
}

struct JsonlLine::Parser {
  json::basic_parser<Handler> boost{json::parse_options()};
};

JsonlLine::JsonlLine() : parser_(std::make_unique<Parser>()) {}
JsonlLine::~JsonlLine() = default;

bool JsonlLine::read(std::string_view line, uint64_t number, HistorySink& sink) {
  auto& parser = parser_->boost;
  parser.handler().begin(line, number, sink);
  parser.reset();
  json::error_code code;
  const size_t parsed = parser.write_some(false, line.data(), line.size(), code);
  return parser.handler().finish(!code && parsed == line.size());
}

bool JsonlLine::has_counters() const { return parser_->boost.handler().has_counters(); }

}  // namespace statmill
