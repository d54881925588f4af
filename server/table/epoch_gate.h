// EpochGate: puts every batch wholly into one tick.
//
// Ingest holds the gate shared for one batch; the tick holds it exclusively for an instant to flip the epoch.
// A second mutex before the gate, the turnstile, keeps a stream of batches from starving the tick (a plain
// shared mutex prefers readers).
#pragma once

#include <mutex>
#include <shared_mutex>

namespace statmill {

// Thread-safe.
class EpochGate {
 public:
  // Ingest holds this while it applies one batch. parity() says which of the two delta sets the batch goes
  // to.
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

  // The tick holds this between two epochs. The constructor waits until no batch is inside; new batches wait
  // until it is destroyed. Changes made meanwhile come after every sample of the old epoch and before every
  // sample of the new one.
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

  // Plain standard mutexes: the thread-safety analysis cannot follow a lock that one function acquires and
  // another releases.
  std::mutex turnstile_;
  std::shared_mutex gate_;
  int parity_ = 0;  // written under gate_ exclusively, read under gate_ shared
};

}  // namespace statmill
