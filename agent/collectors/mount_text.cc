#include "agent/collectors/mount_text.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

// Ascending. The default of node_exporter's --collector.filesystem.fs-types-exclude, and erofs, whose images
// are always full, as those of squashfs are.
constexpr std::string_view kTypesLeftOut[] = {
    "autofs",    "binfmt_misc", "bpf",   "cgroup",  "cgroup2",   "configfs",   "debugfs",
    "devpts",    "devtmpfs",    "erofs", "fusectl", "hugetlbfs", "iso9660",    "mqueue",
    "nsfs",      "overlay",     "proc",  "procfs",  "pstore",    "rpc_pipefs", "securityfs",
    "selinuxfs", "squashfs",    "sysfs", "tracefs"};

// The default of --collector.filesystem.mount-points-exclude: these, and what is below them.
constexpr std::string_view kPointsLeftOut[] = {"/dev", "/proc", "/sys"};
// Only what is below these. The last one is not in that default.
constexpr std::string_view kBelowLeftOut[] = {"/run/credentials/", "/var/lib/containers/storage/",
                                              "/var/lib/docker/", "/var/lib/kubelet/pods/"};

static_assert(std::is_sorted(std::begin(kTypesLeftOut), std::end(kTypesLeftOut)));

// One line. The texts are as the kernel escapes them.
struct MountLine {
  uint64_t device_number = 0;
  std::string_view root;  // the directory of the filesystem that is mounted
  std::string_view point;
  std::string_view type;
  std::string_view source;
  bool is_read_only = false;
};

// Removes and returns the text before the next blank. It may be empty: a mount may have no source.
std::string_view next_field(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

bool has_option(std::string_view options, std::string_view option) {
  while (!options.empty()) {
    const size_t end = std::min(options.find(','), options.size());
    if (options.substr(0, end) == option) return true;
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return false;
}

// "254:0".
std::optional<uint64_t> device_number(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto major = parse_as<unsigned>(text.substr(0, colon));
  const auto minor = parse_as<unsigned>(text.substr(colon + 1));
  if (!major || !minor) return std::nullopt;
  return makedev(*major, *minor);
}

// Format: id parent major:minor root point options [tag ...] - type source options
std::optional<MountLine> parse_line(std::string_view line) {
  next_field(line);  // id
  next_field(line);  // parent
  const std::optional<uint64_t> number = device_number(next_field(line));
  if (!number) return std::nullopt;
  MountLine mount;
  mount.device_number = *number;
  mount.root = next_field(line);
  mount.point = next_field(line);
  mount.is_read_only = has_option(next_field(line), "ro");
  std::string_view field;
  do {
    if (line.empty()) return std::nullopt;
    field = next_field(line);
  } while (field != "-");
  mount.type = next_field(line);
  mount.source = next_field(line);
  if (has_option(line, "ro")) mount.is_read_only = true;
  if (!mount.point.starts_with('/') || mount.root.empty() || mount.type.empty()) return std::nullopt;
  return mount;
}

bool is_left_out(const MountLine& mount) {
  if (std::binary_search(std::begin(kTypesLeftOut), std::end(kTypesLeftOut), mount.type)) return true;
  const auto is_at_or_below = [&](std::string_view path) {
    return mount.point.starts_with(path) &&
           (mount.point.size() == path.size() || mount.point[path.size()] == '/');
  };
  const auto is_below = [&](std::string_view prefix) { return mount.point.starts_with(prefix); };
  return std::any_of(std::begin(kPointsLeftOut), std::end(kPointsLeftOut), is_at_or_below) ||
         std::any_of(std::begin(kBelowLeftOut), std::end(kBelowLeftOut), is_below);
}

// Less is better.
auto rank(const MountLine& mount) { return std::tuple(mount.root != "/", mount.point.size(), mount.point); }

// The kernel writes blanks, line ends and backslashes as \040, in octal.
std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::optional<unsigned> byte =
        text[i] == '\\' && i + 3 < text.size() ? parse_as<unsigned>(text.substr(i + 1, 3), 8) : std::nullopt;
    const bool is_escape = byte && *byte <= 0xff;
    out.push_back(is_escape ? static_cast<char>(*byte) : text[i]);
    if (is_escape) i += 3;
  }
  return out;
}

Filesystem filesystem_of(const MountLine& mount) {
  return {.mount = unescaped(mount.point),
          .device = unescaped(mount.source),
          .type = unescaped(mount.type),
          .device_number = mount.device_number,
          .is_read_only = mount.is_read_only};
}

}  // namespace

FilesystemList list_filesystems(std::string_view mountinfo, size_t count_max) {
  std::map<uint64_t, MountLine> best;  // by device number; bounded by the lines
  while (!mountinfo.empty()) {
    const std::optional<MountLine> mount = parse_line(next_line(mountinfo));
    if (!mount || is_left_out(*mount)) continue;
    const auto [place, is_new] = best.try_emplace(mount->device_number, *mount);
    if (!is_new && rank(*mount) < rank(place->second)) place->second = *mount;
  }
  FilesystemList list;
  for (const auto& [number, mount] : best) list.filesystems.push_back(filesystem_of(mount));
  list.left_out = std::erase_if(list.filesystems, [](const Filesystem& one) {
    return one.mount.size() > kMountBytesMax || one.device.size() > kFilesystemDeviceBytesMax;
  });
  std::sort(list.filesystems.begin(), list.filesystems.end(), [](const Filesystem& a, const Filesystem& b) {
    const auto depth = [](const std::string& path) { return std::count(path.begin(), path.end(), '/'); };
    return std::tuple(depth(a.mount), a.mount.size(), std::string_view(a.mount)) <
           std::tuple(depth(b.mount), b.mount.size(), std::string_view(b.mount));
  });
  if (list.filesystems.size() > count_max) {
    list.left_out += list.filesystems.size() - count_max;
    list.filesystems.resize(count_max);
  }
  return list;
}

bool is_remote(std::string_view filesystem_type) {
  constexpr std::string_view kRemote[] = {"9p",     "afs",   "beegfs", "ceph", "cifs", "coda",  "glusterfs",
                                          "lustre", "ncpfs", "nfs",    "nfs4", "smb3", "smbfs", "virtiofs"};
  return filesystem_type.starts_with("fuse") ||
         std::find(std::begin(kRemote), std::end(kRemote), filesystem_type) != std::end(kRemote);
}

}  // namespace statmill
