#include "tools/statmill/server_snapshot.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "tools/statmill/answer.h"
#include "tools/statmill/answer_document.h"

namespace statmill {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{1} << 20;
constexpr uint64_t kSummedBytes = uint64_t{64} << 20;

// A piece comes soon, or never.
constexpr Duration kPieceTimeout = std::chrono::minutes(2);
constexpr Duration kReleaseTimeout = std::chrono::seconds(5);
constexpr int kTriesMax = 10;
constexpr Duration kPauseBetweenTries = std::chrono::seconds(1);

// Returns false if a stop was requested meanwhile.
bool pause(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, kPauseBetweenTries, [] { return false; });
  return !stop.stop_requested();
}

// Returns the body of a good answer.
Result<std::string> body_of(Result<HttpAnswer> answer) {
  if (!answer) return answer.error();
  if (answer->status == 200) return std::move(answer->body);
  return Error{answer->status == 404 ? ErrorCode::kNotFound : ErrorCode::kIo, error_text(*answer)};
}

UrlParameters range(const ServerSnapshot::File& file, uint64_t offset, uint64_t bytes) {
  return {{"file", file.name}, {"offset", std::to_string(offset)}, {"bytes", std::to_string(bytes)}};
}

Error other_size(const ServerSnapshot::File& file, uint64_t bytes, uint64_t wanted) {
  return {ErrorCode::kIo, "the server's answer has " + std::to_string(bytes) + " bytes of " + file.name +
                              " instead of " + std::to_string(wanted)};
}

}  // namespace

Result<SnapshotListing> parse_snapshot(std::string_view text) {
  AnswerDocument document(text);
  SnapshotListing out;
  out.id = document.text(document.field(document.root(), "snapshot"));
  out.format = document.text(document.field(document.root(), "format"));
  for (const boost::json::value& file : document.array(document.field(document.root(), "files"))) {
    const int64_t bytes = document.integer(document.field(file, "bytes"));
    if (document.failed() || bytes < 0) return not_understood("snapshot");
    out.files.push_back({document.text(document.field(file, "name")), static_cast<uint64_t>(bytes)});
  }
  if (document.failed() || out.id.empty() || out.id.find('/') != std::string::npos)
    return not_understood("snapshot");
  return out;
}

Result<ServerSnapshot> ServerSnapshot::make(const Client& client, const std::stop_token& stop) {
  const auto body = body_of(client.post("/admin/v1/snapshots", {}));
  if (!body && body.error().code == ErrorCode::kNotFound)
    return Error{
        ErrorCode::kNotFound,
        "the server makes no backups at this address: over HTTP it does so only with --http.tokens, for a "
        "token with the role admin"};
  if (!body) return body.error();
  auto listing = parse_snapshot(*body);
  if (!listing) return listing.error();
  return ServerSnapshot(client, stop, *std::move(listing));
}

ServerSnapshot::ServerSnapshot(ServerSnapshot&& other) noexcept
    : client_(other.client_), stop_(other.stop_), listing_(std::exchange(other.listing_, {})) {}

// If the server does not get this, it releases the snapshot by itself.
ServerSnapshot::~ServerSnapshot() {
  if (!listing_.id.empty()) static_cast<void>(client_.within(kReleaseTimeout).post(path("release"), {}));
}

std::string ServerSnapshot::path(std::string_view what) const {
  return "/admin/v1/snapshots/" + listing_.id + "/" + std::string(what);
}

uint64_t ServerSnapshot::bytes() const {
  uint64_t sum = 0;
  for (const File& file : files()) sum += file.bytes;
  return sum;
}

Result<std::string> ServerSnapshot::ask(const std::string& path, const UrlParameters& parameters) const {
  const Client client = client_.until(stop_).within(kPieceTimeout);
  for (int i = 1;; ++i) {
    Result<HttpAnswer> answer = client.get(path, parameters);
    const bool may_succeed = answer ? answer->status == 503 : answer.error().code == ErrorCode::kUnavailable;
    if (!may_succeed || i == kTriesMax || !pause(stop_)) return body_of(std::move(answer));
  }
}

Result<std::string> ServerSnapshot::read(const File& file, uint64_t offset) const {
  const uint64_t bytes = std::min(kPieceBytes, file.bytes - std::min(offset, file.bytes));
  if (bytes == 0) return std::string();
  auto piece = ask(path("piece"), range(file, offset, bytes));
  if (piece && piece->size() != bytes) return other_size(file, piece->size(), bytes);
  return piece;
}

Result<uint32_t> ServerSnapshot::crc32c(const File& file, LongJob& job) const {
  uint32_t crc = 0;
  for (uint64_t offset = 0; offset < file.bytes;) {
    const uint64_t bytes = std::min(kSummedBytes, file.bytes - offset);
    UrlParameters parameters = range(file, offset, bytes);
    parameters.emplace_back("crc32c", std::to_string(crc));
    const auto body = ask(path("sum"), parameters);
    if (!body) return body.error();
    const auto summed = parse_count(*body, "bytes");
    const auto sum = parse_count(*body, "crc32c");
    if (!sum || !summed) return (sum ? summed : sum).error();
    if (*summed != bytes) return other_size(file, *summed, bytes);
    crc = static_cast<uint32_t>(*sum);
    offset += bytes;
    job.add(bytes);
  }
  return crc;
}

}  // namespace statmill
