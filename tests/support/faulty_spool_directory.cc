#include "tests/support/faulty_spool_directory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

Error fault() { return {ErrorCode::kIo, "the disk fails"}; }
Error missing(const std::string& name) { return {ErrorCode::kNotFound, name + ": no such file"}; }

}  // namespace

class FaultySpoolFile final : public SpoolFile {
 public:
  FaultySpoolFile(FaultySpoolDirectory& directory, uint64_t inode) : directory_(directory), inode_(inode) {}

  Status append(std::string_view bytes) override { return directory_.append(inode_, bytes); }
  Status sync() override { return directory_.sync_inode(inode_); }

 private:
  FaultySpoolDirectory& directory_;
  const uint64_t inode_;
};

void FaultySpoolDirectory::power_cut() {
  std::set<std::string> names;
  for (const Entries* entries : {&entries_, &durable_entries_}) {
    for (const auto& [name, inode] : *entries) names.insert(name);
  }
  Entries left;
  for (const std::string& name : names) {
    const Entries& from = any_below(2) == 0 ? entries_ : durable_entries_;
    if (const auto it = from.find(name); it != from.end()) left.insert(*it);
  }
  entries_ = durable_entries_ = left;
  for (auto& [number, inode] : inodes_) {
    const size_t unsynced = inode.bytes.size() - inode.synced;
    const size_t kept = inode.synced + any_below(unsynced + 1);
    if (any_below(4) == 0) {
      std::fill(inode.bytes.begin() + static_cast<std::ptrdiff_t>(kept), inode.bytes.end(), '\0');
    } else {
      inode.bytes.resize(kept);
    }
    inode.synced = inode.bytes.size();
    inode.has_failed = false;
  }
}

std::vector<std::string> FaultySpoolDirectory::names() const {
  std::vector<std::string> names;
  for (const auto& [name, inode] : entries_) names.push_back(name);
  return names;
}

uint64_t FaultySpoolDirectory::bytes() const {
  uint64_t bytes = 0;
  for (const auto& [name, inode] : entries_) bytes += inodes_.at(inode).bytes.size();
  return bytes;
}

std::string& FaultySpoolDirectory::contents(const std::string& name) {
  Inode* const inode = find(name);
  SM_CHECK(inode != nullptr);
  return inode->bytes;
}

void FaultySpoolDirectory::put(const std::string& name, std::string contents) {
  const size_t size = contents.size();
  inodes_[next_inode_] = {.bytes = std::move(contents), .synced = size};
  entries_[name] = durable_entries_[name] = next_inode_++;
}

std::unique_ptr<FaultySpoolDirectory> FaultySpoolDirectory::copy(uint64_t seed) const {
  auto other = std::make_unique<FaultySpoolDirectory>(seed);
  for (const auto& [name, inode] : entries_) other->put(name, inodes_.at(inode).bytes);
  return other;
}

Result<std::vector<std::string>> FaultySpoolDirectory::list() {
  if (meets_fault(SpoolCall::kList)) return fault();
  return names();
}

Result<std::string> FaultySpoolDirectory::read(const std::string& name, uint64_t offset, size_t bytes) {
  if (meets_fault(SpoolCall::kRead)) return fault();
  const Inode* const inode = find(name);
  if (inode == nullptr) return missing(name);
  if (offset >= inode->bytes.size()) return std::string();
  return inode->bytes.substr(offset, bytes);
}

Result<uint64_t> FaultySpoolDirectory::size(const std::string& name) {
  if (meets_fault(SpoolCall::kSize)) return fault();
  const Inode* const inode = find(name);
  if (inode == nullptr) return missing(name);
  return inode->bytes.size();
}

Result<std::unique_ptr<SpoolFile>> FaultySpoolDirectory::open_for_append(const std::string& name) {
  if (meets_fault(SpoolCall::kOpenForAppend)) return fault();
  const auto it = entries_.find(name);
  if (it == entries_.end()) return missing(name);
  return std::unique_ptr<SpoolFile>(std::make_unique<FaultySpoolFile>(*this, it->second));
}

Status FaultySpoolDirectory::rewrite(const std::string& name, std::string_view contents) {
  Inode* const inode = find(name);
  if (inode == nullptr) return missing(name);
  SM_CHECK(inode->bytes.starts_with(contents));
  if (meets_fault(SpoolCall::kRewrite)) return fault();
  // The next sync saves all of it, even what a failed one had discarded.
  *inode = {.bytes = std::string(contents), .synced = contents.size()};
  return Status::ok();
}

Status FaultySpoolDirectory::remove(const std::string& name) {
  if (meets_fault(SpoolCall::kRemove)) return fault();
  entries_.erase(name);
  return Status::ok();
}

Status FaultySpoolDirectory::replace(const std::string& name, std::string_view contents) {
  if (meets_fault(SpoolCall::kReplace)) return fault();
  inodes_[next_inode_] = {.bytes = std::string(contents), .synced = contents.size()};
  entries_[name] = next_inode_++;
  return Status::ok();
}

Status FaultySpoolDirectory::sync() {
  const bool fails_now = meets_fault(SpoolCall::kSync);
  if (fails_now && any_below(2) == 0) return fault();
  durable_entries_ = entries_;
  std::erase_if(inodes_, [&](const auto& inode) {
    return std::none_of(entries_.begin(), entries_.end(),
                        [&](const auto& e) { return e.second == inode.first; });
  });
  if (fails_now) return fault();
  return Status::ok();
}

bool FaultySpoolDirectory::meets_fault(SpoolCall call) {
  ++calls_;
  return fails(call);
}

uint64_t FaultySpoolDirectory::any_below(uint64_t limit) { return random_() % limit; }

Status FaultySpoolDirectory::append(uint64_t inode, std::string_view bytes) {
  const auto it = inodes_.find(inode);
  if (it == inodes_.end()) return missing("a removed file");
  if (meets_fault(SpoolCall::kAppend)) {
    it->second.bytes.append(bytes.substr(0, any_below(bytes.size() + 1)));
    return fault();
  }
  it->second.bytes.append(bytes);
  return Status::ok();
}

Status FaultySpoolDirectory::sync_inode(uint64_t number) {
  Inode& inode = inodes_.at(number);
  if (meets_fault(SpoolCall::kSyncFile)) {
    if (any_below(2) == 0 && !inode.has_failed) inode.synced = inode.bytes.size();
    inode.has_failed = true;
    return fault();
  }
  if (!inode.has_failed) inode.synced = inode.bytes.size();
  return Status::ok();
}

FaultySpoolDirectory::Inode* FaultySpoolDirectory::find(const std::string& name) {
  const auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : &inodes_.at(it->second);
}

}  // namespace statmill
