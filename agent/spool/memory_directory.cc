#include "agent/spool/memory_directory.h"

#include <algorithm>
#include <utility>

namespace statmill {
namespace {

constexpr size_t kPieceBytes = 64 * 1024;

using Files = std::map<std::string, MemoryDirectory::Contents, std::less<>>;

Error missing(const std::string& name) { return {ErrorCode::kNotFound, name + ": no such file"}; }

void add(MemoryDirectory::Contents& contents, std::string_view bytes) {
  while (!bytes.empty()) {
    if (contents.size % kPieceBytes == 0) contents.pieces.emplace_back().reserve(kPieceBytes);
    std::string& piece = contents.pieces.back();
    const size_t copied = std::min(bytes.size(), kPieceBytes - piece.size());
    piece.append(bytes.substr(0, copied));
    contents.size += copied;
    bytes.remove_prefix(copied);
  }
}

class MemoryFile final : public SpoolFile {
 public:
  MemoryFile(Files& files, std::string name) : files_(files), name_(std::move(name)) {}

  Status append(std::string_view bytes) override {
    const auto it = files_.find(name_);
    if (it == files_.end()) return missing(name_);
    add(it->second, bytes);
    return Status::ok();
  }
  Status sync() override { return Status::ok(); }

 private:
  Files& files_;
  const std::string name_;
};

}  // namespace

Result<std::vector<std::string>> MemoryDirectory::list() {
  std::vector<std::string> names;
  names.reserve(files_.size());
  for (const auto& [name, contents] : files_) names.push_back(name);
  return names;
}

Result<std::string> MemoryDirectory::read(const std::string& name, uint64_t offset, size_t bytes) {
  const auto it = files_.find(name);
  if (it == files_.end()) return missing(name);
  const Contents& contents = it->second;
  std::string out;
  if (offset >= contents.size) return out;
  const uint64_t end = offset + std::min<uint64_t>(bytes, contents.size - offset);
  out.reserve(end - offset);
  while (offset < end) {
    const std::string_view piece = contents.pieces[offset / kPieceBytes];
    const std::string_view part = piece.substr(offset % kPieceBytes, end - offset);
    out.append(part);
    offset += part.size();
  }
  return out;
}

Result<uint64_t> MemoryDirectory::size(const std::string& name) {
  const auto it = files_.find(name);
  if (it == files_.end()) return missing(name);
  return it->second.size;
}

Result<std::unique_ptr<SpoolFile>> MemoryDirectory::open_for_append(const std::string& name) {
  if (!files_.contains(name)) return missing(name);
  return std::unique_ptr<SpoolFile>(std::make_unique<MemoryFile>(files_, name));
}

Status MemoryDirectory::rewrite(const std::string& name, std::string_view contents) {
  if (!files_.contains(name)) return missing(name);
  return replace(name, contents);
}

Status MemoryDirectory::remove(const std::string& name) {
  files_.erase(name);
  return Status::ok();
}

Status MemoryDirectory::replace(const std::string& name, std::string_view contents) {
  Contents made;
  add(made, contents);
  files_.insert_or_assign(name, std::move(made));
  return Status::ok();
}

}  // namespace statmill
