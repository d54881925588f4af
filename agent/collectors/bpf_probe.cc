#include "agent/collectors/bpf_probe.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/collectors/bpf_images.h"
#include "agent/collectors/libbpf_log.h"
#include "base/descriptor.h"

namespace statmill {
namespace {

struct Close {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
  void operator()(btf* types) const { btf__free(types); }
};
using Object = std::unique_ptr<bpf_object, Close>;
using KernelTypes = std::unique_ptr<btf, Close>;

Error unavailable(std::string reason) { return {ErrorCode::kUnavailable, std::move(reason)}; }

// Converts an error of a loading step. libbpf returns the negative errno.
Error refused(std::string_view step, int error) {
  if (error == -EPERM) return unavailable("permission (needs CAP_BPF and CAP_PERFMON)");
  return unavailable(std::string(step) + " refused by this kernel: " + std::strerror(-error));
}

// Does not own the descriptor: libbpf closes it.
Descriptor duplicate(int fd) { return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

// A memory-mapped map.
class Mapping {
 public:
  Mapping(std::string name, std::span<std::byte> cells) : name_(std::move(name)), cells_(cells) {}
  Mapping(Mapping&& other) noexcept
      : name_(std::move(other.name_)), cells_(std::exchange(other.cells_, {})) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (!cells_.empty()) ::munmap(cells_.data(), cells_.size());
  }
  const std::string& name() const { return name_; }
  std::span<std::byte> cells() const { return cells_; }

 private:
  std::string name_;
  std::span<std::byte> cells_;
};

class LoadedBpfProbe final : public BpfProbe {
 public:
  std::span<const BpfHook> hooks() const override { return hooks_; }

  std::vector<BpfUse> uses() const override {
    std::vector<BpfUse> uses;
    for (const Descriptor& program : programs_) {
      bpf_prog_info info{};
      __u32 size = sizeof(info);
      const bool known = program.get() >= 0 && bpf_obj_get_info_by_fd(program.get(), &info, &size) == 0;
      uses.push_back(known ? BpfUse{true, info.run_cnt, info.run_time_ns, info.recursion_misses} : BpfUse{});
    }
    return uses;
  }

  std::span<std::byte> cells(std::string_view map) const override {
    for (const Mapping& mapping : mappings_) {
      if (mapping.name() == map) return mapping.cells();
    }
    return {};
  }

  void add_hook(BpfHook hook, Descriptor program, Descriptor link) {
    hooks_.push_back(std::move(hook));
    programs_.push_back(std::move(program));
    links_.push_back(std::move(link));
  }
  void add_mapping(Mapping mapping) { mappings_.push_back(std::move(mapping)); }

 private:
  std::vector<Mapping> mappings_;
  std::vector<BpfHook> hooks_;
  std::vector<Descriptor> programs_;  // in the order of hooks_; -1: missing
  std::vector<Descriptor> links_;     // in the order of hooks_; closing a link detaches its program
};

constexpr std::string_view kTypedPlace = "tp_btf/";
constexpr std::string_view kRawSuffix = "_raw";
constexpr std::string_view kBanksSuffix = "_banks";

// Loads one subject.
class BpfLoading {
 public:
  BpfLoading(const BpfPlan& plan, Log& log) : plan_(plan), messages_(log) {}

  LoadedProbe run() {
    if (!plan_.is_without_btf) types_.reset(btf__load_vmlinux_btf());
    has_types_ = types_ != nullptr;
    choose();
    types_.reset();
    if (std::none_of(hooks_.begin(), hooks_.end(), is_wanted))
      return unavailable(has_types_ ? "this kernel supports none of the hooks" : "no BTF");
    Result<Object> object = load_what_loads();
    LoadedProbe probe = object ? attached(object->get()) : LoadedProbe(object.error());
    if (object) object->reset();
    ::malloc_trim(0);  // returns several MB to the system: libbpf parsed the whole BTF of the kernel
    return probe;
  }

 private:
  static bool is_wanted(const BpfHook& hook) { return hook.missing.empty(); }

  // Selects, for each program with a raw variant, the one that this kernel supports.
  void choose() {
    const Object object(open());
    if (object == nullptr) return;
    bpf_program* program = nullptr;
    while ((program = bpf_object__next_program(object.get(), program)) != nullptr) {
      const std::string name = bpf_program__name(program);
      if (name.ends_with(kRawSuffix)) continue;
      BpfHook hook{name, bpf_program__section_name(program), {}};
      if (!has_attach_point(hook.attach_point)) hook.missing = has_types_ ? "not in this kernel" : "no BTF";
      const std::string twin = name + std::string(kRawSuffix);
      if (const bpf_program* raw = bpf_object__find_program_by_name(object.get(), twin.c_str());
          raw != nullptr && !hook.missing.empty()) {
        hook = {twin, bpf_program__section_name(raw), {}};
      }
      hooks_.push_back(std::move(hook));
    }
  }

  bool has_attach_point(std::string_view place) const {
    if (!place.starts_with(kTypedPlace)) return true;
    const std::string type = "btf_trace_" + std::string(place.substr(kTypedPlace.size()));
    return has_types_ && btf__find_by_name_kind(types_.get(), type.c_str(), BTF_KIND_TYPEDEF) >= 0;
  }

  bpf_object* open() const {
    const std::string_view image = bpf_image(plan_.subject);
    return bpf_object__open_mem(image.data(), image.size(), nullptr);
  }

  // If the kernel refuses one program, libbpf refuses all of them: so retry without that program.
  Result<Object> load_what_loads() {
    for (;;) {
      Object object(open());
      if (object == nullptr) return refused("eBPF object", -errno);
      if (Status prepared = prepare(object.get()); !prepared) return prepared.error();
      const int error = bpf_object__load(object.get());
      if (error == 0) return object;
      const std::string name = messages_.pop_refused();
      const auto hook = std::find_if(hooks_.begin(), hooks_.end(), [&](const BpfHook& candidate) {
        return candidate.program == name && is_wanted(candidate);
      });
      const Error reason = refused("eBPF program", error);
      if (error == -EPERM || hook == hooks_.end()) return reason;
      hook->missing = reason.message;
      if (std::none_of(hooks_.begin(), hooks_.end(), is_wanted)) return reason;
    }
  }

  Status prepare(bpf_object* object) const {
    bpf_program* program = nullptr;
    while ((program = bpf_object__next_program(object, program)) != nullptr) {
      const std::string_view name = bpf_program__name(program);
      const bool is_chosen = std::any_of(hooks_.begin(), hooks_.end(), [&](const BpfHook& hook) {
        return hook.program == name && is_wanted(hook);
      });
      bpf_program__set_autoload(program, is_chosen);
    }
    const int cpus = libbpf_num_possible_cpus();
    if (cpus <= 0) return unavailable("number of CPUs unknown");
    bpf_map* map = nullptr;
    while ((map = bpf_object__next_map(object, map)) != nullptr) {
      const std::string_view name = bpf_map__name(map);
      if (name.ends_with(kBanksSuffix))
        bpf_map__set_max_entries(map, bpf_map__max_entries(map) * static_cast<__u32>(cpus));
      if (name.ends_with(".rodata") && !plan_.settings.empty()) set_constants(map);
    }
    return Status::ok();
  }

  // `settings` is the only constant of a program, so it is at the beginning.
  void set_constants(bpf_map* map) const {
    size_t size = 0;
    const auto* const initial = static_cast<const std::byte*>(bpf_map__initial_value(map, &size));
    SM_CHECK(initial != nullptr && size >= plan_.settings.size());
    std::vector<std::byte> constants(initial, initial + size);
    std::copy(plan_.settings.begin(), plan_.settings.end(), constants.begin());
    SM_CHECK(bpf_map__set_initial_value(map, constants.data(), size) == 0);
  }

  LoadedProbe attached(bpf_object* object) {
    auto probe = std::make_unique<LoadedBpfProbe>();
    if (Status mapped = map_banks(object, *probe); !mapped) return mapped.error();
    bool has_any = false;
    for (BpfHook& hook : hooks_) {
      Descriptor program_fd;
      Descriptor link_fd;
      if (is_wanted(hook)) {
        const bpf_program* program = bpf_object__find_program_by_name(object, hook.program.c_str());
        const std::unique_ptr<bpf_link, Close> link(bpf_program__attach(program));
        if (link == nullptr) {
          hook.missing = refused("eBPF attachment", -errno).message;
        } else {
          program_fd = duplicate(bpf_program__fd(program));
          link_fd = duplicate(bpf_link__fd(link.get()));
          has_any = true;
        }
      }
      probe->add_hook(hook, std::move(program_fd), std::move(link_fd));
    }
    if (!has_any) return unavailable(hooks_.front().missing);
    return LoadedProbe(std::move(probe));
  }

  static Status map_banks(bpf_object* object, LoadedBpfProbe& probe) {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    bpf_map* map = nullptr;
    while ((map = bpf_object__next_map(object, map)) != nullptr) {
      const std::string_view name = bpf_map__name(map);
      if (!name.ends_with(kBanksSuffix)) continue;
      const size_t bytes = size_t{bpf_map__value_size(map)} * bpf_map__max_entries(map);
      void* const cells = ::mmap(nullptr, (bytes + page - 1) / page * page, PROT_READ | PROT_WRITE,
                                 MAP_SHARED, bpf_map__fd(map), 0);
      if (cells == MAP_FAILED) return refused("mapping", -errno);
      probe.add_mapping({std::string(name), {static_cast<std::byte*>(cells), bytes}});
    }
    return Status::ok();
  }

  const BpfPlan plan_;
  LibbpfLog messages_;
  KernelTypes types_;
  bool has_types_ = false;
  std::vector<BpfHook> hooks_;
};

}  // namespace

LoadedProbe load_bpf_probe(const BpfPlan& plan, Log& log) { return BpfLoading(plan, log).run(); }

std::map<uint64_t, std::string> kernel_enum(const char* name) {
  std::map<uint64_t, std::string> names;
  const KernelTypes types(btf__load_vmlinux_btf());
  const int id = types == nullptr ? -1 : btf__find_by_name_kind(types.get(), name, BTF_KIND_ENUM);
  if (id < 0) return names;
  const btf_type* const type = btf__type_by_id(types.get(), static_cast<__u32>(id));
  const struct btf_enum* const members = btf_enum(type);
  for (__u32 i = 0; i < btf_vlen(type); ++i) {
    names[static_cast<__u32>(members[i].val)] = btf__name_by_offset(types.get(), members[i].name_off);
  }
  return names;
}

}  // namespace statmill
