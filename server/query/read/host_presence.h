// HostPresence: the slots in which the agents of hosts were at work (proto/host_presence.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/result.h"
#include "base/text_map.h"
#include "server/query/query_control.h"
#include "server/query/read/piece_source.h"
#include "server/query/read/slot_span.h"
#include "server/query/series_selector.h"
#include "storage/expiry.h"
#include "storage/live_retention.h"

namespace statmill {

// For one query. Confined to one thread.
class HostPresence {
 public:
  struct Sources {
    const SeriesSelector& selector;
    PieceSource& pieces;
    const LiveRetention& retention;
    const Expiry& expiry;
  };
  // The sources and the control must outlive it.
  HostPresence(const Sources& sources, QueryControl& control, Timestamp now)
      : sources_(sources), control_(control), now_(now) {}

  // What is known of one host in a span.
  struct Host {
    // For each slot of the span, in how many slots of the finest tier the agent was at work. Empty: the host
    // has no presence series, so nothing is known about it.
    std::vector<uint32_t> slots;
    bool is_there_now = false;  // in the slot that is under way, or in the one before

    bool is_known() const { return !slots.empty(); }
  };

  // Reads what of() returns for these hosts. Errors: those of a query. Keeps at most kSlotsMax slots of
  // hosts, those of the newest call in any case, and only those of one span. Cost: one search for names per
  // host, or one for all hosts from the first call on that has many new ones; and the chunks of their
  // presence series.
  Status load(std::span<const std::string_view> hosts, SlotSpan span);
  // Requires: the last load() of this span had the host.
  const Host& of(std::string_view host) const;

 private:
  static constexpr size_t kSlotsMax = size_t{2} << 20;
  static constexpr size_t kSearchedAlone = 4;  // hosts; the names of more are searched for together

  Result<std::vector<SeriesRef>> find(std::string_view host);
  Status find_all();
  Status read(std::span<const SeriesRef> series, std::span<Host* const> hosts, SlotSpan span);

  const Sources sources_;
  QueryControl& control_;
  const Timestamp now_;
  SlotSpan span_;
  std::map<std::string, Host, std::less<>> hosts_;
  // The presence series of all hosts; nullopt until they are needed together.
  std::optional<TextMap<std::vector<SeriesRef>>> all_;
};

}  // namespace statmill
