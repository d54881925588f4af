// HostNames: what a relay adds to the names of its host's samples: tags, and parts that fan a name
// out to several.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/verdict.h"
#include "proto/batch.h"

namespace statmill {

// Immutable.
class HostNames {
 public:
  HostNames() = default;  // adds nothing

  // `tags` has the form "dc=eu,rack=r1". `carets` has the form "host.web1^cluster.a" and fans a name out like
  // the carets of a line: to name.host.web1 and name.cluster.a, and with a caret at the end to the name
  // itself, too. Either may be empty. Errors: kInvalid.
  static Result<HostNames> parse(const std::string& tags, const std::string& carets);

  bool add_nothing() const { return tags_.empty() && parts_.empty(); }
  // How many names each sample is written under.
  size_t count() const { return parts_.empty() ? 1 : parts_.size(); }

  // Fills `names` with the names that samples of `name` are written under. The bytes belong to `batch` or to
  // `name`. If a tag of `name` has the same key as one of ours, the tag of `name` wins. Refuses names
  // that a line must not have: kBadTag, kDuplicateTag (not for tags of `name` against ours),
  // kTagLimit, kNameTooLong.
  Verdict<Refusal> apply(std::string_view name, Batch& batch, std::vector<std::string_view>& names) const;

 private:
  struct Tag {
    std::string key;
    std::string value;
  };
  std::vector<Tag> tags_;
  std::vector<std::string> parts_;  // an empty part means the name itself; no parts: no fan-out
};

}  // namespace statmill
