// HostNames: what a relay adds to the names of its host's samples: tags, and parts that fan them out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/batch.h"

namespace statmill {

// Immutable.
class HostNames {
 public:
  HostNames() = default;  // adds nothing

  // `tags`: "dc=eu,rack=r1". `carets`: "host.web1^cluster.a", the parts that a name fans out to as those
  // behind the carets of a line do: name.host.web1 and name.cluster.a; with a caret at the end the name
  // itself too. Either may be empty. Errors: kInvalid.
  static Result<HostNames> parse(const std::string& tags, const std::string& carets);

  bool add_nothing() const { return tags_.empty() && parts_.empty(); }
  // How many names a sample is written under.
  size_t count() const { return parts_.empty() ? 1 : parts_.size(); }

  // Puts the names that samples of `name` are written under into `names`; their bytes are kept by `batch`, or
  // are those of `name`. A tag of the name's own goes before ours of the same key. Refused, as a line with
  // such a name would be: kBadTag, kDuplicateTag (its own tags are none), kTagLimit, kNameTooLong.
  std::optional<Refusal> apply(std::string_view name, Batch& batch,
                               std::vector<std::string_view>& names) const;

 private:
  struct Tag {
    std::string key;
    std::string value;
  };
  std::vector<Tag> tags_;
  std::vector<std::string> parts_;  // an empty one stands for the name itself; none: no fan-out
};

}  // namespace statmill
