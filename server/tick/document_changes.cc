#include "server/tick/document_changes.h"

#include <chrono>
#include <utility>

namespace statmill {

DocumentChanges::Ticket DocumentChanges::put(DocumentRow row) {
  DocumentKey key = row.key;
  return note(std::move(key), std::move(row));
}

DocumentChanges::Ticket DocumentChanges::remove(DocumentKey key) {
  return note(std::move(key), std::nullopt);
}

DocumentChanges::Ticket DocumentChanges::note(DocumentKey key, std::optional<DocumentRow> row) {
  const auto bytes_of = [](const std::optional<DocumentRow>& of) {
    return kBytesPerChange + (of ? of->body.size() : 0);
  };
  MutexLock lock(mutex_);
  const auto [at, is_new] = unsaved_.try_emplace(std::move(key));
  if (!is_new) unsaved_bytes_ -= bytes_of(at->second);
  at->second = std::move(row);
  unsaved_bytes_ += bytes_of(at->second);
  return ++last_;
}

bool DocumentChanges::has_room() const {
  MutexLock lock(mutex_);
  return unsaved_bytes_ < kUnsavedBytesMax;
}

bool DocumentChanges::wait_until_durable(Ticket ticket, Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (durable_ < ticket && !is_stalled_) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) {
      is_stalled_ = true;
      durable_changed_.notify_all();
    } else {
      durable_changed_.wait_for(mutex_, deadline - now);
    }
  }
  return durable_ >= ticket;
}

void DocumentChanges::add_to(StoreBatch& batch) {
  MutexLock lock(mutex_);
  for (auto& [key, row] : unsaved_) {
    if (row) {
      batch.documents.push_back(*std::move(row));
    } else {
      batch.removed_documents.push_back(key);
    }
  }
  unsaved_.clear();
  unsaved_bytes_ = 0;
  in_batch_ = last_;
}

void DocumentChanges::committed() {
  MutexLock lock(mutex_);
  durable_ = in_batch_;
  is_stalled_ = false;
  durable_changed_.notify_all();
}

}  // namespace statmill
