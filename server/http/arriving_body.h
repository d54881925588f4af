// ArrivingBody: a body type for the parser of Beast whose memory grows with the bytes that have arrived,
// within a share of a budget. http::string_body allocates the length that a client announces before the first
// byte comes.
#pragma once

#include <algorithm>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>
#include <boost/system/errc.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "server/http/byte_budget.h"

namespace statmill {

// Meets Beast's requirements of a Body that is only read. The names are Beast's.
struct ArrivingBody {
  struct value_type {
    std::string text;
    ByteBudget::Share* share = nullptr;  // has the capacity of `text`; must be set before a byte of the body
                                         // is parsed, and outlive that
  };

  class reader {
   public:
    template <bool kIsRequest, class Fields>
    reader(boost::beast::http::header<kIsRequest, Fields>&, value_type& body) : body_(body) {}

    void init(const boost::optional<uint64_t>& length, boost::system::error_code& error) {
      error = {};
      if (length) length_ = static_cast<size_t>(*length);
    }

    // Returns the number of bytes that it has appended. The parser's body_limit() is the limit of a body.
    // Errors: not_enough_memory if the budget has no room.
    template <class Buffers>
    size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      size_t bytes = 0;
      for (const auto piece : boost::beast::buffers_range_ref(buffers)) bytes += piece.size();
      if (!make_room(bytes)) {
        error = make_error_code(boost::system::errc::not_enough_memory);
        return 0;
      }
      for (const auto piece : boost::beast::buffers_range_ref(buffers))
        body_.text.append(static_cast<const char*>(piece.data()), piece.size());
      return bytes;
    }

    void finish(boost::system::error_code& error) { error = {}; }

   private:
    static constexpr size_t kStep = size_t{64} << 10;  // while the budget is nearly full

    // Doubles the capacity, at most to the length of the body; takes less if the budget has no room for that.
    bool make_room(size_t bytes) {
      const size_t needed = body_.text.size() + bytes;
      const size_t capacity = body_.text.capacity();
      if (needed <= capacity) return true;
      for (const size_t wanted : {2 * capacity, capacity + kStep, needed}) {
        const size_t room = std::max(needed, std::min(wanted, length_));
        if (!body_.share->resize(room)) continue;
        std::string grown;  // reserve() of a string that has bytes may double its capacity
        grown.reserve(room);
        grown.append(body_.text);
        body_.text.swap(grown);
        return true;
      }
      return false;
    }

    value_type& body_;
    size_t length_ = SIZE_MAX;  // unknown if it comes in chunks
  };
};

}  // namespace statmill
