// Keys that are pressed while a screen's code loads: they wait, and act in their order when it has come.

const kHeldMax = 64;  // more would be a key that somebody leans on

/** @param {(name: string, event: KeyboardEvent) => void} act does what a key means */
export function createHeldKeys(act) {
  /** @type {[string, KeyboardEvent][]} */
  let held = [];
  return {
    /** @param {string} name @param {KeyboardEvent} event */
    hold(name, event) {
      if (held.length < kHeldMax) held.push([name, event]);
    },
    /** The screen has come. */
    release() {
      const all = held;
      held = [];
      for (const [name, event] of all) act(name, event);
    },
    /** Keys for a screen that is left mean nothing on the next one. */
    drop() {
      held = [];
    },
  };
}

/** @typedef {ReturnType<typeof createHeldKeys>} HeldKeys */
