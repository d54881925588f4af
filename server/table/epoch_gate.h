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

  // Held by the tick between two epochs: once no batch is inside, and none comes in while it lives. What is
  // done meanwhile is before every sample of the one and after every sample of the other.
  class Flip {
   public:
    explicit Flip(EpochGate& gate) : gate_(gate) {
      gate_.turnstile_.lock();
      gate_.gate_.lock();
      gate_.parity_ ^= 1;
    }
    ~Flip() {
      gate_.gate_.unlock();
      gate_.turnstile_.unlock();
    }
    Flip(const Flip&) = delete;
    Flip& operator=(const Flip&) = delete;

    int ended() const { return gate_.parity_ ^ 1; }  // the parity of the epoch that ended

   private:
    EpochGate& gate_;
  };

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
