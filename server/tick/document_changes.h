// DocumentChanges: the documents that have changed and are not in the store yet. The tick writes them in its
// batch; those who changed them can wait for that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe. A leaf: no lock is acquired while its own is held. A document that changes twice before a tick
// is written once.
class DocumentChanges {
 public:
  // Identifies a change; later changes have higher numbers.
  using Ticket = uint64_t;

  // Requires: key and body are within the limits of a document.
  Ticket put(DocumentRow row);
  Ticket remove(DocumentKey key);
  // Returns false if changes wait that need so much memory that no more should come: the store takes no
  // ticks.
  bool has_room() const;

  // Waits until the change is in the store. Returns false if it is not after `patience`; and, without
  // waiting, if another wait ended so and no tick has succeeded since.
  bool wait_until_durable(Ticket ticket, Duration patience);

  // For the tick; one thread.
  // Moves all changes into the batch. Requires: the batch of the call before is committed.
  void add_to(StoreBatch& batch);
  void committed();

 private:
  static constexpr size_t kUnsavedBytesMax = size_t{64} << 20;
  static constexpr size_t kBytesPerChange = 200;  // of the map's node, about

  Ticket note(DocumentKey key, std::optional<DocumentRow> row);

  mutable Mutex mutex_;
  Condition durable_changed_;
  std::map<DocumentKey, std::optional<DocumentRow>> unsaved_ GUARDED_BY(mutex_);  // nullopt: removed
  size_t unsaved_bytes_ GUARDED_BY(mutex_) = 0;
  Ticket last_ GUARDED_BY(mutex_) = 0;
  Ticket in_batch_ GUARDED_BY(mutex_) = 0;
  Ticket durable_ GUARDED_BY(mutex_) = 0;
  bool is_stalled_ GUARDED_BY(mutex_) = false;  // a wait ended without success since the last tick
};

}  // namespace statmill
