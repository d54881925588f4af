// Groups system calls by the kind of work into 16 classes, for programs that count per class.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bpf/syscalls.h"

namespace statmill {

// "read", "write", ...; the last is "other".
extern const std::array<std::string_view, SYSCALL_CLASSES> kSyscallClasses;

// Returns the class of each call by its number on this machine; unknown calls are "other".
std::array<uint8_t, SYSCALL_NUMBERS> syscall_classes();

}  // namespace statmill
