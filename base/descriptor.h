// Descriptor: a file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace statmill {

// -1: none.
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
  // Closes it. Whether that worked is not told: who must know syncs first.
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  // The caller's from now on.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace statmill
