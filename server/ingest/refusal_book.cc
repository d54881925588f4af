// See refusal_book.h.
#include "server/ingest/refusal_book.h"

#include <algorithm>

#include "server/table/name_prefix.h"

namespace statmill {

void RefusalBook::add(const Batch& batch, std::string_view listener, Timestamp now) {
  MutexLock lock(mutex_);
  for (const RefusedLine& line : batch.refused_lines) {
    RefusalRecord record{now,
                         std::string(listener),
                         line.sender,
                         line.reason,
                         std::string(line.text.substr(0, kTextBytesMax)),
                         line.text.size()};
    if (records_.size() < kRecordsMax) {
      records_.push_back(std::move(record));
    } else {
      records_[next_] = std::move(record);
      next_ = (next_ + 1) % kRecordsMax;
    }
  }
  if (!batch.refused_new_names.empty()) count_new_names(batch);
}

// Each of the names kept stands for its share of all.
void RefusalBook::count_new_names(const Batch& batch) {
  const uint64_t all = batch.refused[static_cast<size_t>(Refusal::kSeriesLimit)] +
                       batch.refused[static_cast<size_t>(Refusal::kSenderLimit)];
  const uint64_t kept = batch.refused_new_names.size();
  for (uint64_t i = 0; i < kept; ++i) {
    const RefusedLine& name = batch.refused_new_names[i];
    const uint64_t share = all / kept + (i < all % kept ? 1 : 0);
    by_sender_.add(name.sender.name(), share);
    by_prefix_.add(name_prefix(name.text, kPrefixParts), share);
  }
}

std::vector<RefusalRecord> RefusalBook::records() const {
  MutexLock lock(mutex_);
  std::vector<RefusalRecord> out(records_);
  std::rotate(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(next_), out.end());
  std::reverse(out.begin(), out.end());
  return out;
}

HeavyHitters RefusalBook::by_sender() const {
  MutexLock lock(mutex_);
  return by_sender_;
}

HeavyHitters RefusalBook::by_prefix() const {
  MutexLock lock(mutex_);
  return by_prefix_;
}

}  // namespace statmill
