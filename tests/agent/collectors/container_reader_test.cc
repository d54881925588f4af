// The names of containers in trees of files like those of each runtime, and in hostile ones.
#include "agent/collectors/container_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <span>
#include <vector>

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

  static std::string user_docker_file(const std::string& id) {
    return "home/ann/.local/share/docker/containers/" + id + "/config.v2.json";
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
  root_.write(user_docker_file(id_), Text::docker_text(id_, "web"));
  EXPECT_THAT(name_of(::getuid()), Optional(web_));
}

TEST_F(ContainerReaderTest, FollowsNoLinkInAHome) {
  const std::string user = std::to_string(::getuid());
  const std::string file = "docker/containers/" + id_ + "/config.v2.json";
  const std::filesystem::path data = root_.path() / "home/ann/.local/share";
  write_user(user);
  root_.write("elsewhere/" + file, Text::docker_text(id_, "web"));
  std::filesystem::create_directories(data);
  std::filesystem::create_directory_symlink(root_.path() / "elsewhere/docker", data / "docker");
  EXPECT_EQ(name_of(::getuid()), std::nullopt) << "it may lead to a mount that hangs";
  std::filesystem::remove(data / "docker");
  std::filesystem::rename(root_.path() / "elsewhere/docker", data / "docker");
  EXPECT_THAT(name_of(::getuid()), Optional(web_));
}

TEST_F(ContainerReaderTest, ReadsSoManyContainersOfAUserAtATime) {
  write_user(std::to_string(::getuid()));
  std::vector<ContainerCgroup> all;
  for (unsigned i = 0; i <= ContainerReader::kUserContainersMax; ++i) {
    all.push_back({container_id(i), ::getuid()});
    root_.write(user_docker_file(container_id(i)), Text::docker_text(container_id(i), "web"));
  }
  write_docker(id_, "root");
  all.push_back({id_, {}});
  const auto names = reader_.read(all);
  EXPECT_THAT(names[ContainerReader::kUserContainersMax - 1], Optional(web_));
  EXPECT_EQ(names[ContainerReader::kUserContainersMax], std::nullopt);
  EXPECT_THAT(names.back(), Optional(ContainerName{"root", "", ""})) << "others have theirs";
  EXPECT_THAT(reader_.read(std::span(all).subspan(1)).at(ContainerReader::kUserContainersMax - 1),
              Optional(web_))
      << "the next time";
}

TEST_F(ContainerReaderTest, ReadsSoManyBytesOfAUserAtATime) {
  write_user(std::to_string(::getuid()));
  constexpr size_t kFiles = ContainerReader::kUserBytesMax / ContainerReader::kFileBytesMax;
  std::vector<ContainerCgroup> all;
  for (unsigned i = 0; i <= kFiles; ++i) {
    all.push_back({container_id(i), ::getuid()});
    std::string text = Text::docker_text(container_id(i), "web");
    text.resize(ContainerReader::kFileBytesMax, ' ');
    root_.write(user_docker_file(container_id(i)), text);
  }
  const auto names = reader_.read(all);
  EXPECT_THAT(names[kFiles - 1], Optional(web_));
  EXPECT_EQ(names[kFiles], std::nullopt);
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
