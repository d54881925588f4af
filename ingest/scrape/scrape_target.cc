#include "ingest/scrape/scrape_target.h"

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <set>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "proto/batch.h"
#include "proto/prometheus/series_name.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr Duration kSlot = std::chrono::seconds(10);

bool is_word(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// Returns whether a host name or an address has only bytes that cannot change a request.
bool is_host(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == ':'; });
}

// Appends the text with all bytes encoded that are neither unreserved nor among `allowed`.
void append_encoded(std::string& out, std::string_view text, std::string_view allowed = {}) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_word(c) || allowed.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<uint8_t>(c);
    out.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
}

Error wrong(const std::string& where, std::string_view why) {
  return {ErrorCode::kInvalid, where + ": " + std::string(why)};
}

// The host and port of "web1:9100", "[::1]:9100" or "web1".
Status read_address(std::string_view text, ScrapeTarget& target) {
  const std::string_view after_address = text.substr(text.find(']') + 1);  // all, if there is no bracket
  const bool has_port = after_address.find(':') != std::string_view::npos;
  const auto endpoint =
      parse_endpoint(has_port ? std::string(text) : std::string(text) + (target.uses_tls ? ":443" : ":80"));
  if (!endpoint || endpoint->host.empty() || !is_host(endpoint->host))
    return Error{ErrorCode::kInvalid, "is not of the form HOST:PORT"};
  if (endpoint->port == 0) return Error{ErrorCode::kInvalid, "has no port from 1 to 65535"};
  target.host = endpoint->host;
  target.port = std::to_string(endpoint->port);
  return Status::ok();
}

Status read_time(std::string_view text, Duration& out) {
  const auto time = parse_duration(text);
  if (!time) return time.error();
  if (*time < Duration(100) || *time > std::chrono::hours(1))
    return Error{ErrorCode::kInvalid, "\"" + std::string(text) + "\" is not from 100ms to 1h"};
  out = *time;
  return Status::ok();
}

Status read_glob(std::string_view text, std::optional<Glob>& out) {
  auto glob = Glob::parse(text);
  if (!glob) return glob.error();
  out = *std::move(glob);
  return Status::ok();
}

// The settings and labels that all targets of a group share.
class Group {
 public:
  Group(const ScrapeOptions& options, std::string_view job) {
    common_.interval = options.interval;
    common_.timeout = options.timeout;
    labels_.emplace_back("job", job);
  }

  Status set_label(std::string_view name, std::string_view value) {
    if (name == "__scheme__") {
      if (value != "http" && value != "https") return Error{ErrorCode::kInvalid, "is neither http nor https"};
      common_.uses_tls = value == "https";
    } else if (name == "__metrics_path__") {
      path_ = value;
    } else if (name.starts_with("__param_")) {
      parameters_.emplace_back(name.substr(std::string_view("__param_").size()), value);
    } else if (name == "__scrape_interval__") {
      return read_time(value, common_.interval);
    } else if (name == "__scrape_timeout__") {
      return read_time(value, common_.timeout);
    } else if (name == "__keep__") {
      return read_glob(value, common_.keep);
    } else if (name == "__drop__") {
      return read_glob(value, common_.drop);
    } else if (!name.starts_with("__")) {
      if (name == "job") labels_.front().second = value;
      if (name != "job") labels_.emplace_back(name, value);
    }
    return Status::ok();
  }

  Result<ScrapeTarget> target(std::string_view address) const {
    ScrapeTarget out = common_;
    if (Status read = read_address(address, out); !read) return read.error();
    out.timeout = std::min(out.timeout, out.interval);
    out.path = path();
    out.labels = labels_;
    const auto is_instance = [](const LabelPair& label) { return label.first == "instance"; };
    if (std::none_of(out.labels.begin(), out.labels.end(), is_instance))
      out.labels.emplace_back("instance", out.address());
    std::sort(out.labels.begin(), out.labels.end());
    if (Status valid = check_labels(out); !valid) return valid.error();
    return out;
  }

 private:
  std::string path() const {
    std::string out(path_.starts_with('/') ? "" : "/");
    append_encoded(out, path_, "/%:@!$&'()*+,;=");  // bytes that are encoded already stay as they are
    char separator = '?';
    for (const auto& [name, value] : parameters_) {
      append_encoded(out += separator, name);
      append_encoded(out += '=', value);
      separator = '&';
    }
    return out;
  }
  // A name like any other shows whether series can have the labels.
  static Status check_labels(const ScrapeTarget& target) {
    std::vector<LabelView> labels = {{kNameLabel, "up"}};
    for (const auto& [name, value] : target.labels) labels.push_back({name, value});
    Batch batch;
    std::string_view name;
    const auto verdict = read_series_name(labels, batch, name);
    if (verdict.is_accepted()) return Status::ok();
    return Error{ErrorCode::kInvalid,
                 "has labels that no series can have: " + std::string(refusal_label(verdict.reason()))};
  }

  ScrapeTarget common_;
  LabelPairs labels_;  // job first
  std::string path_ = "/metrics";
  LabelPairs parameters_;
};

Status read_group(const json::value& value, const std::string& where, Group group,
                  const std::function<Status(ScrapeTarget)>& add) {
  const json::object* const object = value.if_object();
  if (object == nullptr) return wrong(where, "is no object with \"targets\"");
  const json::value* const targets = object->if_contains("targets");
  if (targets == nullptr || !targets->is_array()) return wrong(where, "\"targets\" is no list of texts");
  if (const json::value* const labels = object->if_contains("labels")) {
    if (!labels->is_object()) return wrong(where, "\"labels\" is no object");
    for (const auto& [name, text] : labels->get_object()) {
      if (!text.is_string()) return wrong(where, "label " + std::string(name) + " is no text");
      if (Status set = group.set_label(name, text.get_string()); !set)
        return wrong(where, "label " + std::string(name) + ": " + set.error().message);
    }
  }
  for (const json::value& address : targets->get_array()) {
    if (!address.is_string()) return wrong(where, "\"targets\" is no list of texts");
    auto target = group.target(address.get_string());
    if (!target)
      return wrong(where, "target \"" + visible_text(address.get_string()) + "\" " + target.error().message);
    if (Status added = add(*std::move(target)); !added) return added;
  }
  return Status::ok();
}

}  // namespace

std::string ScrapeTarget::address() const {
  return host.find(':') == std::string::npos ? host + ":" + port : "[" + host + "]:" + port;
}

std::string ScrapeTarget::url() const { return (uses_tls ? "https://" : "http://") + address() + path; }

std::string ScrapeTarget::key() const {
  std::string out = url();
  for (const auto& [name, value] : labels) out.append(1, '\n').append(name).append(1, '\0').append(value);
  return out;
}

bool ScrapeTarget::operator==(const ScrapeTarget& other) const {
  const auto text = [](const std::optional<Glob>& glob) { return glob ? glob->text() : std::string(); };
  return key() == other.key() && interval == other.interval && timeout == other.timeout &&
         text(keep) == text(other.keep) && text(drop) == text(other.drop);
}

std::string_view ScrapeTarget::label(std::string_view name) const {
  for (const LabelPair& label : labels) {
    if (label.first == name) return label.second;
  }
  return {};
}

Result<std::vector<ScrapeTarget>> parse_targets(std::string_view text, const ScrapeOptions& options,
                                                std::string_view job) {
  boost::system::error_code error;
  const json::value root = json::parse(text, error);
  if (error) return Error{ErrorCode::kInvalid, "is not JSON: " + error.message()};
  if (!root.is_array()) return Error{ErrorCode::kInvalid, "is no list of groups"};
  std::vector<ScrapeTarget> out;
  std::set<std::string> keys;
  const auto add = [&](ScrapeTarget target) -> Status {
    if (!keys.insert(target.key()).second) return Status::ok();
    if (out.size() == kScrapeTargetsMax)
      return Error{ErrorCode::kLimit, "has more than " + std::to_string(kScrapeTargetsMax) + " targets"};
    out.push_back(std::move(target));
    return Status::ok();
  };
  size_t number = 0;
  for (const json::value& group : root.get_array()) {
    if (Status read = read_group(group, "group " + std::to_string(++number), Group(options, job), add); !read)
      return read.error();
  }
  return out;
}

Duration until_scrape(const ScrapeTarget& target, Timestamp now) {
  const uint64_t hash = hash_name(target.key());
  const auto interval = static_cast<uint64_t>(target.interval.count());
  const auto slot = static_cast<uint64_t>(kSlot.count());
  // From 20 to 80 % of a slot, or of the interval; then one of the slots of a longer interval.
  uint64_t phase = interval / 5 + hash % (interval * 3 / 5);
  if (interval % slot == 0) {
    const uint64_t width = slot * 3 / 5;
    phase = slot / 5 + hash % width + hash / width % (interval / slot) * slot;
  }
  const auto since = static_cast<uint64_t>(now.time_since_epoch().count()) + interval - phase % interval;
  return Duration(static_cast<Duration::rep>(interval - since % interval));
}

}  // namespace statmill
