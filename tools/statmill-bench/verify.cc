#include "tools/statmill-bench/verify.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <span>

#include "base/text.h"

namespace statmill {
namespace {

constexpr int64_t kStepMin = 10;

// Returns a step that divides the whole range into a few slots.
std::string step_of(const SentTotals& sent) {
  return std::to_string(std::max(kStepMin, (sent.until_s - sent.from_s) / kStepMin * kStepMin));
}

Result<std::map<std::string, SeriesTotal>> query_totals(const ServerProcess& server, const SentTotals& sent,
                                                        std::span<const size_t> picked) {
  UrlParameters parameters = {{"from", std::to_string(sent.from_s)},
                              {"until", std::to_string(sent.until_s)},
                              {"step", step_of(sent)},
                              {"stats", "count,sum"}};
  for (const size_t i : picked) parameters.emplace_back("series", sent.name(i));
  const Result<std::string> body = server.get("/api/v1/query", parameters);
  if (!body) return body.error();
  const Result<QueryResult> result = parse_query_result(*body, {"count", "sum"});
  if (!result) return result.error();
  std::map<std::string, SeriesTotal> out;
  for (const SeriesColumns& columns : result->series) out[columns.name] = total_of(columns);
  return out;
}

}  // namespace

std::optional<std::string> mismatch(const SeriesTotal& sent, const SeriesTotal& stored, bool is_lossy) {
  constexpr double kRounding = 1e-12;
  if (stored.count > sent.count || (!is_lossy && stored.count < sent.count)) {
    return std::to_string(stored.count) + " samples stored of " + std::to_string(sent.count) + " sent";
  }
  if (is_lossy || std::abs(stored.sum - sent.sum) <= kRounding * std::abs(sent.sum)) return std::nullopt;
  std::string out = "samples stored add up to ";
  append_number(out, stored.sum);
  append_number(out.append(", those sent to "), sent.sum);
  return out;
}

SeriesTotal total_of(const SeriesColumns& columns) {
  SeriesTotal out;
  for (const auto& [stat, values] : columns.columns) {
    for (const std::optional<double>& value : values) {
      if (stat == "count") out.count += static_cast<uint64_t>(value.value_or(0));
      if (stat == "sum") out.sum += value.value_or(0);
    }
  }
  return out;
}

std::vector<size_t> pick_series(size_t series, size_t count, uint32_t seed) {
  std::vector<size_t> all(series);
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<size_t> out;
  std::minstd_rand random(seed);
  std::sample(all.begin(), all.end(), std::back_inserter(out), count, random);
  return out;
}

Result<size_t> verify_stored(const ServerProcess& server, const SentTotals& sent, bool is_lossy) {
  constexpr size_t kAllSeriesMax = 10'000;
  constexpr size_t kPicked = 3000;
  constexpr uint32_t kSeed = 4;
  constexpr size_t kNamesBytesMax = 2048;  // of a URL
  const size_t series = sent.hundredths.size();
  const std::vector<size_t> picked = pick_series(series, series <= kAllSeriesMax ? series : kPicked, kSeed);
  for (size_t begin = 0; begin < picked.size();) {
    size_t end = begin;
    for (size_t bytes = 0; end < picked.size() && bytes < kNamesBytesMax; ++end)
      bytes += sent.name(picked[end]).size();
    const auto part = std::span(picked).subspan(begin, end - begin);
    begin = end;
    const auto stored = query_totals(server, sent, part);
    if (!stored) return stored.error();
    for (const size_t i : part) {
      const auto found = stored->find(sent.name(i));
      const SeriesTotal total = found == stored->end() ? SeriesTotal{} : found->second;
      const SeriesTotal wanted{sent.count, static_cast<double>(sent.hundredths[i]) / 100};
      if (const auto wrong = mismatch(wanted, total, is_lossy))
        return Error{ErrorCode::kCorrupt, sent.name(i) + ": " + *wrong};
    }
  }
  return picked.size();
}

}  // namespace statmill
