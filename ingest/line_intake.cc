#include "ingest/line_intake.h"

#include "proto/istatd/parser.h"

namespace statmill {
namespace {

void parse(const LineBlock& block, Batch& batch) {
  batch.set_sender(block.sender);
  if (block.action == LinesAction::kSkip) return;
  parse_canonical_lines(block.text, block.tags, batch);
  if (block.action == LinesAction::kApply) return;
  batch.refuse_all_samples(Refusal::kTooNew);
  batch.samples.clear();
}

}  // namespace

LinesAccount LineIntake::submit(const LineBlock& block) const {
  Batch batch;
  parse(block, batch);
  account_.bytes.add(block.text.size());
  const uint64_t accepted = intake_.submit(batch, account_, block.now);
  return {batch.received, accepted, batch.refused};
}

void LineIntake::submit(const LineBlock& block, SampleSink& sink, Batch& batch) const {
  batch.clear();
  parse(block, batch);
  account_.bytes.add(block.text.size());
  intake_.submit(batch, account_, block.now, sink);
}

}  // namespace statmill
