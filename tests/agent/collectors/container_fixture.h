// ContainerFixture: a directory in the form of the root of a host with containers, as their runtimes lay out
// their files there.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/temp_directory.h"

namespace statmill {

// An id that ends with `number`.
inline std::string container_id(unsigned number) {
  const std::string digits = std::to_string(number);
  return std::string(64 - digits.size(), 'a') + digits;
}

// The files of runtimes, shortened.
struct ContainerFixtureText {
  static std::string docker_text(const std::string& id, std::string_view name) {
    return R"({"State":{"Running":true,"Pid":4242},"ID":")" + id + R"(","Name":"/)" + std::string(name) +
           R"(","Config":{"Hostname":"web","Labels":{"maintainer":"x"}}})";
  }
  static std::string podman_text(const std::string& id, std::string_view name) {
    return R"([{"id":")" + id + R"(","names":[")" + std::string(name) +
           R"("],"image":"4bcf","metadata":"{\"image-name\":\"x\"}","created":"2026-11-01T10:00:00Z"}])";
  }
  // As containerd and CRI-O have it.
  static std::string runtime_text(std::string_view annotations) {
    return R"({"ociVersion":"1.1.0","process":{"args":["sh"]},"annotations":{)" + std::string(annotations) +
           "}}";
  }
};

class ContainerFixture : public testing::Test {
 protected:
  using Text = ContainerFixtureText;

  void write_docker(const std::string& id, std::string_view name) {
    root_.write(docker_file(id), Text::docker_text(id, name));
  }
  static std::string docker_file(const std::string& id) {
    return "var/lib/docker/containers/" + id + "/config.v2.json";
  }

  const TempDirectory root_;
};

}  // namespace statmill
