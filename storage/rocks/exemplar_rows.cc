#include "storage/rocks/exemplar_rows.h"

#include "storage/exemplar_row.h"

namespace statmill {
namespace {

// Returns whether `b` is kept rather than `a`.
bool is_kept(std::string_view key, std::string_view a, std::string_view b) {
  const auto of = parse_exemplar_key(key);
  if (!of) return true;
  const auto first = decode_exemplar_row(*of, a);
  if (!first) return true;
  const auto second = decode_exemplar_row(*of, b);
  return second && is_larger(*second, *first);
}

}  // namespace

bool ExemplarMerge::Merge(const rocksdb::Slice& key, const rocksdb::Slice* existing,
                          const rocksdb::Slice& value, std::string* merged, rocksdb::Logger*) const {
  const bool is_second =
      existing == nullptr || is_kept(key.ToStringView(), existing->ToStringView(), value.ToStringView());
  const rocksdb::Slice& kept = is_second ? value : *existing;
  merged->assign(kept.data(), kept.size());
  return true;
}

rocksdb::CompactionFilter::Decision ExemplarFilter::FilterV2(int /*level*/, const rocksdb::Slice& key,
                                                             ValueType /*type*/,
                                                             const rocksdb::Slice& /*value*/,
                                                             std::string* /*new_value*/,
                                                             std::string* /*skip_until*/) const {
  const auto of = parse_exemplar_key(key.ToStringView());
  const bool is_expired =
      of && expiry_.is_expired({0, static_cast<ChunkNo>(of->slot / chunk_slots_), of->id});
  return is_expired ? Decision::kRemove : Decision::kKeep;
}

}  // namespace statmill
