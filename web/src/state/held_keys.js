// Keys that are pressed while a part of the page loads: they wait, and act in their order when it has come.

const kHeldMax = 64;  // more would be a key that somebody leans on

/** @param {(name: string, event: KeyboardEvent) => void} act does what a key means */
export function createHeldKeys(act) {
  let loads = 0;
  /** @type {[string, KeyboardEvent][]} */
  let held = [];

  function release() {
    const all = held;
    held = [];
    for (const [name, event] of all) act(name, event);
  }

  return {
    /** Holds keys until what `run` begins has ended, also if it fails. @param {() => Promise<void>} run */
    async during(run) {
      ++loads;
      try {
        await run();
      } finally {
        if (--loads === 0) release();
      }
    },
    /** Keeps a key if a part loads; false if the key can act now. @param {string} name @param {KeyboardEvent} event */
    hold(name, event) {
      if (loads > 0 && held.length < kHeldMax) held.push([name, event]);
      return loads > 0;
    },
    /** Keys for a screen that is left mean nothing on the next one. */
    drop() {
      held = [];
    },
  };
}

/** @typedef {ReturnType<typeof createHeldKeys>} HeldKeys */
