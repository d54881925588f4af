// Laws of the statsd parser for any bytes, shared by the property tests and the fuzz target.
#pragma once

#include <algorithm>
#include <string_view>

#include "proto/statsd/parser.h"
#include "tests/proto/tag_laws.h"

namespace statmill {

inline bool is_sane(const StatsdBatch& b) {
  size_t next = 0;
  for (const StatsdBatch::Gauge& gauge : b.gauges) {
    if (gauge.sample < next || gauge.sample >= b.batch.samples.size()) return false;
    if (b.batch.samples[gauge.sample].kind != Kind::kGauge) return false;
    next = gauge.sample + size_t{1};
  }
  for (const StatsdBatch::SetMember& member : b.members) {
    if (!is_canonical_name(member.name) || member.member.empty()) return false;
    if (member.member.find_first_of("|\n") != std::string_view::npos) return false;
  }
  for (const StatsdBatch::Check& check : b.checks) {
    if (check.sample >= b.batch.samples.size() || b.batch.samples[check.sample].kind != Kind::kGauge)
      return false;
  }
  for (const StatsdEvent& event : b.events) {
    if (event.title.empty() || !is_text(event.title) || !is_text(event.text) || !is_text(event.tags))
      return false;
  }
  return std::all_of(b.batch.samples.begin(), b.batch.samples.end(), is_sane_tagged);
}

inline bool same_batch(const StatsdBatch& a, const StatsdBatch& b) {
  using Gauge = StatsdBatch::Gauge;
  using SetMember = StatsdBatch::SetMember;
  const auto same_gauge = [](const Gauge& x, const Gauge& y) {
    return x.sample == y.sample && x.is_step == y.is_step;
  };
  const auto same_member = [](const SetMember& x, const SetMember& y) {
    return x.name == y.name && x.member == y.member;
  };
  return same_batch(a.batch, b.batch) &&
         std::equal(a.gauges.begin(), a.gauges.end(), b.gauges.begin(), b.gauges.end(), same_gauge) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_member) &&
         a.checks.size() == b.checks.size() && a.events.size() == b.events.size();
}

// Returns the law that the lines of a text break, or an empty text. Reads a copy of exactly its size.
inline std::string_view law_broken_by_statsd(std::string_view text) {
  const ExactCopy bytes(text);
  StatsdBatch whole;
  parse_statsd_lines(bytes.text(), whole);
  if (!account_holds(whole.batch)) return "counts are consistent";
  if (!is_sane(whole)) return "samples are sane";
  if (!is_same_line_by_line(whole, bytes.text(), parse_statsd_line))
    return "each line parses as if it were alone";
  return {};
}

}  // namespace statmill
