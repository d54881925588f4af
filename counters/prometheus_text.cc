#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <unordered_map>

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

// Prometheus counts in base units. A name that ends in one of these words gets the base unit in its place,
// and its values are divided by a power of ten.
struct UnitEnding {
  std::string_view ending;
  std::string_view base;
  size_t decimals;  // by which the decimal point moves to the left
};
constexpr std::array<UnitEnding, 5> kUnitEndings = {{{"_ns", "_seconds", 9},
                                                     {"_us", "_seconds", 6},
                                                     {"_ms", "_seconds", 3},
                                                     {"_s", "_seconds", 0},
                                                     {"_percent", "_ratio", 2}}};

void remove_ending(std::string& name, std::string_view ending) {
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
}

struct FamilyName {
  std::string text;
  size_t decimals = 0;  // as in UnitEnding
};

FamilyName family_name(std::string_view path, Reading::Type type) {
  FamilyName name;
  append_name(name.text, path);
  if (name.text != "_total") remove_ending(name.text, "_total");  // no name is empty
  for (const auto& [ending, base, decimals] : kUnitEndings) {
    if (!name.text.ends_with(ending)) continue;
    remove_ending(name.text, ending);
    name.text.append(base);
    name.decimals = decimals;
    break;
  }
  if (type == Reading::Type::kCounter) name.text.append("_total");
  return name;
}

// Appends the decimal number `digits` with its point moved to the left, without rounding.
void append_moved(std::string& out, std::string_view digits, size_t decimals) {
  if (const size_t e = digits.find('e'); e != std::string_view::npos) {
    const std::string_view signless = digits.substr(e + (digits[e + 1] == '+' ? 2 : 1));
    int exponent = 0;
    std::from_chars(signless.data(), signless.data() + signless.size(), exponent);
    out.append(digits.substr(0, e + 1));
    return append_number(out, exponent - static_cast<int>(decimals));
  }
  if (digits.starts_with('-')) {
    out.push_back('-');
    digits.remove_prefix(1);
  }
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string moved(digits.substr(0, point));
  if (moved.size() <= decimals) moved.insert(0, decimals + 1 - moved.size(), '0');
  moved.insert(moved.size() - decimals, ".");
  if (point < digits.size()) moved.append(digits.substr(point + 1));
  moved.resize(moved.find_last_not_of('0') + 1);
  remove_ending(moved, ".");
  out.append(moved);
}

// Appends the number divided by 10^decimals. Requires: it is finite.
template <class Number>
void append_divided(std::string& out, Number number, size_t decimals) {
  if (decimals == 0) return append_number(out, number);
  std::string digits;
  append_number(digits, number);
  append_moved(out, digits, decimals);
}

void append_value(std::string& out, double value, size_t decimals) {
  if (std::isnan(value)) {
    out.append("NaN");
  } else if (std::isinf(value)) {
    out.append(value > 0 ? "+Inf" : "-Inf");
  } else {
    append_divided(out, value, decimals);
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
void append_buckets(std::string& out, const FamilyName& name, std::string_view tags, const Reading& reading) {
  const auto power_of = [&](const Reading::Bucket& bucket) {
    return static_cast<int>(std::bit_width(h2::lower_bound(reading.grouping_power, bucket.index)));
  };
  const auto append = [&](std::string_view bound, uint64_t count) {
    out.append(name.text).append("_bucket");
    append_labels(out, tags, "le", bound);
    out.push_back(' ');
    append_number(out, count);
    out.push_back('\n');
  };
  uint64_t below = 0;
  for (size_t i = 0; i < reading.buckets.size(); ++i) {
    below += reading.buckets[i].count;
    const int power = power_of(reading.buckets[i]);
    if (i + 1 < reading.buckets.size() && power_of(reading.buckets[i + 1]) == power) continue;
    std::string bound;
    append_divided(bound, power == 64 ? ~uint64_t{0} : (uint64_t{1} << power) - 1, name.decimals);
    append(bound, below);
  }
  append("+Inf", reading.count);
}

// Appends one sample; `append_its_value()` appends its value.
template <class Append>
void append_sample(std::string& out, std::string_view name, std::string_view tags,
                   const Append& append_its_value) {
  out.append(name);
  append_labels(out, tags);
  out.push_back(' ');
  append_its_value();
  out.push_back('\n');
}

void append_reading(std::string& out, const FamilyName& name, const Reading& reading) {
  const std::string_view tags = reading.name.substr(reading.path().size());
  switch (reading.type) {
    case Reading::Type::kCounter:
      return append_sample(out, name.text, tags, [&] { append_divided(out, reading.count, name.decimals); });
    case Reading::Type::kGauge:
      return append_sample(out, name.text, tags, [&] { append_value(out, reading.level, name.decimals); });
    case Reading::Type::kHistogram:
      append_buckets(out, name, tags, reading);
      append_sample(out, name.text + "_sum", tags, [&] { append_divided(out, reading.sum, name.decimals); });
      append_sample(out, name.text + "_count", tags, [&] { append_number(out, reading.count); });
  }
}

void append_head(std::string& out, std::string_view name, const Reading& reading) {
  constexpr std::array<std::string_view, 3> kTypes = {" counter\n", " gauge\n", " histogram\n"};
  out.append("# HELP ").append(name).append(" ");
  append_escaped(out, reading.help, false);
  out.append("\n# TYPE ").append(name).append(kTypes[static_cast<size_t>(reading.type)]);
}

// The readings of one name and type. Instruments of several paths can be one family, as a.b and a_b.
struct Family {
  Reading::Type type{};
  std::string text;
};

}  // namespace

std::string prometheus_text(const std::vector<Reading>& readings) {
  std::vector<Family> families;  // in the order of their first readings
  std::unordered_map<std::string, size_t> places;
  FamilyName name;
  const Reading* previous = nullptr;  // has this name
  size_t place = 0;
  for (const Reading& reading : readings) {
    if (previous == nullptr || previous->type != reading.type || previous->path() != reading.path()) {
      name = family_name(reading.path(), reading.type);
      previous = &reading;
      place = places.try_emplace(name.text, families.size()).first->second;
      if (place == families.size())
        append_head(families.emplace_back(Family{reading.type, {}}).text, name.text, reading);
    }
    Family& family = families[place];
    if (family.type == reading.type) append_reading(family.text, name, reading);
  }
  std::string out;
  for (const Family& family : families) out.append(family.text);
  return out;
}

}  // namespace statmill
