// Reports: the JSON reports of the server's state that HTTP serves (server/http/API.md).
#pragma once

#include <cstddef>
#include <string>

namespace statmill {

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
  // Counts series by the first `parts` parts of their names. Cost: one pass over all names.
  virtual std::string cardinality(size_t parts) const = 0;
  virtual std::string agents() const = 0;
  // Returns false if the server hangs and a restart would help (/healthz).
  virtual bool makes_progress() const = 0;
};

}  // namespace statmill
