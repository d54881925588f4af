#include "server/http/line_intake.h"

#include "proto/istatd/parser.h"

namespace statmill {

LinesAccount LineIntake::submit(std::string_view text, Timestamp now) const {
  Batch batch;
  batch.set_sender(LineSender::http());
  parse_istatd_lines(text, batch);
  const uint64_t accepted = intake_.submit(batch, account_, now);
  account_.bytes.add(text.size());
  return {batch.received, accepted, batch.refused};
}

}  // namespace statmill
