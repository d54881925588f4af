#include <array>
#include <bit>
#include <cmath>

#include "counters/append_number.h"
#include "counters/name_text.h"
#include "statmill/registry.h"

namespace statmill {
namespace {

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\\') {
      out.append("\\\\");
    } else if (c == '\n') {
      out.append("\\n");
    } else if (c == '"' && quotes) {
      out.append("\\\"");
    } else {
      out.push_back(c);
    }
  }
}

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return '0' <= c && c <= '9'; }

// Replaces each byte that a Prometheus name must not contain by an underscore.
void append_name(std::string& out, std::string_view text) {
  if (text.empty() || is_digit(text.front())) out.push_back('_');
  for (const char c : text) out.push_back(is_letter(c) || is_digit(c) ? c : '_');
}

void append_value(std::string& out, double value) {
  if (std::isnan(value)) {
    out.append("NaN");
  } else if (std::isinf(value)) {
    out.append(value > 0 ? "+Inf" : "-Inf");
  } else {
    append_number(out, value);
  }
}

// Appends the tags as labels, followed by the label `key` unless that is empty.
void append_labels(std::string& out, std::string_view tags, std::string_view key = {},
                   std::string_view value = {}) {
  char open = '{';
  const auto append = [&](std::string_view k, std::string_view v) {
    out.push_back(open);
    append_name(out, k);
    out.append("=\"");
    append_escaped(out, v, true);
    out.push_back('"');
    open = ',';
  };
  while (!tags.empty()) {
    tags.remove_prefix(1);  // the ;
    const std::string_view tag = tags.substr(0, tags.find(';'));
    const size_t equals = tag.find('=');
    append(text_of_tag(tag.substr(0, equals)),
           equals == std::string_view::npos ? std::string() : text_of_tag(tag.substr(equals + 1)));
    tags.remove_prefix(tag.size());
  }
  if (!key.empty()) append(key, value);
  if (open == ',') out.push_back('}');
}

// Appends cumulative buckets, one for each power of two that has values. Histograms of any grouping power
// have these bounds in common, so their buckets can be added.
void append_buckets(std::string& out, std::string_view name, std::string_view tags, const Reading& reading) {
  const auto power_of = [&](const Reading::Bucket& bucket) {
    return static_cast<int>(std::bit_width(h2::lower_bound(reading.grouping_power, bucket.index)));
  };
  uint64_t below = 0;
  for (size_t i = 0; i < reading.buckets.size(); ++i) {
    below += reading.buckets[i].count;
    const int power = power_of(reading.buckets[i]);
    if (i + 1 < reading.buckets.size() && power_of(reading.buckets[i + 1]) == power) continue;
    std::string bound;
    append_number(bound, power == 64 ? ~uint64_t{0} : (uint64_t{1} << power) - 1);
    out.append(name).append("_bucket");
    append_labels(out, tags, "le", bound);
    out.push_back(' ');
    append_number(out, below);
    out.push_back('\n');
  }
  out.append(name).append("_bucket");
  append_labels(out, tags, "le", "+Inf");
  out.push_back(' ');
  append_number(out, reading.count);
  out.push_back('\n');
}

void append_histogram(std::string& out, std::string_view name, std::string_view tags,
                      const Reading& reading) {
  append_buckets(out, name, tags, reading);
  for (const auto& [suffix, value] : {std::pair{"_sum", reading.sum}, std::pair{"_count", reading.count}}) {
    out.append(name).append(suffix);
    append_labels(out, tags);
    out.push_back(' ');
    append_number(out, value);
    out.push_back('\n');
  }
}

void append_head(std::string& out, std::string_view name, const Reading& reading) {
  constexpr std::array<std::string_view, 3> kTypes = {" counter\n", " gauge\n", " histogram\n"};
  out.append("# HELP ").append(name).append(" ");
  append_escaped(out, reading.help, false);
  out.append("\n# TYPE ").append(name).append(kTypes[static_cast<size_t>(reading.type)]);
}

}  // namespace

std::string prometheus_text(const std::vector<Reading>& readings) {
  std::string out;
  std::string name;
  std::string_view previous;
  for (const Reading& reading : readings) {
    const std::string_view path = reading.path();
    if (path != previous || name.empty()) {
      name.clear();
      append_name(name, path);
      if (reading.type == Reading::Type::kCounter) name.append("_total");
      append_head(out, name, reading);
      previous = path;
    }
    const std::string_view tags = reading.name.substr(path.size());
    if (reading.type == Reading::Type::kHistogram) {
      append_histogram(out, name, tags, reading);
      continue;
    }
    out.append(name);
    append_labels(out, tags);
    out.push_back(' ');
    if (reading.type == Reading::Type::kCounter) {
      append_number(out, reading.count);
    } else {
      append_value(out, reading.level);
    }
    out.push_back('\n');
  }
  return out;
}

}  // namespace statmill
