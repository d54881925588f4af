// Descriptor: owns a file descriptor and closes it on destruction.
#pragma once

#include <unistd.h>

#include <utility>

namespace statmill {

// Holds -1 if there is none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = other.release();
    }
    return *this;
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Closes it and ignores errors: callers that need to know sync first.
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  // Passes ownership to the caller.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace statmill
