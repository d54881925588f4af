// Writes the answer of a query with format=jsonl: whole buckets, so that the same series can be made of them
// again (docs/import.md, "JSONL").
#pragma once

#include <string>

#include "base/result.h"
#include "server/query/body_sink.h"
#include "server/query/query.h"

namespace statmill {

// Appends the element of one slot, without a comma before it. Nothing may be lost: the numbers of a bucket
// that is a decimal have all their digits.
//   [TIME,VALUE]                                      one sample, or the total of an event or counter
//   [TIME,COUNT,SUM,SQUARES,MIN,MAX]                  several samples
//   [TIME,COUNT,SUM,"~DEVIATIONS",MIN,MAX]            several, of a bucket in doubles
//   [TIME,COUNT,SUM,SQUARES,MIN,MAX,[CELL,COUNT,...]] several of a distribution
// `histogram` may be null. Requires: the bucket is not empty.
void append_bucket_json(std::string& out, int64_t time_s, const Bucket& bucket,
                        const SparseHistogram* histogram);

// Writes a line for each series that has samples, then {"end":true,"series":2} with the number of these
// lines. Warnings of the answer are in that line. Errors: those of the sink.
Status write_buckets(const QueryAnswer& answer, BodySink& sink);

}  // namespace statmill
