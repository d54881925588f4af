// Families of filesystems.
#pragma once

#include "agent/catalogue/family.h"

namespace statmill {

consteval Family filesystem_family(std::string_view path, std::string_view unit, std::string_view help,
                                   std::string_view node_exporter, std::string_view netdata) {
  return {.path = path,
          .unit = unit,
          .tags = {"device", "mount", "type"},
          .collector = "filesystem",
          .help = help,
          .node_exporter = node_exporter,
          .netdata = netdata,
          .rezolus = {}};
}

inline constexpr Family kFilesystemFamilies[] = {
    filesystem_family("host.filesystem.size_bytes", "bytes",
                      "Size of the filesystem; one series for each, wherever it is mounted.",
                      "node_filesystem_size_bytes", "disk.space"),
    filesystem_family("host.filesystem.free_bytes", "bytes",
                      "The part of it that nothing uses, what is kept for the administrator included.",
                      "node_filesystem_free_bytes", "disk.space"),
    filesystem_family("host.filesystem.available_bytes", "bytes",
                      "The part of it that users without privileges can fill.", "node_filesystem_avail_bytes",
                      "disk.space"),
    filesystem_family("host.filesystem.inodes", "",
                      "Files and directories that it can hold; absent if it has no such limit.",
                      "node_filesystem_files", "disk.inodes"),
    filesystem_family("host.filesystem.inodes_free", "", "How many more it can hold.",
                      "node_filesystem_files_free", "disk.inodes"),
    filesystem_family(
        "host.filesystem.read_only", "",
        "1 if the filesystem is mounted read-only, or the kernel made it so after an error; else 0.",
        "node_filesystem_readonly", ""),
    {.path = "host.filesystem.hanging",
     .collector = "filesystem",
     .help = "Filesystems that have not answered for a second or longer; they have no other series then."},
    {.path = "host.filesystem.unreadable",
     .collector = "filesystem",
     .help = "Filesystems whose space the agent cannot read: for lack of rights, or hidden by another one.",
     .node_exporter = "node_filesystem_device_error"},
};

}  // namespace statmill
