#include "server/names/name_index.h"

#include <algorithm>

#include "proto/name_escapes.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/name_scan.h"

namespace statmill {
namespace {

// Returns true if escaped_path() of the label that the path means is the path.
bool is_canonical(std::string_view path) {
  const auto is_plain = [](char c) { return c > ' ' && c < '~' && c != '%' && c != ';'; };
  return std::all_of(path.begin(), path.end(), is_plain) || escaped_path(path) == path;
}

}  // namespace

NameIndex::NameIndex() {
  for (size_t i = 0; i < kPartsMax; ++i)
    part_dictionaries_.push_back(std::make_unique<TokenDictionary>(hash_, retired_));
}

NameRow NameIndex::add(std::string_view name) {
  retired_.reclaim();
  const NameParts parts = parts_of(name);
  const auto path_parts = static_cast<uint32_t>(1 + std::count(parts.path.begin(), parts.path.end(), '.'));
  if (path_parts == 1 && parts.tags.empty()) return add_text(kFlatNames, name, parts.path);
  const uint32_t number = table_for(parts, path_parts);
  if (number == kOtherNames) return add_text(kOtherNames, name, parts.path);
  NameTable& table = *own_tables_[number];
  size_t ram = table.ram_bytes();
  tokens_.clear();
  const auto intern = [&](size_t column, std::string_view text) {
    const TokenDictionary& dictionary = table.dictionary(column);
    ram += dictionary.ram_bytes();
    tokens_.push_back(table.intern(column, text));
    ram -= dictionary.ram_bytes();
  };
  for (size_t begin = 0, c = 0; c < path_parts; ++c) {
    const size_t end = std::min(parts.path.find('.', begin), parts.path.size());
    intern(c, parts.path.substr(begin, end - begin));
    begin = end + 1;
  }
  for (size_t i = 0; i < parts.tags.size(); ++i) intern(path_parts + i, parts.tags[i].value);
  const uint32_t row = table.add(tokens_);
  ram_bytes_.fetch_add(table.ram_bytes() - ram, std::memory_order_relaxed);
  return {number, row};
}

NameRow NameIndex::add_text(uint32_t to, std::string_view name, std::string_view path) {
  if (!is_canonical(path)) are_canonical_.store(false, std::memory_order_relaxed);
  return {to, (to == kFlatNames ? flat_names_ : other_names_).add(name)};
}

// Returns the number of the table with the shape of a name, or kOtherNames.
uint32_t NameIndex::table_for(const NameParts& parts, uint32_t path_parts) {
  if (path_parts > kPartsMax) return kOtherNames;
  shape_.assign(1, static_cast<char>(path_parts));
  for (const NameParts::Tag& tag : parts.tags) shape_.append(tag.key).append(";");
  if (shape_ == last_shape_) return last_table_;
  const auto known = shapes_.find(std::string_view(shape_));
  if (known != shapes_.end()) {
    last_shape_ = shape_;
    return last_table_ = known->second;
  }
  if (own_tables_.size() == kTablesMax) return kOtherNames;
  std::vector<std::string> keys;
  keys.reserve(parts.tags.size());
  for (const NameParts::Tag& tag : parts.tags) keys.emplace_back(tag.key);
  const uint32_t made = add_table(path_parts, std::move(keys));
  if (made != kOtherNames) shapes_.emplace(shape_, made);
  return made;
}

uint32_t NameIndex::add_table(uint32_t path_parts, std::vector<std::string> keys) {
  std::vector<TokenDictionary*> columns;
  for (uint32_t c = 0; c < path_parts; ++c) columns.push_back(part_dictionaries_[c].get());
  for (const std::string& key : keys) {
    columns.push_back(dictionary_of_key(key));
    if (columns.back() == nullptr) return kOtherNames;
  }
  const auto number = static_cast<uint32_t>(own_tables_.size());
  own_tables_.push_back(
      std::make_unique<NameTable>(path_parts, std::move(keys), std::move(columns), retired_));
  ram_bytes_.fetch_add(sizeof(NameTable) + shape_.size(), std::memory_order_relaxed);
  tables_[number] = own_tables_.back().get();
  table_count_.store(number + 1, std::memory_order_release);
  return number;
}

// Returns nullptr if there are too many keys.
TokenDictionary* NameIndex::dictionary_of_key(const std::string& key) {
  const auto known = key_dictionaries_.find(key);
  if (known != key_dictionaries_.end()) return known->second.get();
  if (key_dictionaries_.size() == kKeysMax) return nullptr;
  auto made = std::make_unique<TokenDictionary>(hash_, retired_);
  ram_bytes_.fetch_add(sizeof(TokenDictionary) + key.size(), std::memory_order_relaxed);
  return key_dictionaries_.emplace(key, std::move(made)).first->second.get();
}

bool NameIndex::remove(NameRow row) {
  retired_.reclaim();
  if (!row.is_indexed()) return false;
  const bool is_flat = row.table == kFlatNames;
  const bool is_removed = is_text(row) ? (is_flat ? flat_names_ : other_names_).remove(row.row)
                                       : own_tables_[row.table]->remove(row.row);
  if (!is_removed) return false;
  removed_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

std::string NameIndex::name(NameRow row) const {
  if (is_text(row)) return std::string(arena_of(row).name(row.row));
  const RetiredMemory::Pin pin(retired_);
  std::string name;
  tables_[row.table]->append_name(row.row, name);
  return name;
}

bool NameIndex::is_named(NameRow row, std::string_view name) const {
  if (is_text(row)) return arena_of(row).name(row.row) == name;
  const RetiredMemory::Pin pin(retired_);
  return tables_[row.table]->is_named(row.row, name);
}

std::vector<NameIndex::TableRows> NameIndex::tables() const {
  std::vector<TableRows> out;
  const uint32_t count = table_count_.load(std::memory_order_acquire);
  for (uint32_t number = 0; number < count; ++number) {
    const uint32_t rows = tables_[number]->row_count();
    if (rows > 0) out.push_back({number, tables_[number], rows});
  }
  return out;
}

Status NameIndex::select(std::span<const LabelMatcher> matchers, const Visit& visit,
                         const IsCancelled& is_cancelled) const {
  auto filter = RowFilter::parse(matchers);
  if (!filter) return filter.error();
  return select(*filter, visit, is_cancelled);
}

Status NameIndex::search(const Glob& glob, const Visit& visit, const IsCancelled& is_cancelled) const {
  RowFilter filter = RowFilter::of(glob);
  return select(filter, visit, is_cancelled);
}

Status NameIndex::select(RowFilter& filter, const Visit& visit, const IsCancelled& is_cancelled) const {
  Scan scan(*this, is_cancelled);
  if (!scan.for_each_flat(filter, visit) || !scan.for_each_other(filter, visit)) return scan.status();
  std::string name;
  for (const TableRows& table : scan.tables()) {
    const bool goes_on = scan.for_each_match(table, filter, [&](const NameBlock& block, const RowBits& bits) {
      return for_each_row(bits, [&](uint32_t row) {
        name.clear();
        block.table.append_name(block.first_row + row, name);
        return visit(name);
      });
    });
    if (!goes_on) return scan.status();
  }
  return Status::ok();
}

}  // namespace statmill
