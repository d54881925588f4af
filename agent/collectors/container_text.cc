#include "agent/collectors/container_text.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>

#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

namespace json = boost::json;

constexpr size_t kIdBytes = 64;
constexpr size_t kNameBytesMax = 253;  // of a pod

bool is_id(std::string_view text) {
  return text.size() == kIdBytes && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Removes and returns what comes before the next `end`, or all.
std::string_view consume_until(std::string_view& text, char end) {
  const size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

// The root of a document; null if it is none, or is too deep.
json::value parse_document(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse({text.data(), text.size()}, error);
  return error ? json::value() : value;
}

// Steps into objects by their keys. Returns null if one of them is no object or has no such key.
const json::value* find_value(const json::value& root, std::initializer_list<std::string_view> keys) {
  const json::value* value = &root;
  for (const std::string_view key : keys) {
    const json::object* const object = value->if_object();
    value = object == nullptr ? nullptr : object->if_contains({key.data(), key.size()});
    if (value == nullptr) return nullptr;
  }
  return value;
}

// The text there; empty if there is none that may be a name.
std::string find_name(const json::value& root, std::initializer_list<std::string_view> keys) {
  const json::value* const value = find_value(root, keys);
  const json::string* const text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr) return {};
  std::string_view name(text->data(), text->size());
  if (name.starts_with('/')) name.remove_prefix(1);  // docker writes "/web"
  return is_container_name(name) ? std::string(name) : std::string();
}

// Kubernetes has all three names, other runtimes have that of the container.
std::optional<ContainerName> complete(ContainerName name) {
  if (name.container.empty()) return std::nullopt;
  if (name.pod.empty() || name.name_space.empty()) name.pod = name.name_space = {};
  return name;
}

// The kubelet gives each container these labels: docker keeps them as labels, CRI-O as annotations.
ContainerName find_kubernetes_name(const json::value& labels) {
  return {find_name(labels, {"io.kubernetes.container.name"}),
          find_name(labels, {"io.kubernetes.pod.namespace"}), find_name(labels, {"io.kubernetes.pod.name"})};
}

// As containerd's plugin for Kubernetes writes it.
ContainerName find_cri_name(const json::value& annotations) {
  ContainerName name{find_name(annotations, {"io.kubernetes.cri.container-name"}),
                     find_name(annotations, {"io.kubernetes.cri.sandbox-namespace"}),
                     find_name(annotations, {"io.kubernetes.cri.sandbox-name"})};
  const bool is_pod = find_name(annotations, {"io.kubernetes.cri.container-type"}) == "sandbox";
  if (is_pod && !name.pod.empty()) name.container = "POD";
  return name;
}

// The id in the name of a container's cgroup; empty if the name is that of another cgroup.
std::string_view find_id(std::string_view name) {
  constexpr std::string_view kScope = ".scope";
  if (name.ends_with(kScope)) name.remove_suffix(kScope.size());
  if (name.size() < kIdBytes || !is_id(name.substr(name.size() - kIdBytes))) return {};
  const std::string_view prefix = name.substr(0, name.size() - kIdBytes);
  if (!prefix.empty() && !prefix.ends_with('-') && !prefix.ends_with(':')) return {};
  if (prefix.find("conmon") != std::string_view::npos) return {};  // it watches the container
  return name.substr(prefix.size());
}

// The user below whose slice the path is; nullopt for a path that is below none. Sets `is_of_user` for any
// path of users.
std::optional<uint32_t> user_of(std::string_view path, bool& is_of_user) {
  constexpr std::string_view kUsers = "/user.slice/";
  constexpr std::string_view kUser = "user-";
  constexpr std::string_view kEnd = ".slice";
  is_of_user = path.starts_with(kUsers);
  if (!is_of_user) return std::nullopt;
  path.remove_prefix(kUsers.size());
  const std::string_view slice = consume_until(path, '/');
  if (!slice.starts_with(kUser) || !slice.ends_with(kEnd) || slice.size() < kUser.size() + kEnd.size())
    return std::nullopt;
  return parse_as<uint32_t>(slice.substr(kUser.size(), slice.size() - kUser.size() - kEnd.size()));
}

}  // namespace

std::optional<ContainerCgroup> container_of(std::string_view cgroup_path) {
  std::string_view id;
  for (std::string_view rest = cgroup_path; !rest.empty();) {
    if (!id.empty()) return std::nullopt;  // inside of one, where the container itself chooses the names
    id = find_id(consume_until(rest, '/'));
  }
  if (id.empty()) return std::nullopt;
  bool is_of_user = false;
  const std::optional<uint32_t> user = user_of(cgroup_path, is_of_user);
  if (is_of_user && !user) return std::nullopt;
  return ContainerCgroup{std::string(id), user};
}

bool is_container_name(std::string_view text) {
  return !text.empty() && text.size() <= kNameBytesMax && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

std::optional<ContainerName> parse_docker_config(std::string_view json) {
  const json::value root = parse_document(json);
  if (const json::value* const labels = find_value(root, {"Config", "Labels"})) {
    if (auto name = complete(find_kubernetes_name(*labels))) return name;
  }
  return complete({.container = find_name(root, {"Name"}), .name_space = {}, .pod = {}});
}

std::optional<ContainerName> parse_runtime_config(std::string_view json) {
  const json::value root = parse_document(json);
  const json::value* const annotations = find_value(root, {"annotations"});
  if (annotations == nullptr) return std::nullopt;
  if (auto name = complete(find_cri_name(*annotations))) return name;
  if (auto name = complete(find_kubernetes_name(*annotations))) return name;
  return complete({.container = find_name(*annotations, {"nerdctl/name"}), .name_space = {}, .pod = {}});
}

std::map<std::string, ContainerName> parse_storage_containers(std::string_view json) {
  std::map<std::string, ContainerName> names;
  const json::value root = parse_document(json);
  const json::array* const containers = root.if_array();
  if (containers == nullptr) return names;
  for (const json::value& container : *containers) {
    const std::string id = find_name(container, {"id"});
    const json::value* const all = find_value(container, {"names"});
    const json::array* const list = all == nullptr ? nullptr : all->if_array();
    if (!is_id(id) || list == nullptr || list->empty()) continue;
    std::string name = find_name(list->front(), {});
    if (!name.empty()) names[id].container = std::move(name);
  }
  return names;
}

std::optional<std::pair<std::string_view, ContainerName>> parse_log_name(std::string_view file) {
  constexpr std::string_view kLog = ".log";
  if (!file.ends_with(kLog)) return std::nullopt;
  file.remove_suffix(kLog.size());
  const std::string_view pod = consume_until(file, '_');
  const std::string_view name_space = consume_until(file, '_');
  if (file.size() <= kIdBytes) return std::nullopt;
  const std::string_view id = file.substr(file.size() - kIdBytes);
  std::string_view container = file.substr(0, file.size() - kIdBytes);
  if (!container.ends_with('-') || !is_id(id)) return std::nullopt;
  container.remove_suffix(1);
  if (!is_container_name(pod) || !is_container_name(name_space) || !is_container_name(container))
    return std::nullopt;
  return std::pair(id, ContainerName{std::string(container), std::string(name_space), std::string(pod)});
}

std::string_view find_home(std::string_view passwd, uint32_t user) {
  while (!passwd.empty()) {
    std::string_view line = next_line(passwd);
    consume_until(line, ':');  // name
    consume_until(line, ':');  // password
    if (parse_as<uint32_t>(consume_until(line, ':')) != user) continue;
    consume_until(line, ':');  // group
    consume_until(line, ':');  // full name
    const std::string_view home = consume_until(line, ':');
    return home.starts_with('/') ? home : std::string_view();
  }
  return {};
}

}  // namespace statmill
