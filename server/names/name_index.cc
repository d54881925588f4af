#include "server/names/name_index.h"

#include <algorithm>

#include "base/text.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/name_scan.h"

namespace statmill {
namespace {

constexpr uint32_t kWholeNames = 0;  // the number of the table of whole names

}  // namespace

NameIndex::NameIndex() : whole_names_(retired_) {
  for (size_t i = 0; i < kPartsMax; ++i)
    part_dictionaries_.push_back(std::make_unique<TokenDictionary>(retired_));
  own_tables_.push_back(std::make_unique<NameTable>(0, std::vector<std::string>(),
                                                    std::vector<TokenDictionary*>{&whole_names_}, retired_));
  tables_[kWholeNames] = own_tables_.back().get();
  table_count_.store(1, std::memory_order_release);
}

NameRow NameIndex::add(std::string_view name, SeriesId id) {
  retired_.reclaim();
  const NameParts parts = parts_of(name);
  const auto path_parts = static_cast<uint32_t>(1 + std::count(parts.path.begin(), parts.path.end(), '.'));
  const uint32_t number = table_for(parts, path_parts);
  NameTable& table = *own_tables_[number];
  size_t ram = table.ram_bytes();
  tokens_.clear();
  const auto intern = [&](TokenDictionary& dictionary, std::string_view text) {
    ram += dictionary.ram_bytes();
    tokens_.push_back(dictionary.intern(text));
    ram -= dictionary.ram_bytes();
  };
  if (number == kWholeNames) {
    intern(whole_names_, name);
  } else {
    for (size_t begin = 0, c = 0; c < path_parts; ++c) {
      const size_t end = std::min(parts.path.find('.', begin), parts.path.size());
      intern(*part_dictionaries_[c], parts.path.substr(begin, end - begin));
      begin = end + 1;
    }
    for (size_t i = 0; i < parts.tags.size(); ++i)
      intern(table.dictionary(path_parts + i), parts.tags[i].value);
  }
  const uint32_t row = table.add(tokens_, id);
  ram_bytes_.fetch_add(table.ram_bytes() - ram, std::memory_order_relaxed);
  return {number, row};
}

// Returns the number of the table with the shape of a name, or of the one of whole names.
uint32_t NameIndex::table_for(const NameParts& parts, uint32_t path_parts) {
  if (path_parts > kPartsMax) return kWholeNames;
  shape_.assign(1, static_cast<char>(path_parts));
  for (const NameParts::Tag& tag : parts.tags) shape_.append(tag.key).append(";");
  const auto known = shapes_.find(std::string_view(shape_));
  if (known != shapes_.end()) return known->second;
  if (own_tables_.size() == kTablesMax) return kWholeNames;
  std::vector<std::string> keys;
  keys.reserve(parts.tags.size());
  for (const NameParts::Tag& tag : parts.tags) keys.emplace_back(tag.key);
  const uint32_t made = add_table(path_parts, std::move(keys));
  if (made != kWholeNames) shapes_.emplace(shape_, made);
  return made;
}

uint32_t NameIndex::add_table(uint32_t path_parts, std::vector<std::string> keys) {
  std::vector<TokenDictionary*> columns;
  for (uint32_t c = 0; c < path_parts; ++c) columns.push_back(part_dictionaries_[c].get());
  for (const std::string& key : keys) {
    columns.push_back(dictionary_of_key(key));
    if (columns.back() == nullptr) return kWholeNames;
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
  auto made = std::make_unique<TokenDictionary>(retired_);
  ram_bytes_.fetch_add(sizeof(TokenDictionary) + key.size(), std::memory_order_relaxed);
  return key_dictionaries_.emplace(key, std::move(made)).first->second.get();
}

bool NameIndex::remove(NameRow row) {
  retired_.reclaim();
  if (!own_tables_[row.table]->remove(row.row)) return false;
  removed_.fetch_add(1, std::memory_order_relaxed);
  return true;
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

Status NameIndex::select(std::span<const LabelMatcher> matchers,
                         const std::function<bool(const SelectedName&)>& visit,
                         const IsCancelled& is_cancelled) const {
  auto filter = RowFilter::parse(matchers);
  if (!filter) return filter.error();
  Scan scan(*this, is_cancelled);
  for (const TableRows& table : scan.tables()) {
    const bool goes_on =
        scan.for_each_match(table, *filter, [&](const NameBlock& block, const RowBits& bits) {
          return for_each_row(bits, [&](uint32_t row) {
            return visit({block.segment.id(block.begin + row), {table.number, block.first_row + row}});
          });
        });
    if (!goes_on) return scan.status();
  }
  return Status::ok();
}

Result<std::vector<SelectedName>> NameIndex::select(std::span<const LabelMatcher> matchers, size_t limit,
                                                    const IsCancelled& is_cancelled) const {
  std::vector<SelectedName> out;
  bool is_over = false;
  const auto take = [&](const SelectedName& name) {
    is_over = out.size() == limit;
    if (!is_over) out.push_back(name);
    return !is_over;
  };
  if (Status s = select(matchers, take, is_cancelled); !s) return s.error();
  if (is_over) return Error{ErrorCode::kLimit, "more than " + std::to_string(limit) + " series match"};
  return out;
}

Status NameIndex::search(const Glob& glob, const Visit& visit, const IsCancelled& is_cancelled) const {
  GlobFilter filter(glob);
  std::string name;
  Scan scan(*this, is_cancelled);
  for (const TableRows& table : scan.tables()) {
    const bool goes_on = scan.for_each_block(table, [&](const NameBlock& block, RowBits& bits) {
      filter.keep(block, bits);
      return for_each_row(bits, [&](uint32_t row) {
        if (block.table.column_count() == 1) return visit(block.table.text(0, block.first_row + row));
        name.clear();
        block.table.append_name(block.first_row + row, name);
        return visit(name);
      });
    });
    if (!goes_on) return scan.status();
  }
  return Status::ok();
}

std::string NameIndex::name_of(NameRow row) const {
  const RetiredMemory::Pin pin(retired_);
  std::string name;
  tables_[row.table]->append_name(row.row, name);
  return name;
}

LabelPairs NameIndex::labels_of(NameRow row) const { return statmill::labels_of(name_of(row)); }

std::string NameIndex::label_of(NameRow row, std::string_view label) const {
  const NameTable& table = *tables_[row.table];
  if (!table.has_whole_names()) {
    if (const auto column = column_of(table, label)) {
      const RetiredMemory::Pin pin(retired_);
      return unescaped(table.text(*column, row.row));
    }
    if (label != kNameLabel) return {};
  }
  for (auto& [name, value] : labels_of(row)) {
    if (name == label) return std::move(value);
  }
  return {};
}

}  // namespace statmill
