// Reports: the JSON reports of the server's state that HTTP serves (server/http/API.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/glob.h"

namespace statmill {

// A port that the server listens on.
struct ListenerAddress {
  std::string name;     // of its setting: "line", "http"
  std::string address;  // "127.0.0.1:8111"
};

// Thread-safe. Every text is one JSON object.
class Reports {
 public:
  virtual ~Reports() = default;
  // What the client may do, as the report tells it.
  struct Reader {
    bool may_write = false;
    bool may_administer = false;
  };
  virtual std::string status(const Reader& reader) const = 0;
  virtual std::string rejects() const = 0;
  // Returns the newest refused lines that contain all of these texts, in lower case, in either case; at most
  // `limit`. Texts and senders are visible ASCII.
  struct Refused {
    std::string reason;
    std::string sender;
    std::string line;
  };
  virtual std::vector<Refused> refused_with(const std::vector<std::string>& words, size_t limit) const = 0;
  // Counts series by the first `parts` parts of their names. Cost: one pass over all names.
  virtual std::string cardinality(size_t parts) const = 0;
  // Only agents of hosts that match, and that are connected or were seen at this time or later.
  struct AgentFilter {
    std::optional<Glob> host = {};
    std::optional<Timestamp> since = {};
  };
  virtual std::string agents(const AgentFilter& filter) const = 0;
  // Returns how long a series with this name, in its canonical spelling, is kept.
  virtual std::string retention(const std::string& name) const = 0;
  // Cost: as that of hosts_json() (hosts_report.h).
  virtual std::string hosts() const = 0;
  // Returns false if the server hangs and a restart would help (/healthz).
  virtual bool makes_progress() const = 0;
};

}  // namespace statmill
