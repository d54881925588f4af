#include "counters/report_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "counters/append_number.h"
#include "counters/name_text.h"

namespace statmill {
namespace {

// Appends a help text as a line can have it: its first 1 KiB, with blanks in place of control bytes.
void append_line_text(std::string& out, std::string_view text) {
  constexpr size_t kBytesMax = 1024;
  constexpr auto is_inside_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  size_t size = std::min(text.size(), kBytesMax);
  while (size > 0 && size < text.size() && is_inside_character(text[size])) --size;
  for (const char c : text.substr(0, size))
    out.push_back(static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c);
}

}  // namespace

std::string_view ReportLines::make(const std::vector<Reading>& readings) {
  text_.clear();
  marks_.clear();
  ++reports_;
  for (const Reading& reading : readings) add_family(reading);
  for (const Reading& reading : readings) {
    if (is_plain_in_lines(reading.name)) {
      add(reading);
    } else {
      const std::string name = name_in_lines(reading.name);
      Reading spelled = reading;
      spelled.name = name;
      add(spelled);
    }
    if (reading.exemplar) add_exemplar(reading);
  }
  return text_;
}

void ReportLines::resend_families_hourly(std::chrono::nanoseconds now) {
  if (families_begun_ && now - *families_begun_ < std::chrono::hours(1)) return;
  families_begun_ = now;
  resend_families();
}

void ReportLines::add_family(const Reading& reading) {
  if (reading.help.empty() && reading.unit.empty()) return;
  if (reading.type == Reading::Type::kGauge && !std::isfinite(reading.level)) return;  // it has no series yet
  constexpr std::array<char, 3> kLetters = {'e', 'g', 'd'};                            // by Reading::Type
  const bool is_plain = is_plain_in_lines(reading.name);
  const std::string spelled = is_plain ? std::string() : name_in_lines(reading.name);
  std::string family(1, kLetters[static_cast<size_t>(reading.type)]);
  family.append(" ").append(is_plain ? reading.path()
                                     : std::string_view(spelled).substr(0, spelled.find(';')));
  auto& [text, state] = *families_.try_emplace(std::move(family)).first;
  if (state.is_sent || std::exchange(state.report, reports_) == reports_) return;
  text_.append("$m ").append(text).append(" ");
  text_.append(reading.unit.empty() ? "-" : reading.unit).append(" ");
  append_line_text(text_, reading.help);
  text_.push_back('\n');
  marks_.push_back({.end = text_.size(), .is_family_sent = &state.is_sent});
}

void ReportLines::add(const Reading& reading) {
  switch (reading.type) {
    case Reading::Type::kCounter:
      return add_counter(reading);
    case Reading::Type::kGauge:
      return add_gauge(reading);
    case Reading::Type::kHistogram:
      return add_histogram(reading);
  }
}

std::string ReportLines::key_of(const Reading& reading) {
  std::string key(reading.name);
  if (reading.instance != 0) {
    key.push_back('\0');
    append_number(key, reading.instance);
  }
  return key;
}

void ReportLines::add_name(std::string_view mark, const Reading& reading) {
  text_.append(mark).append(reading.name).append(" ");
}

void ReportLines::add_counter(const Reading& reading) {
  std::optional<uint64_t>& last_sent = last_sent_[key_of(reading)];
  // If the count has decreased, the counter was recreated.
  const uint64_t before = last_sent.value_or(0);
  const uint64_t added = reading.count - (reading.count < before ? 0 : before);
  if (added == 0 && last_sent) return;  // the server counts a silent slot of an event series as 0
  add_name("*", reading);
  append_number(text_, added);
  text_.push_back('\n');
  marks_.push_back({.end = text_.size(), .last_sent = &last_sent, .count = reading.count});
}

void ReportLines::add_gauge(const Reading& reading) {
  if (!std::isfinite(reading.level)) return;
  add_name("", reading);
  append_number(text_, reading.level);
  text_.push_back('\n');
  marks_.push_back({.end = text_.size()});
}

void ReportLines::add_histogram(const Reading& reading) {
  SentHistogram& histogram = histograms_[key_of(reading)];
  for (SentHistogram::Line& line : histogram.lines(reading)) {
    text_.append(line.text);
    marks_.push_back({.end = text_.size(), .histogram = &histogram, .line = std::move(line)});
  }
}

// Whatever a program gives as labels, they are on one line.
void ReportLines::add_exemplar(const Reading& reading) {
  constexpr auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  const std::string_view name = reading.name;
  if (std::any_of(name.begin(), name.end(), is_blank)) return;  // an exact line cannot have it
  const RecordedExemplar& exemplar = *reading.exemplar;
  const SentExemplar as_sent{exemplar.value, exemplar.time_ms};
  SentExemplar& last = exemplars_[key_of(reading)];
  if (last == as_sent) return;
  text_.append("$x ").append(name).append(" ");
  append_number(text_, static_cast<uint64_t>(exemplar.time_ms));
  text_.append(" ");
  append_number(text_, exemplar.value);
  text_.append(" ");
  for (const char c : exemplar.labels) text_.push_back(is_blank(c) ? ' ' : c);
  text_.push_back('\n');
  marks_.push_back({.end = text_.size(), .exemplar = &last, .as_sent = as_sent});
}

size_t ReportLines::end_of_lines(size_t begin, size_t bytes_max) const {
  const auto by_end = [](size_t at, const Mark& mark) { return at < mark.end; };
  const auto first = std::upper_bound(marks_.begin(), marks_.end(), begin, by_end);
  if (first == marks_.end()) return begin;
  const auto beyond = std::upper_bound(first, marks_.end(), begin + bytes_max, by_end);
  return beyond == first ? first->end : std::prev(beyond)->end;
}

size_t ReportLines::sent(size_t end) {
  size_t lines = 0;
  for (const Mark& mark : marks_) {
    if (mark.end > end) break;
    if (mark.is_family_sent != nullptr) *mark.is_family_sent = true;
    if (mark.last_sent != nullptr) *mark.last_sent = mark.count;
    if (mark.histogram != nullptr) mark.histogram->sent(mark.line);
    if (mark.exemplar != nullptr) *mark.exemplar = mark.as_sent;
    ++lines;
  }
  return lines;
}

}  // namespace statmill
