#include "tools/statmill/import/import_run.h"

#include <utility>

namespace statmill {
namespace {

constexpr std::string_view kUnreadable = "unreadable";

// Reads one file. Returns false if the batches want no more.
Result<bool> read_file(const HistoryFile& file, const ImportRunOptions& options, uint64_t index,
                       ReadPosition from, LongJob& job, ImportBatches& batches) {
  auto reader = open_history(file, options.input, from);
  if (!reader) return reader.error();
  batches.begin_file(file.path, (*reader)->place());
  uint64_t done = (*reader)->bytes();
  job.add(done);
  while (true) {
    batches.begin_piece(index, (*reader)->position());
    const Result<bool> read = (*reader)->read(batches);
    job.add((*reader)->bytes() - done);
    done = (*reader)->bytes();
    if (!read) return read.error();
    if (job.is_cancelled() || !batches.status()) return false;
    if (!*read) return true;
  }
}

}  // namespace

Status read_history(const ImportRunOptions& options, const ImportCheckpoint& from, LongJob& job,
                    ImportBatches& batches) {
  for (const HistoryFile& file : options.files) job.expect(file.bytes);
  for (uint64_t i = 0; i < options.files.size(); ++i) {
    const HistoryFile& file = options.files[i];
    if (i < from.file) {
      job.add(file.bytes);
      continue;
    }
    const Result<bool> read =
        read_file(file, options, i, i == from.file ? from.from : ReadPosition(), job, batches);
    if (!read && options.is_strict) return Error(read.error()).with(file.path);
    const bool goes_on = read ? *read : batches.refuse_file(file.path, read.error().message, kUnreadable);
    if (goes_on) continue;
    if (!batches.status()) return batches.status();
    return Error{ErrorCode::kUnavailable, "interrupted"};
  }
  return batches.finish();
}

ImportRun::ImportRun(const ImportRunOptions& options, std::string state_path, ImportState state,
                     ImportTotals* totals, const Clock& clock)
    : options_(options),
      state_path_(std::move(state_path)),
      state_(std::move(state)),
      totals_(totals),
      clock_(clock) {}

Result<ImportSent> ImportRun::send(ImportStreamOptions stream_options, LongJob& job, std::stop_token stop) {
  ImportCheckpoint from = state_.checkpoint;
  stream_options.id = state_.id;
  stream_options.secret = state_.secret;
  if (from.seq > 0) stream_options.acknowledged = {1, from.seq, from.lines, state_.time};
  // Before anything is sent, so that a crash leaves a state.
  if (!state_path_.empty()) {
    if (Status written = write_import_state(state_path_, state_); !written) return written.error();
  }
  ImportStream stream(std::move(stream_options), clock_, std::move(stop));
  const auto durable = stream.open();
  if (!durable) return durable.error();
  // A server that was restored from a backup has less than it had acknowledged: all batches are made again.
  if (durable->seq < from.seq) from = {};
  ImportBatches batches(
      {.time = state_.time,
       .from = from,
       .totals = durable->seq == 0 ? totals_ : nullptr,
       .prefix = options_.prefix,
       .is_strict = options_.is_strict,
       .send = [&](const BatchFrame& batch,
                   const ImportCheckpoint& end) { return pass_on(stream, *durable, batch, end); },
       .should_stop = [&job] { return job.is_cancelled(); }});
  if (Status read = read_history(options_, from, job, batches); !read) {
    if (Status noted = note(stream.acknowledged(), true); !noted) return noted.error();
    return read.error();
  }
  if (Status finished = stream.finish(); !finished) return finished.error();
  if (Status noted = note(stream.acknowledged(), true); !noted) return noted.error();
  return ImportSent{.account = batches.account(),
                    .lines_refused = stream.lines_refused(),
                    .reconnects = stream.reconnects(),
                    .was_resumed = durable->seq > 0};
}

// Sends a batch, unless the server has it from an earlier run.
Status ImportRun::pass_on(ImportStream& stream, const AgentPosition& durable, const BatchFrame& batch,
                          const ImportCheckpoint& end) {
  if (batch.seq <= durable.seq) {
    if (batch.seq < durable.seq || end.lines == durable.lines) return Status::ok();
    return Error{ErrorCode::kInvalid, "the files have changed since the import began"};
  }
  if (Status sent = stream.send(batch); !sent) return sent;
  unacknowledged_.push_back(end);
  return note(stream.acknowledged(), false);
}

// Writes the state from time to time, and at the end.
Status ImportRun::note(uint64_t acknowledged, bool is_last) {
  while (!unacknowledged_.empty() && unacknowledged_.front().seq <= acknowledged) {
    state_.checkpoint = unacknowledged_.front();
    unacknowledged_.pop_front();
  }
  const SteadyTime now = clock_.steady();
  if (state_path_.empty() || (!is_last && now - noted_at_ < kStateInterval)) return Status::ok();
  noted_at_ = now;
  return write_import_state(state_path_, state_);
}

}  // namespace statmill
