#include "server/documents/view_set.h"

#include <openssl/sha.h>

#include <array>

#include "server/documents/json_fields.h"

namespace statmill {
namespace {

constexpr size_t kNameBytes = 16;
constexpr size_t kBytesPerView = 400;  // of its nodes, about
constexpr Duration kReadResolution = std::chrono::hours(24);

DocumentKey key_of(std::string_view name) { return {DocumentKind::kView, std::string(name)}; }

}  // namespace

std::string view_name(std::string_view content) {
  constexpr std::string_view kLetters = "abcdefghijkmnopqrstuvwxyz2345678";  // no l, 0, 1, 9
  static_assert(kLetters.size() >= 32);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(content.data()), content.size(), hash.data());
  std::string name;
  for (size_t i = 0; i < kNameBytes; ++i) name += kLetters[hash[i] & 31];
  return name;
}

ViewSet::ViewSet(const ViewLimits& limits, DocumentChanges& changes, Registry& registry)
    : limits_(limits),
      changes_(changes),
      dropped_(
          registry.counter("statmill.views_dropped", "Shared views that went because newer ones came.")) {
  registry.gauge_fn("statmill.views", "Shared views that are kept.", {},
                    [this] { return static_cast<double>(size()); });
  registry.gauge_fn("statmill.view_bytes", "RAM used by shared views.", {},
                    [this] { return static_cast<double>(bytes()); });
}

void ViewSet::restore(const DocumentRow& row) {
  MutexLock lock(mutex_);
  insert(row.key.id, {row.body, row.time, row.time, 0});
  shrink();
}

Result<ViewSet::Kept> ViewSet::keep(std::string_view content, Timestamp now) {
  if (content.size() > kViewBytesMax)
    return Error{ErrorCode::kInvalid, "a view has at most " + std::to_string(kViewBytesMax) + " bytes"};
  if (const auto object = parse_json_object(content); !object) return object.error();
  if (!changes_.has_room())
    return Error{ErrorCode::kUnavailable, "the store takes no ticks; the view is not kept"};
  const std::string name = view_name(content);
  MutexLock lock(mutex_);
  const auto at = views_.find(name);
  if (at != views_.end()) {
    touch(at, now);
    return Kept{name, at->second.ticket};
  }
  const DocumentChanges::Ticket ticket = changes_.put({key_of(name), now, std::string(content)});
  insert(name, {std::string(content), now, now, ticket});
  shrink();
  return Kept{name, ticket};
}

std::optional<std::string> ViewSet::read(std::string_view name, Timestamp now) {
  MutexLock lock(mutex_);
  const auto at = views_.find(name);
  if (at == views_.end()) return std::nullopt;
  touch(at, now);
  return at->second.content;
}

void ViewSet::touch(Views::iterator at, Timestamp now) {
  auto& [name, view] = *at;
  if (now <= view.read) return;
  by_read_.erase({view.read, name});
  by_read_.insert({now, name});
  view.read = now;
  if (now - view.stored_read < kReadResolution || !changes_.has_room()) return;
  view.stored_read = now;
  changes_.put({key_of(name), now, view.content});
}

void ViewSet::insert(const std::string& name, View view) {
  bytes_ += kBytesPerView + view.content.size();
  by_read_.insert({view.read, name});
  views_.insert_or_assign(name, std::move(view));
}

// The view that was read last always stays.
void ViewSet::shrink() {
  while ((views_.size() > limits_.views_max || bytes_ > limits_.bytes_max) && views_.size() > 1) {
    const std::string name = by_read_.begin()->second;
    by_read_.erase(by_read_.begin());
    const auto at = views_.find(name);
    bytes_ -= kBytesPerView + at->second.content.size();
    views_.erase(at);
    changes_.remove(key_of(name));
    dropped_.add();
  }
}

size_t ViewSet::size() const {
  MutexLock lock(mutex_);
  return views_.size();
}

size_t ViewSet::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace statmill
