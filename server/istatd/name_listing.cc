#include "server/istatd/name_listing.h"

#include <map>
#include <string>
#include <utility>

#include "base/text.h"
#include "server/http/list_writer.h"
#include "server/json.h"
#include "server/names/value_test.h"

namespace statmill::istatd {
namespace {

enum class Type : uint8_t { kGauge = 0, kCounter = 1, kAggregate = 2 };

constexpr std::string_view kTypes = R"({"0":"gauge","1":"counter","2":"aggregate"})";

// RE2 matches in time that is linear in the name, whatever the pattern.
std::string regex_of_pattern(std::string_view pattern) {
  std::string regex;
  bool was_star = false;
  for (const char c : pattern) {
    if (c == '*') {
      if (!was_star) regex += ".*";
    } else if (c == '?') {
      regex += "[^.]*";
    } else {
      if (std::string_view(R"(\+()|[]{}^$.)").find(c) != std::string_view::npos) regex += '\\';
      regex += c;
    }
    was_star = c == '*';
  }
  return regex;
}

Type type_of(const SeriesCatalog& catalog, std::string_view name) {
  const auto kind = catalog.kind(name);
  return kind == Kind::kEvent || kind == Kind::kCounter ? Type::kCounter : Type::kGauge;
}

// The names found so far.
class Names {
 public:
  Names(const ValueTest& test, QueryControl& control) : test_(test), control_(control) {}

  // Adds a name, and what its path begins with. Returns false if that is too much.
  bool add(std::string_view name) {
    if (!put(name, false)) return false;
    const std::string_view path = name.substr(0, name.find(';'));
    // Names come table by table, so most begin as the one before.
    size_t same = 0;
    while (same < path.size() && same < last_.size() && path[same] == last_[same]) ++same;
    for (size_t dot = path.rfind('.'); dot != path.npos && dot > 0; dot = path.rfind('.', dot - 1)) {
      if (dot < same) break;
      if (!put(path.substr(0, dot), true)) return false;
    }
    last_ = path;
    return true;
  }
  const std::map<std::string, bool, std::less<>>& found() const { return found_; }
  const Status& status() const { return status_; }

 private:
  bool put(std::string_view name, bool is_branch) {
    if (!test_.accepts(name)) return true;
    const auto at = found_.find(name);
    if (at != found_.end()) {
      at->second = at->second || is_branch;
      return true;
    }
    constexpr size_t kNodeBytes = 96;  // of the map, about
    status_ = control_.take_memory(kNodeBytes + name.size());
    if (status_ && found_.size() >= control_.limits().selected_max)
      status_ = control_.refuse(QueryLimit::kSelected, found_.size() + 1);
    if (status_) found_.emplace(name, is_branch);
    return static_cast<bool>(status_);
  }

  const ValueTest& test_;
  QueryControl& control_;
  std::map<std::string, bool, std::less<>> found_;  // true: a branch
  std::string last_;
  Status status_;
};

}  // namespace

Status list_names(const SeriesCatalog& catalog, std::string_view pattern, QueryControl& control,
                  BodySink& sink) {
  if (pattern.size() > kListPatternBytesMax)
    return Error{ErrorCode::kInvalid,
                 "a pattern has at most " + std::to_string(kListPatternBytesMax) + " bytes"};
  const auto test = ValueTest::parse({LabelMatcher::Op::kMatches, "a name", regex_of_pattern(pattern)});
  if (!test) return test.error();
  Names names(*test, control);
  Status walked = catalog.each_name([&names](std::string_view name) { return names.add(name); }, control);
  if (!walked) return walked;
  if (!names.status()) return names.status();
  std::string head = "{\"type_mapping\":" + std::string(kTypes) + ",\"pattern\":";
  append_json_string(head, pattern);
  ListWriter list(sink, head + ",\"matching_names\":[");
  for (const auto& [name, is_branch] : names.found()) {
    const Type type = is_branch ? Type::kAggregate : type_of(catalog, name);
    Status s = list.add([&, &text = name](std::string& out) {
      JsonObject one(out);
      one.key("is_leaf") += type == Type::kAggregate ? "false" : "true";
      one.count("type", static_cast<uint64_t>(type));
      one.text("name", text);
    });
    if (!s) return s;
  }
  return list.end("]}\n");
}

}  // namespace statmill::istatd
