// Reads any bytes as each text in which collectors look for the names of containers. What is found is a name
// that a runtime allows, and lies in the text.
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/collectors/container_text.h"
#include "base/check.h"
#include "tests/fuzz/cost_bound.h"

namespace statmill {
namespace {

constexpr size_t kIdSize = 64;

void check_name(const ContainerName& name) {
  SM_CHECK(is_container_name(name.container));
  SM_CHECK(name.pod.empty() == name.name_space.empty());
  SM_CHECK(name.pod.empty() || (is_container_name(name.pod) && is_container_name(name.name_space)));
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const CostBound bound(size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto name = parse_docker_config(text)) check_name(*name);
  if (const auto name = parse_runtime_config(text)) check_name(*name);
  for (const auto& [id, name] : parse_storage_containers(text)) {
    SM_CHECK(id.size() == kIdSize);
    check_name(name);
  }
  if (const auto link = parse_log_name(text)) {
    check_name(link->second);
    SM_CHECK(link->second.pod + "_" + link->second.name_space + "_" + link->second.container + "-" +
                 std::string(link->first) + ".log" ==
             text);
  }
  if (const auto container = container_of(text)) {
    SM_CHECK(container->id.size() == kIdSize && text.find(container->id) != std::string_view::npos);
    SM_CHECK(container->user.has_value() == text.starts_with("/user.slice/"));
  }
  const std::string_view home = find_home(text, 1000);
  SM_CHECK(home.empty() || (home.starts_with('/') && text.find(home) != std::string_view::npos));
  return 0;
}
