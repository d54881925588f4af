#include "ingest/refusal_log.h"

#include <algorithm>

#include "proto/name_prefix.h"

namespace statmill {

void RefusalLog::add(const Batch& batch, std::string_view listener, Timestamp now) {
  MutexLock lock(mutex_);
  for (const RefusedLine& line : batch.refused_lines) {
    add_record({now, std::string(listener), line.sender, line.reason,
                std::string(line.text.substr(0, kTextBytesMax)), line.text.size(), line.is_accepted});
  }
  if (!batch.refused_new_names.empty()) count_new_names(batch);
}

void RefusalLog::add_record(RefusalRecord record) {
  LineSender sender = record.sender;
  sender.port = 0;
  const size_t holder = holder_of(sender);
  holders_.at(holder).sender = sender;
  ++holders_.at(holder).count;
  const bool is_full = entries_.size() == kRecordsMax;
  Entry& entry = is_full ? entry_to_replace() : entries_.emplace_back();
  if (is_full) --holders_.at(entry.holder).count;
  entry = {std::move(record), next_number_++, holder};
}

size_t RefusalLog::holder_of(const LineSender& sender) const {
  size_t free = 0;
  for (size_t i = 0; i < holders_.size(); ++i) {
    if (holders_.at(i).count == 0) {
      free = i;
    } else if (holders_.at(i).sender == sender) {
      return i;
    }
  }
  return free;
}

RefusalLog::Entry& RefusalLog::entry_to_replace() {
  size_t most = 0;
  for (const Holder& holder : holders_) most = std::max(most, holder.count);
  Entry* oldest = nullptr;
  for (Entry& entry : entries_) {
    if (holders_.at(entry.holder).count != most) continue;
    if (oldest == nullptr || entry.number < oldest->number) oldest = &entry;
  }
  return *oldest;
}

// Each kept name counts for an equal share of all refused new series.
void RefusalLog::count_new_names(const Batch& batch) {
  const auto refused = [&](Refusal reason) { return batch.refused[static_cast<size_t>(reason)]; };
  const uint64_t all =
      refused(Refusal::kSeriesLimit) + refused(Refusal::kNameLimit) + refused(Refusal::kSenderLimit);
  const uint64_t kept = batch.refused_new_names.size();
  for (uint64_t i = 0; i < kept; ++i) {
    const RefusedLine& name = batch.refused_new_names[i];
    const uint64_t share = all / kept + (i < all % kept ? 1 : 0);
    by_sender_.add(name.sender.name(), share);
    by_prefix_.add(name_prefix(name.text, kPrefixParts), share);
  }
}

std::vector<RefusalRecord> RefusalLog::records() const {
  std::vector<Entry> entries;
  {
    MutexLock lock(mutex_);
    entries = entries_;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.number > b.number; });
  std::vector<RefusalRecord> out;
  out.reserve(entries.size());
  for (Entry& entry : entries) out.push_back(std::move(entry.record));
  return out;
}

HeavyHitters RefusalLog::by_sender() const {
  MutexLock lock(mutex_);
  return by_sender_;
}

HeavyHitters RefusalLog::by_prefix() const {
  MutexLock lock(mutex_);
  return by_prefix_;
}

}  // namespace statmill
