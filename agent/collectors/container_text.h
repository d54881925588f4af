// Functions of paths and texts that find how container runtimes call their containers: ids are in the paths
// of cgroups, names in the files that a runtime keeps about each container.
//
// A name that its runtime would not allow is none: files may be damaged, or written by anyone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace statmill {

// Tags of the series of a container. All are empty if nothing is known.
struct ContainerName {
  std::string container;   // "POD" for the one that Kubernetes makes for the pod itself
  std::string name_space;  // as `pod`, only of Kubernetes
  std::string pod;

  bool operator==(const ContainerName&) const = default;
};

// A container, as the path of its cgroup tells.
struct ContainerCgroup {
  std::string id;                // 64 hexadecimal digits
  std::optional<uint32_t> user;  // who runs it, if it is rootless

  bool operator==(const ContainerCgroup&) const = default;
};

// Returns nullopt if the cgroup is no container. A cgroup inside that of a container is none either, whatever
// its name, nor is a pod. What users may name themselves has their number, so that nobody can name a
// container of another user.
std::optional<ContainerCgroup> container_of(std::string_view cgroup_path);

// Returns whether it is what docker, podman, nerdctl or Kubernetes allow: at most 253 letters, digits, and
// `_`, `.`, `-`.
bool is_container_name(std::string_view text);

// These parse files of JSON, at most 32 levels deep, and return nullopt if there is no name in them.
// Cost: memory of up to 16 times the text.
//
// config.v2.json of docker.
std::optional<ContainerName> parse_docker_config(std::string_view json);
// config.json of the OCI runtime specification, with the annotations of containerd, nerdctl or CRI-O.
std::optional<ContainerName> parse_runtime_config(std::string_view json);
// containers.json of containers/storage, which podman uses. Returns names by id.
std::map<std::string, ContainerName> parse_storage_containers(std::string_view json);

// Parses the name of a link in /var/log/containers, POD_NAMESPACE_CONTAINER-ID.log. Returns the id, too.
std::optional<std::pair<std::string_view, ContainerName>> parse_log_name(std::string_view file);

// Returns the home directory of a user in the text of /etc/passwd; empty if there is none.
std::string_view find_home(std::string_view passwd, uint32_t user);

}  // namespace statmill
