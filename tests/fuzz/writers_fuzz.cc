// Writes what was read from any bytes in each format that others read. Samples of every dialect read back as
// they were; JSON, CSV and Prometheus' text hold the text and nothing that a reader could take for something
// else.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/csv_text.h"
#include "base/text.h"
#include "proto/canonical_name.h"
#include "proto/graphite/parser.h"
#include "proto/istatd/writer.h"
#include "proto/statsd/parser.h"
#include "statmill/registry.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/proto/line_laws.h"

namespace statmill {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void check_samples(const Batch& batch) {
  for (Sample sample : batch.samples) {
    if (!sample.time_s) sample.time_s = 1'700'000'000;
    std::string line;
    append_line(line, sample);
    SM_CHECK(line.ends_with('\n') && std::ranges::count_if(line, is_control) == 1);
    Batch again;
    parse_istatd_lines(line, again);
    // An ordinary line may have a bucket that contradicts itself, which the table refuses; an exact line may
    // not.
    const bool contradicts = again.samples.empty() && sample.ready != nullptr &&
                             again.refused[static_cast<size_t>(Refusal::kBadBucket)] == 1;
    SM_CHECK(contradicts || (again.samples.size() == 1 && same_sample(again.samples.front(), sample)));
  }
}

void check_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  SM_CHECK(std::ranges::none_of(out, is_control) || text.find('\x7f') != std::string_view::npos);
  boost::system::error_code error;
  const auto value = boost::json::parse({out.data(), out.size()}, error);
  SM_CHECK(!error && value.is_string());
  std::string_view rest = text;
  while (!rest.empty() && utf8_length(rest) > 0) rest.remove_prefix(utf8_length(rest));
  if (rest.empty()) SM_CHECK(value.as_string() == text);
}

// Reads one field of CSV as RFC 4180 says; what follows it is an error.
std::string csv_field(std::string_view text) {
  if (!text.starts_with('"')) {
    SM_CHECK(text.find_first_of(",\"\r\n") == std::string_view::npos);
    return std::string(text);
  }
  SM_CHECK(text.size() >= 2 && text.ends_with('"'));
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') SM_CHECK(++i < text.size() && text[i] == '"');
    out.push_back(text[i]);
  }
  return out;
}

void check_csv(std::string_view text) {
  std::string out;
  append_csv_text(out, text);
  const std::string field = csv_field(out);
  const bool is_marked = field.size() > text.size();
  SM_CHECK(field == (is_marked ? "'" : "") + std::string(text));
  SM_CHECK(field.empty() || std::string_view("=+-@\t\r").find(field.front()) == std::string_view::npos);
}

// Removes a name of letters, digits and underscores.
void consume_name(std::string_view& line) {
  size_t size = 0;
  while (size < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[size])) != 0 || line[size] == '_'))
    ++size;
  SM_CHECK(size > 0 && std::isdigit(static_cast<unsigned char>(line.front())) == 0);
  line.remove_prefix(size);
}

// Checks that a line is NAME{KEY="VALUE",...} NUMBER.
void check_prometheus_line(std::string_view line) {
  consume_name(line);
  while (line.starts_with('{') || line.starts_with(',')) {
    line.remove_prefix(1);
    consume_name(line);
    SM_CHECK(line.starts_with("=\""));
    line.remove_prefix(2);
    while (!line.starts_with('"')) line.remove_prefix(line.starts_with('\\') ? 2 : 1);
    line.remove_prefix(1);
    if (line.starts_with('}')) {
      line.remove_prefix(1);
      break;
    }
  }
  SM_CHECK(line.starts_with(" 7") || line.starts_with(" 0.0"));  // in base units
}

void check_prometheus(std::string_view text) {
  const auto name = spelled_name(text);
  if (!name) return;
  Reading reading;
  reading.name = *name;
  reading.help = text;
  reading.level = 7;
  const std::string out = prometheus_text({reading});
  SM_CHECK(std::ranges::none_of(*name, is_control));
  for (const std::string_view line : split(out, '\n'))
    if (!line.empty() && !line.starts_with('#')) check_prometheus_line(line);
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const CostBound bound(size);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Batch istatd;
  parse_istatd_lines(bytes, istatd);
  check_samples(istatd);
  Batch graphite;
  parse_graphite_lines(bytes, graphite);
  check_samples(graphite);
  StatsdBatch statsd;
  parse_statsd_lines(bytes, statsd);
  check_samples(statsd.batch);
  check_json(bytes);
  check_csv(bytes);
  check_prometheus(bytes);
  return 0;
}
