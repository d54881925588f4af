#include "agent/catalogue/catalogue.h"

#include <algorithm>

#include "base/check.h"
#include "proto/kind_text.h"

namespace statmill {
namespace {

// "`a`, `b`"; "-" if empty.
std::string code(std::string_view names) {
  if (names.empty()) return "-";
  std::string out;
  while (!names.empty()) {
    const size_t end = names.find(", ");
    out.append(out.empty() ? "`" : ", `").append(names.substr(0, end)).append("`");
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 2);
  }
  return out;
}

std::string row_of(const Family& family) {
  std::string tags;
  for (size_t i = 0; i < family.tag_count(); ++i) {
    if (i > 0) tags += ", ";
    tags += family.tags.at(i);
  }
  const std::string collector = std::string(family.collector) + (family.is_ebpf ? " (eBPF)" : "");
  std::string row = "| `" + std::string(family.path) + "`";
  for (const std::string& cell :
       {code(tags), std::string(kind_text(family.kind)),
        family.unit.empty() ? std::string("-") : std::string(family.unit), collector,
        std::string(family.help), code(family.node_exporter), code(family.netdata), code(family.rezolus)})
    row += " | " + cell;
  return row + " |\n";
}

constexpr std::string_view kPageHead =
    "# The series of a host\n"
    "\n"
    "Every family that an agent reports about its host, by path. `statmill-agent --series` prints this page. "
    "Each series\n"
    "has the tags `host` and those of `--agent.tags`, too: "
    "`host.block.bytes;device=vda;host=web1.example.org;op=read`.\n"
    "Events are amounts per interval, which queries read as rates; distributions have percentiles. The "
    "collectors marked\n"
    "eBPF have these families only on kernels that let them; all others have the same names on every kernel. "
    "The last\n"
    "columns have the name of the same fact, or of the nearest, in node_exporter, Netdata (its context) and "
    "Rezolus.\n"
    "\n"
    "| family | tags | kind | unit | collector | what it is | node_exporter | Netdata | Rezolus |\n"
    "|---|---|---|---|---|---|---|---|---|\n";

}  // namespace

void the_catalogue_has_no_such_family_of_this_kind() { SM_CHECK(false); }

std::vector<const Family*> all_families() {
  std::vector<const Family*> all;
  const auto add = [&all](const auto& families) {
    for (const Family& family : families) all.push_back(&family);
  };
  add(kAgentFamilies);
  add(kBlockFamilies);
  add(kCgroupFamilies);
  add(kCpuFamilies);
  add(kHardwareFamilies);
  add(kFilesystemFamilies);
  add(kInetFamilies);
  add(kMeminfoFamilies);
  add(kMemoryFamilies);
  add(kNetFamilies);
  add(kNetworkTableFamilies);
  add(kVolumeFamilies);
  add(kNumaFamilies);
  add(kProcessFamilies);
  add(kSocketFamilies);
  add(kSystemFamilies);
  std::sort(all.begin(), all.end(), [](const Family* a, const Family* b) { return a->path < b->path; });
  return all;
}

std::string series_page() {
  std::string page(kPageHead);
  for (const Family* const family : all_families()) page += row_of(*family);
  return page;
}

}  // namespace statmill
