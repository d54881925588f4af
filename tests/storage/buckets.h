// Generators of buckets of every form that a codec must preserve: single and many, decimal and real, small
// and at the limits.
#pragma once

#include <rapidcheck/Gen.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "storage/codec/codec.h"

namespace statmill {

// For failure messages.
std::ostream& operator<<(std::ostream& out, const Bucket& bucket);
std::ostream& operator<<(std::ostream& out, const SlotBucket& b);

std::string hex(std::string_view bytes);
std::string unhex(std::string_view digits);

// Decimals of which any number add up without overflow.
rc::Gen<Number> small_decimals();
rc::Gen<Number> any_numbers();

Bucket merged(const std::vector<Number>& numbers);

rc::Gen<Bucket> exact_buckets();
rc::Gen<Bucket> any_buckets();

// Buckets at the limits of the integer form.
std::vector<Bucket> extreme_buckets();

// Ascending slots in [begin, end), each once.
rc::Gen<std::vector<SlotBucket>> slot_buckets(Slot begin, Slot end, const rc::Gen<Bucket>& buckets);

}  // namespace statmill
