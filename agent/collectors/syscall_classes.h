// What kind of work a system call is: 16 classes, for programs that count by them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bpf/syscalls.h"

namespace statmill {

// "read", "write", ...; the last is "other".
extern const std::array<std::string_view, SYSCALL_CLASSES> kSyscallClasses;

// The class of each call by its number on this machine; of those that we do not know, "other".
std::array<uint8_t, SYSCALL_NUMBERS> syscall_classes();

}  // namespace statmill
