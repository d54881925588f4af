// What runtimes call their containers: ids in paths of cgroups, names in files.
#include "agent/collectors/container_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agent/collectors/container_fixture.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const std::string& id() {
  static const std::string kId = container_id(7);
  return kId;
}

TEST(ContainerText, FindsContainersByTheirCgroups) {
  const struct {
    std::string path;
    std::optional<ContainerCgroup> want;
    const char* why;
  } table[] = {
      {"/system.slice/docker-" + id() + ".scope", ContainerCgroup{id(), {}}, "docker, systemd"},
      {"/docker/" + id(), ContainerCgroup{id(), {}}, "docker, cgroupfs"},
      {"/machine.slice/libpod-" + id() + ".scope", ContainerCgroup{id(), {}}, "podman"},
      {"/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + id() + ".scope", ContainerCgroup{id(), {}},
       "containerd"},
      {"/kubepods.slice/kubepods-pod1.slice/crio-" + id() + ".scope", ContainerCgroup{id(), {}}, "CRI-O"},
      {"/kubepods/burstable/pod1/" + id(), ContainerCgroup{id(), {}}, "Kubernetes, cgroupfs"},
      {"/system.slice:cri-containerd:" + id(), ContainerCgroup{id(), {}}, "a driver that does not match"},
      {"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id() + ".scope",
       ContainerCgroup{id(), 1000}, "rootless"},
      {"/machine.slice/libpod-" + id() + ".scope/container", {}, "inside of one"},
      {"/docker/" + id() + "/" + container_id(8), {}, "inside of one, with a name like another"},
      {"/docker/" + id() + "/docker/" + container_id(8), {}, "a runtime in a container"},
      {"/machine.slice/libpod-" + id() + ".scope/a/b/docker-" + container_id(8) + ".scope",
       {},
       "deeper inside"},
      {"/machine.slice/libpod-conmon-" + id() + ".scope", {}, "watches it"},
      {"/machine.slice/machine-libpod_pod_" + id() + ".slice", {}, "a pod"},
      {"/user.slice/libpod-" + id() + ".scope", {}, "of no user"},
      {"/user.slice/user-x.slice/libpod-" + id() + ".scope", {}, "of no user"},
      {"/user.slice/user-.slice/" + id(), {}, "of no user"},
      {"/user.slice/user-99999999999.slice/" + id(), {}, "no number of a user"},
      {"/docker/x" + id(), {}, "longer than an id"},
      {"/docker/" + id().substr(1), {}, "shorter than an id"},
      {"/docker/" + std::string(64, 'G'), {}, "no hexadecimal digits"},
      {"/system.slice/ssh.service", {}, "a service"},
      {"", {}, "the root"},
  };
  for (const auto& t : table) EXPECT_EQ(container_of(t.path), t.want) << t.path << ": " << t.why;
}

TEST(ContainerText, FindsNamesInTheFilesOfEachRuntime) {
  using Text = ContainerFixtureText;
  const ContainerName web{"web", "", ""};
  const ContainerName pod{"web", "prod", "shop-1"};
  EXPECT_EQ(parse_docker_config(Text::docker_text(id(), "web")), web);
  EXPECT_EQ(
      parse_docker_config(R"({"Name":"/k8s_web","Config":{"Labels":{"io.kubernetes.container.name":"web",
      "io.kubernetes.pod.name":"shop-1","io.kubernetes.pod.namespace":"prod"}}})"),
      pod)
      << "Kubernetes over docker";
  EXPECT_EQ(parse_runtime_config(Text::runtime_text(
                R"("io.kubernetes.cri.container-type":"container","io.kubernetes.cri.container-name":"web",
      "io.kubernetes.cri.sandbox-name":"shop-1","io.kubernetes.cri.sandbox-namespace":"prod")")),
            pod)
      << "containerd";
  EXPECT_EQ(parse_runtime_config(Text::runtime_text(
                R"("io.kubernetes.cri.container-type":"sandbox","io.kubernetes.cri.sandbox-name":"shop-1",
      "io.kubernetes.cri.sandbox-namespace":"prod")")),
            (ContainerName{"POD", "prod", "shop-1"}))
      << "the container of the pod itself";
  EXPECT_EQ(
      parse_runtime_config(Text::runtime_text(
          R"("io.kubernetes.container.name":"web","io.kubernetes.pod.name":"shop-1","io.kubernetes.pod.namespace":"prod")")),
      pod)
      << "CRI-O";
  EXPECT_EQ(parse_runtime_config(Text::runtime_text(R"("nerdctl/name":"web","nerdctl/namespace":"default")")),
            web);
  EXPECT_THAT(parse_storage_containers(Text::podman_text(id(), "web")), ElementsAre(Pair(id(), web)));
  const std::string file = "shop-1_prod_web-" + id() + ".log";
  const auto link = parse_log_name(file);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->first, id());
  EXPECT_EQ(link->second, pod);
}

TEST(ContainerText, WhatNoRuntimeAllowsIsNoName) {
  for (const std::string_view name :
       {"", "a b", "a;b", "a=b", "a/b", "..\\n", "\\u202e", "\xc3\xa9", "a%41"}) {
    EXPECT_EQ(parse_docker_config(ContainerFixtureText::docker_text(id(), name)), std::nullopt) << name;
    EXPECT_THAT(parse_storage_containers(ContainerFixtureText::podman_text(id(), name)), IsEmpty()) << name;
    EXPECT_EQ(parse_log_name("p_n_" + std::string(name) + "-" + id() + ".log"), std::nullopt) << name;
  }
  EXPECT_TRUE(is_container_name(std::string(253, 'a')));
  EXPECT_FALSE(is_container_name(std::string(254, 'a')));
  EXPECT_FALSE(is_container_name("~a"));
}

TEST(ContainerText, ANameWithHalfAPodHasNone) {
  EXPECT_EQ(parse_runtime_config(
                R"({"annotations":{"io.kubernetes.container.name":"web","io.kubernetes.pod.name":"a b"}})"),
            (ContainerName{"web", "", ""}));
}

TEST(ContainerText, TextsOfOtherFormsHaveNoName) {
  for (const std::string_view text :
       {"", "null", "[]", "{}", "7", R"({"Name":7})", R"({"Name":["web"]})",
        R"({"annotations":"nerdctl/name"})", R"({"annotations":[{"nerdctl/name":"web"}]})",
        R"([{"id":"x","names":["web"]}])", R"([{"names":7}])", "[7]", "{\"Name\":\"\xff\"}"}) {
    EXPECT_EQ(parse_docker_config(text), std::nullopt) << text;
    EXPECT_EQ(parse_runtime_config(text), std::nullopt) << text;
    EXPECT_THAT(parse_storage_containers(text), IsEmpty()) << text;
  }
}

TEST(ContainerText, ATruncatedOrDeepFileHasNoName) {
  const std::string whole = ContainerFixtureText::docker_text(id(), "web");
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_EQ(parse_docker_config(whole.substr(0, size)), std::nullopt) << size;
  const std::string deep = R"({"Name":"/web","a":)" + std::string(100'000, '[');
  EXPECT_EQ(parse_docker_config(deep + std::string(100'000, ']') + "}"), std::nullopt);
}

TEST(ContainerText, FindsTheHomeOfAUser) {
  constexpr std::string_view kPasswd =
      "root:x:0:0:root:/root:/bin/bash\nann:x:1000:100:Ann,,,:/home/ann:/bin/sh\nbad:x:7\nrel:x:8:8::home:/"
      "x\n";
  EXPECT_EQ(find_home(kPasswd, 1000), "/home/ann");
  EXPECT_EQ(find_home(kPasswd, 0), "/root");
  for (const uint32_t user : {7U, 8U, 100U}) EXPECT_EQ(find_home(kPasswd, user), "") << user;
}

}  // namespace
}  // namespace statmill
