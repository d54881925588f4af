// ServerSnapshot: the files of a server's store at one moment, read piece by piece
// (server/admin/snapshots.h).
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/long_job.h"
#include "base/result.h"
#include "tools/statmill/client.h"

namespace statmill {

// The files of the server's store at one moment.
struct SnapshotListing {
  struct File {
    std::string name;  // may be anything
    uint64_t bytes = 0;
  };
  std::string id;
  std::string format;
  std::vector<File> files;
};

// Errors: kCorrupt.
Result<SnapshotListing> parse_snapshot(std::string_view text);

// Confined to one thread. Errors of all functions: those of Client; kIo for an answer that is no answer to
// the question; kNotFound if the server has released the snapshot; the server's own.
class ServerSnapshot {
 public:
  using File = SnapshotListing::File;

  // Requests fail with kUnavailable once a stop is requested, but for the last one, which releases the
  // snapshot.
  static Result<ServerSnapshot> make(const Client& client, const std::stop_token& stop);
  // Releases it.
  ~ServerSnapshot();
  ServerSnapshot(ServerSnapshot&& other) noexcept;
  ServerSnapshot& operator=(ServerSnapshot&&) = delete;

  const std::string& format() const { return listing_.format; }
  const std::vector<File>& files() const { return listing_.files; }
  // The size of all files.
  uint64_t bytes() const;

  // Returns the next piece of the file from `offset` on; empty at its end.
  Result<std::string> read(const File& file, uint64_t offset) const;
  // Returns the checksum of the whole file; its bytes are added to the job.
  Result<uint32_t> crc32c(const File& file, LongJob& job) const;

 private:
  ServerSnapshot(const Client& client, std::stop_token stop, SnapshotListing listing)
      : client_(client), stop_(std::move(stop)), listing_(std::move(listing)) {}
  // Asks again while the server has no room for the answer, or the connection breaks.
  Result<std::string> ask(const std::string& path, const UrlParameters& parameters) const;
  std::string path(std::string_view what) const;

  const Client client_;
  const std::stop_token stop_;
  SnapshotListing listing_;  // without an id after a move
};

}  // namespace statmill
