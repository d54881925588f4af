// JsonObject and JsonArray: write JSON straight into a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace statmill {

// Writes the opening brace when constructed and the closing one when destroyed. Do not write to an object
// while an object or array inside it is still open.
class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_.push_back('{'); }
  ~JsonObject() { out_.push_back('}'); }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  // Writes the key; the caller writes the value.
  std::string& key(std::string_view name) {
    if (!first_) out_.push_back(',');
    first_ = false;
    append_json_string(out_, name);
    out_.push_back(':');
    return out_;
  }
  void number(std::string_view name, double value) { append_number(key(name), value); }
  void count(std::string_view name, uint64_t value) { key(name).append(std::to_string(value)); }
  void text(std::string_view name, std::string_view value) { append_json_string(key(name), value); }

 private:
  std::string& out_;
  bool first_ = true;
};

// Like JsonObject, with brackets.
class JsonArray {
 public:
  explicit JsonArray(std::string& out) : out_(out) { out_.push_back('['); }
  ~JsonArray() { out_.push_back(']'); }
  JsonArray(const JsonArray&) = delete;
  JsonArray& operator=(const JsonArray&) = delete;

  // Starts an element; the caller writes its value.
  std::string& element() {
    if (!first_) out_.push_back(',');
    first_ = false;
    return out_;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace statmill
