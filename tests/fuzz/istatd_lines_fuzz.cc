// Parses any bytes as a datagram: the counts add up, accepted samples are valid, and parsing line by line has
// the same result.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "proto/istatd/exemplar_line.h"
#include "proto/istatd/family_line.h"
#include "proto/istatd/parser.h"
#include "tests/proto/line_laws.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Batch whole;
  parse_istatd_lines(bytes, whole);
  SM_CHECK(account_holds(whole));
  for (const Sample& sample : whole.samples) SM_CHECK(is_sane(sample));
  for (const Batch::Family& family : whole.families) {
    SM_CHECK(check_family(family.text).is_accepted());
    std::string line;
    append_family_line(line, family.text);
    Batch again;
    parse_canonical_lines(line, AddedTags(), again);
    SM_CHECK(again.families.size() == 1 && again.families.front().text == family.text);
  }
  for (const Exemplar& exemplar : whole.exemplars) {
    std::string line;
    append_exemplar_line(line, exemplar);
    SM_CHECK(line.size() <= exemplar.series.size() + kExemplarLineBytesMax);
    Batch again;
    parse_canonical_lines(line, AddedTags(), again);
    SM_CHECK(again.exemplars.size() == 1 && again.exemplars.front().series == exemplar.series);
    SM_CHECK(again.exemplars.front().labels == exemplar.labels);
    SM_CHECK(again.exemplars.front().value == exemplar.value);
  }
  SM_CHECK(is_same_line_by_line(whole, bytes, parse_istatd_line));
  return 0;
}
