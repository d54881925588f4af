// The names of containers in trees of files like those of each runtime, and in hostile ones.
#include "agent/collectors/container_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/agent/collectors/container_fixture.h"
#include "tests/agent/collectors/without_file_rights.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

class ContainerReaderTest : public ContainerFixture {
 protected:
  std::optional<ContainerName> name_of(std::optional<uint32_t> user = std::nullopt) {
    const ContainerCgroup container{id_, user};
    return reader_.read({&container, 1}).front();
  }
  void write_user(const std::string& number) {
    root_.write("etc/passwd", "# users\nann:x:" + number + ":1:Ann:/home/ann:/bin/sh\n");
  }

  const std::string id_ = container_id(1);
  const ContainerName web_{"web", "", ""};
  const ContainerName pod_{"web", "prod", "shop-1"};
  ContainerReader reader_{root_.path().string()};
};

TEST_F(ContainerReaderTest, ReadsDocker) {
  write_docker(id_, "web");
  EXPECT_THAT(name_of(), Optional(web_));
}

TEST_F(ContainerReaderTest, ReadsPodman) {
  const std::string directory = "var/lib/containers/storage/overlay-containers/";
  root_.write(directory + "containers.json", Text::podman_text(container_id(2), "db"));
  root_.write(directory + "volatile-containers.json", Text::podman_text(id_, "web"));
  EXPECT_THAT(name_of(), Optional(web_)) << "one that is removed when it ends";
  const ContainerCgroup both[] = {{container_id(2), {}}, {id_, {}}};
  EXPECT_THAT(reader_.read(both), ElementsAre(Optional(ContainerName{"db", "", ""}), Optional(web_)));
}

TEST_F(ContainerReaderTest, ReadsContainerdInEachOfItsNamespaces) {
  const std::string tasks = "run/containerd/io.containerd.runtime.v2.task/";
  root_.write(tasks + "moby/other/config.json", "{}");
  root_.write(tasks + "k8s.io/" + id_ + "/config.json",
              Text::runtime_text(R"("io.kubernetes.cri.container-name":"web",
        "io.kubernetes.cri.sandbox-name":"shop-1","io.kubernetes.cri.sandbox-namespace":"prod")"));
  EXPECT_THAT(name_of(), Optional(pod_));
}

TEST_F(ContainerReaderTest, ReadsNerdctl) {
  root_.write("run/containerd/io.containerd.runtime.v2.task/default/" + id_ + "/config.json",
              Text::runtime_text(R"("nerdctl/name":"web")"));
  EXPECT_THAT(name_of(), Optional(web_));
}

TEST_F(ContainerReaderTest, ReadsCrio) {
  root_.write("run/containers/storage/overlay-containers/" + id_ + "/userdata/config.json",
              Text::runtime_text(R"("io.kubernetes.container.name":"web","io.kubernetes.pod.name":"shop-1",
        "io.kubernetes.pod.namespace":"prod")"));
  EXPECT_THAT(name_of(), Optional(pod_));
}

TEST_F(ContainerReaderTest, ReadsTheNamesOfLogsThatEveryoneMayRead) {
  std::filesystem::create_directories(root_.path() / "var/log/containers");
  std::filesystem::create_symlink("/var/log/pods/none",
                                  root_.path() / "var/log/containers" / ("shop-1_prod_web-" + id_ + ".log"));
  write_docker(id_, "k8s_web");
  std::filesystem::permissions(root_.path() / "var/lib/docker", std::filesystem::perms::none);
  const WithoutFileRights without;
  EXPECT_THAT(name_of(), Optional(pod_));
  EXPECT_THAT(reader_.refused(), IsEmpty()) << "it did not need that right";
}

TEST_F(ContainerReaderTest, ReadsRootlessOnesOfTheirOwner) {
  write_user(std::to_string(::getuid()));
  root_.write("home/ann/.local/share/containers/storage/overlay-containers/containers.json",
              Text::podman_text(id_, "web"));
  EXPECT_THAT(name_of(::getuid()), Optional(web_));
  EXPECT_EQ(name_of(), std::nullopt) << "root has none of that id";
  EXPECT_EQ(name_of(::getuid() + 1), std::nullopt) << "a user without a home";
  write_user(std::to_string(::getuid() + 1));
  EXPECT_EQ(name_of(::getuid() + 1), std::nullopt) << "the file is somebody else's";
}

TEST_F(ContainerReaderTest, ReadsRootlessDocker) {
  write_user(std::to_string(::getuid()));
  root_.write("home/ann/.local/share/docker/containers/" + id_ + "/config.v2.json",
              Text::docker_text(id_, "web"));
  EXPECT_THAT(name_of(::getuid()), Optional(web_));
}

TEST_F(ContainerReaderTest, AUserCannotNameAContainerOfRoot) {
  write_user(std::to_string(::getuid()));
  write_docker(id_, "web");
  EXPECT_EQ(name_of(::getuid()), std::nullopt);
}

TEST_F(ContainerReaderTest, ReadsNoLinkNoFifoAndNoDirectory) {
  const std::filesystem::path file = root_.path() / docker_file(id_);
  write_docker(id_, "web");
  std::filesystem::rename(file, root_.path() / "elsewhere");
  std::filesystem::create_symlink(root_.path() / "elsewhere", file);
  EXPECT_EQ(name_of(), std::nullopt) << "a link";
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(name_of(), std::nullopt) << "a FIFO, which would block";
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_EQ(name_of(), std::nullopt) << "a directory";
}

TEST_F(ContainerReaderTest, ReadsNoFileThatIsTooLong) {
  write_docker(id_, "web");
  const std::string text = Text::docker_text(id_, "web");
  const auto pad = [&](size_t size) {
    root_.write(docker_file(id_), text + std::string(size - text.size(), ' '));
  };
  pad(ContainerReader::kFileBytesMax);
  EXPECT_THAT(name_of(), Optional(web_));
  pad(ContainerReader::kFileBytesMax + 1);
  EXPECT_EQ(name_of(), std::nullopt);
}

TEST_F(ContainerReaderTest, SaysWhichDirectoryItMayNotRead) {
  write_docker(id_, "web");
  const std::filesystem::path docker = root_.path() / "var/lib/docker";
  std::filesystem::permissions(docker, std::filesystem::perms::none);
  {
    const WithoutFileRights without;
    EXPECT_EQ(name_of(), std::nullopt);
    EXPECT_EQ(reader_.refused(), docker.string() + "/containers: Permission denied");
  }
  std::filesystem::permissions(docker, std::filesystem::perms::owner_all);
  EXPECT_THAT(name_of(), Optional(web_));
  EXPECT_THAT(reader_.refused(), IsEmpty());
}

TEST_F(ContainerReaderTest, AHostWithoutRuntimesHasNoNameAndRefusesNothing) {
  EXPECT_EQ(name_of(), std::nullopt);
  EXPECT_EQ(name_of(1000), std::nullopt);
  EXPECT_THAT(reader_.refused(), IsEmpty());
  EXPECT_THAT(reader_.waits_for(), IsEmpty());
}

}  // namespace
}  // namespace statmill
