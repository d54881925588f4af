// The lines are from real hosts, shortened.
#include "agent/collectors/mount_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kServer =
    "22 27 0:21 / /proc rw,relatime shared:13 - proc proc rw\n"
    "24 27 0:6 / /dev rw,relatime shared:2 - devtmpfs devtmpfs rw,size=12334524k\n"
    "25 24 0:23 / /dev/shm rw,relatime shared:3 - tmpfs tmpfs rw,size=24684096k\n"
    "27 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard\n"
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
    "40 27 0:44 / /run rw,nosuid shared:5 - tmpfs tmpfs rw,size=1024k,mode=755\n"
    "41 27 254:16 / /srv/data rw,noatime shared:20 master:3 - xfs /dev/mapper/vg-data ro,attr2\n"
    "42 27 0:50 / /mnt/nfs ro,relatime - nfs4 files.example.org:/export rw,vers=4.2\n";

std::vector<std::string> mounts_of(std::string_view mountinfo) {
  std::vector<std::string> mounts;
  for (const Filesystem& one : list_filesystems(mountinfo, 100).filesystems) mounts.push_back(one.mount);
  return mounts;
}

TEST(MountText, ListsWhatHoldsFilesOfUsersFromTheRootOn) {
  const FilesystemList list = list_filesystems(kServer, 100);
  EXPECT_EQ(list.left_out, 0U);
  ASSERT_THAT(mounts_of(kServer), ElementsAre("/", "/run", "/mnt/nfs", "/srv/data"));
  const Filesystem& root = list.filesystems[0];
  EXPECT_EQ(root.device, "/dev/vda1");
  EXPECT_EQ(root.type, "ext4");
  EXPECT_EQ(root.device_number, makedev(254, 1));
  EXPECT_FALSE(root.is_read_only);
  EXPECT_TRUE(list.filesystems[2].is_read_only) << "this mount";
  EXPECT_TRUE(list.filesystems[3].is_read_only) << "the filesystem, as after an error of the disk";
}

TEST(MountText, AFilesystemThatIsMountedInManyPlacesIsThereOnce) {
  const std::string whole = "27 1 8:1 / /srv/whole rw - ext4 /dev/sda1 rw\n";
  const std::string longer = "28 1 8:1 / /srv/whole/again rw - ext4 /dev/sda1 rw\n";
  const std::string same_length = "29 1 8:1 / /srv/arbor rw - ext4 /dev/sda1 rw\n";
  const std::string directory = "30 1 8:1 /home /b rw - ext4 /dev/sda1 rw\n";
  const std::string directory_2 = "31 1 8:1 /home /c rw - ext4 /dev/sda1 rw\n";
  EXPECT_THAT(mounts_of(directory + longer + whole), ElementsAre("/srv/whole"));
  EXPECT_THAT(mounts_of(whole + same_length), ElementsAre("/srv/arbor"));
  EXPECT_THAT(mounts_of(same_length + whole), ElementsAre("/srv/arbor")) << "in any order";
  EXPECT_THAT(mounts_of(directory_2 + directory), ElementsAre("/b")) << "if only directories are mounted";
}

TEST(MountText, LeavesOutWhatNodeExporterDoes) {
  const auto line = [](const std::string& point, const std::string& type) {
    return "27 1 0:9 / " + point + " rw - " + type + " x rw\n";
  };
  for (const char* type :
       {"autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "debugfs", "devtmpfs", "erofs", "fusectl",
        "mqueue", "nsfs", "overlay", "proc", "squashfs", "sysfs", "tracefs"})
    EXPECT_THAT(mounts_of(line("/a", type)), IsEmpty()) << type;
  for (const char* type : {"ext4", "tmpfs", "cgroup3", "fuse.sshfs", "vfat", "zfs"})
    EXPECT_THAT(mounts_of(line("/a", type)), ElementsAre("/a")) << type;
  for (const char* point :
       {"/dev", "/dev/shm", "/proc", "/proc/a", "/sys/b", "/run/credentials/a.service",
        "/var/lib/docker/overlay2", "/var/lib/containers/storage/a", "/var/lib/kubelet/pods/1/volumes/a"})
    EXPECT_THAT(mounts_of(line(point, "tmpfs")), IsEmpty()) << point;
  for (const char* point : {"/devel", "/process", "/run/credentials", "/run/user/1000", "/var/lib/docker"})
    EXPECT_THAT(mounts_of(line(point, "tmpfs")), ElementsAre(point)) << point;
}

TEST(MountText, DecodesTheEscapesOfTheKernel) {
  const FilesystemList list = list_filesystems(
      "27 1 8:1 / /mnt/a\\040b\\134c\\011 rw - fuse.sshfs me@host:/x\\012y rw\n"
      "28 1 8:2 / /mnt/\\9\\777\\04 rw - ext4 a\\ rw\n",
      100);
  ASSERT_EQ(list.filesystems.size(), 2U);
  EXPECT_EQ(list.filesystems[0].mount, "/mnt/a b\\c\t");
  EXPECT_EQ(list.filesystems[0].device, "me@host:/x\ny");
  EXPECT_EQ(list.filesystems[1].mount, "/mnt/\\9\\777\\04") << "not an escape";
  EXPECT_EQ(list.filesystems[1].device, "a\\");
}

TEST(MountText, SkipsLinesThatItDoesNotKnow) {
  for (const char* line :
       {"", "\n", "27", "27 1", "27 1 8:1", "27 1 8 / /a rw - ext4 x rw", "27 1 8:x / /a rw - ext4 x rw",
        "27 1 99999999999:1 / /a rw - ext4 x rw", "27 1 8:1 / /a rw shared:1", "27 1 8:1 / /a rw - ",
        "27 1 8:1 / a rw - ext4 x rw", "27 1 8:1  /a rw - ext4 x rw", "- - - - - - - - -"})
    EXPECT_THAT(mounts_of(line), IsEmpty()) << line;
  const FilesystemList list = list_filesystems("27 1 8:1 / /a rw - ext4  ro,x", 100);
  ASSERT_EQ(list.filesystems.size(), 1U) << "a mount may have no source";
  EXPECT_EQ(list.filesystems[0].device, "");
  EXPECT_TRUE(list.filesystems[0].is_read_only);
}

TEST(MountText, CountsWhatALimitLeavesOut) {
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += "27 1 8:" + std::to_string(i) + " / /a" + std::to_string(i) + " rw - ext4 x rw\n";
  EXPECT_EQ(list_filesystems(text, 30).left_out, 0U);
  text += "27 1 9:1 / /" + std::string(kMountBytesMax, 'm') + " rw - ext4 x rw\n";
  text += "27 1 9:2 / /d rw - ext4 " + std::string(kFilesystemDeviceBytesMax + 1, 'd') + " rw\n";
  const FilesystemList list = list_filesystems(text, 10);
  EXPECT_EQ(list.filesystems.size(), 10U);
  EXPECT_EQ(list.filesystems.front().mount, "/a0");
  EXPECT_EQ(list.left_out, 22U);
}

TEST(MountText, KnowsWhichTypesAskOthers) {
  for (const char* type : {"nfs", "nfs4", "cifs", "ceph", "9p", "fuse", "fuse.sshfs", "fuseblk"})
    EXPECT_TRUE(is_remote(type)) << type;
  for (const char* type : {"ext4", "xfs", "btrfs", "zfs", "tmpfs", "vfat", ""})
    EXPECT_FALSE(is_remote(type)) << type;
}

}  // namespace
}  // namespace statmill
