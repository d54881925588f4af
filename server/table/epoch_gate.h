// EpochGate: keeps every batch wholly in one tick.
//
// Ingest holds the gate shared for one batch; the tick flips the epoch with the gate to itself for an
// instant. A turnstile in front keeps a stream of batches from starving the tick (a plain shared mutex
// prefers readers).
#pragma once

#include <mutex>
#include <shared_mutex>

namespace statmill {

// Thread-safe.
class EpochGate {
 public:
  // Held by ingest while one batch is applied; says which of the two delta sets takes it.
  class Batch {
   public:
    explicit Batch(EpochGate& gate) : gate_(gate) { gate_.enter(); }
    ~Batch() { gate_.gate_.unlock_shared(); }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    int parity() const { return gate_.parity_; }

   private:
    EpochGate& gate_;
  };

  // Starts a new epoch once no batch is inside; returns the parity of the one that ended.
  int flip() {
    turnstile_.lock();
    gate_.lock();
    const int ended = parity_;
    parity_ ^= 1;
    gate_.unlock();
    turnstile_.unlock();
    return ended;
  }

 private:
  void enter() {
    turnstile_.lock();
    gate_.lock_shared();
    turnstile_.unlock();
  }

  // Plain standard mutexes: a lock taken in one function and given back in another is beyond the analysis.
  std::mutex turnstile_;
  std::shared_mutex gate_;
  int parity_ = 0;  // written under gate_ exclusively, read under gate_ shared
};

}  // namespace statmill
