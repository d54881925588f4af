// Which filesystems a host has, from /proc/PID/mountinfo (proc(5)), as a pure function of the text.
//
// A filesystem may be mounted in many places, whole or a directory of it (bind mounts). Its device number is
// the same in all of them, so each has one entry here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace statmill {

struct Filesystem {
  std::string mount;           // a directory where it is mounted
  std::string device;          // what is mounted, as df prints it: "/dev/sda1", "server:/export", "tmpfs"
  std::string type;            // "ext4"
  uint64_t device_number = 0;  // st_dev of its files, but not on btrfs
  bool is_read_only = false;   // as a whole, or in this mount
};

struct FilesystemList {
  std::vector<Filesystem> filesystems;  // those nearest to the root first
  size_t left_out = 0;                  // because of a limit
};

// Names of series have these texts.
inline constexpr size_t kMountBytesMax = 512;
inline constexpr size_t kFilesystemDeviceBytesMax = 256;

// Returns at most `count_max` filesystems that hold files of users. Leaves out the types and the mount points
// that node_exporter leaves out by default (kernel interfaces, images, containers), erofs, and volumes of
// pods under /var/lib/kubelet/pods. If a filesystem has several mounts, prefers one of the whole filesystem,
// then the shortest path, then the first by bytes. Skips lines that are not as proc(5) says.
FilesystemList list_filesystems(std::string_view mountinfo, size_t count_max);

// Returns whether a filesystem of this type asks another host or another program for its answers, which may
// never come.
bool is_remote(std::string_view filesystem_type);

}  // namespace statmill
