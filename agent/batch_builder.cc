#include "agent/batch_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "counters/sent_histogram.h"

namespace statmill {

BatchBuilder::BatchBuilder(std::string tags, std::vector<std::string> fast)
    : tags_(std::move(tags)), fast_(std::move(fast)) {}
BatchBuilder::~BatchBuilder() = default;

void BatchBuilder::begin(Timestamp now) {
  ++batch_number_;
  batch_ = {};
  batch_.time = now;
}

void BatchBuilder::add_gauge(const HostSeries& series, double value) {
  if (std::isfinite(value)) line("", series.name, value);
}

void BatchBuilder::add_total(const HostSeries& series, uint64_t total) {
  const auto it = totals_.find(series.name);
  if (it == totals_.end()) {
    totals_.emplace(series.name, Total{total, batch_number_});
    return;
  }
  Total& known = it->second;
  const uint64_t before = std::exchange(known.value, total);
  known.batch = batch_number_;
  if (total < before) {
    ++resets_;
  } else if (total > before || !known.is_sent) {
    line("*", series.name, static_cast<double>(total - before));
    known.is_sent = true;
  }
}

void BatchBuilder::add_distribution(const HostSeries& series, const Distribution& total) {
  Reading reading;
  reading.name = series.name;
  reading.type = Reading::Type::kHistogram;
  reading.grouping_power = total.grouping_power;
  reading.sum = total.sum;
  reading.sum_missing_max = total.sum_missing_max;
  for (size_t i = 0; i < total.counts.size(); ++i) {
    if (total.counts[i] != 0) reading.buckets.push_back({static_cast<uint32_t>(i), total.counts[i]});
  }
  const auto [it, is_first] = distributions_.try_emplace(std::string(series.name));
  Sent& sent = it->second;
  if (is_first) sent.histogram = std::make_unique<SentHistogram>();
  sent.batch = batch_number_;
  for (const SentHistogram::Line& line : sent.histogram->lines(reading)) {
    if (!is_first) {
      text().append(line.text);
      ++batch_.lines;
    }
    sent.histogram->sent(line);
  }
}

void BatchBuilder::keep(std::string_view name_prefix) {
  const auto keep_in = [&](auto& entries) {
    for (auto it = entries.lower_bound(name_prefix);
         it != entries.end() && it->first.starts_with(name_prefix); ++it)
      it->second.batch = batch_number_;
  };
  keep_in(totals_);
  keep_in(distributions_);
}

void BatchBuilder::lines(std::string_view lines) {
  text().append(lines);
  batch_.lines += static_cast<uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
}

void BatchBuilder::begin_collector(std::string_view name) {
  is_fast_ = std::find(fast_.begin(), fast_.end(), name) != fast_.end();
}

LineBatch BatchBuilder::finish() {
  const auto was_not_seen = [&](const auto& entry) { return entry.second.batch != batch_number_; };
  std::erase_if(totals_, was_not_seen);
  std::erase_if(distributions_, was_not_seen);
  if (!fast_.empty()) {
    batch_.fast_begin = batch_.text.size();
    batch_.text.append(std::exchange(fast_text_, {}));
  }
  batch_.text.shrink_to_fit();  // it may wait long in the queue
  batch_.tags = tags_;
  return std::exchange(batch_, {});
}

void BatchBuilder::line(std::string_view mark, std::string_view name, double value) {
  std::string& to = text();
  to.append(mark).append(name).append(" ");
  append_number(to, value);
  to.push_back('\n');
  ++batch_.lines;
}

}  // namespace statmill
