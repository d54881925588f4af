// ViewSet: views of the page that somebody shared, by the hash of their content.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "server/documents/document_options.h"
#include "server/tick/document_changes.h"
#include "statmill/registry.h"

namespace statmill {

inline constexpr size_t kViewBytesMax = size_t{64} << 10;

// Returns the name of a view: 16 letters and digits, of the SHA-256 of its content.
std::string view_name(std::string_view content);

// Thread-safe. When it is full, the views go that nobody has read for longest; posting a view reads it.
// Lock order: its lock, then that of the changes.
class ViewSet {
 public:
  // Both must outlive it.
  ViewSet(const ViewLimits& limits, DocumentChanges& changes, Registry& registry);

  // For the server's start: puts in a view of the store.
  void restore(const DocumentRow& row);

  struct Kept {
    std::string name;
    DocumentChanges::Ticket ticket = 0;
  };
  // Errors: kInvalid (it is not a JSON object of at most kViewBytesMax), kUnavailable (the store takes no
  // ticks).
  Result<Kept> keep(std::string_view content, Timestamp now);
  // Returns the content as it was posted; nullopt if there is no such view. When it was read is stored, to
  // the day.
  std::optional<std::string> read(std::string_view name, Timestamp now);

  size_t size() const;
  size_t bytes() const;

 private:
  struct View {
    std::string content;
    Timestamp read{};
    Timestamp stored_read{};
    DocumentChanges::Ticket ticket = 0;  // of its first row; 0: it came from the store
  };
  using Views = std::map<std::string, View, std::less<>>;

  void insert(const std::string& name, View view) REQUIRES(mutex_);
  void touch(Views::iterator at, Timestamp now) REQUIRES(mutex_);
  void shrink() REQUIRES(mutex_);

  const ViewLimits limits_;
  DocumentChanges& changes_;
  mutable Mutex mutex_;
  Views views_ GUARDED_BY(mutex_);
  std::set<std::pair<Timestamp, std::string>> by_read_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  Counter& dropped_;
};

}  // namespace statmill
