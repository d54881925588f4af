// State, and who listens to it. A change is a new object, so whoever has the old one sees no half of a change.

/**
 * @template T
 * @typedef {object} Store
 * @property {() => T} get
 * @property {(next: T) => void} set calls all listeners if the value differs
 * @property {(change: Partial<T>) => void} patch sets a copy with these fields
 * @property {(heard: (now: T, before: T) => void) => (() => void)} listen returns what ends it
 */

/**
 * @template T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function createStore(initial) {
  let value = initial;
  /** @type {Set<(now: T, before: T) => void>} */
  const listeners = new Set();

  /** @param {T} next */
  function set(next) {
    if (next === value) return;
    const before = value;
    value = next;
    for (const heard of [...listeners]) heard(next, before);
  }

  return {
    get: () => value,
    set,
    patch: (change) => set({ ...value, ...change }),
    listen(heard) {
      listeners.add(heard);
      return () => {
        listeners.delete(heard);
      };
    },
  };
}

/**
 * Calls `run` once in the next frame, however often the returned function is called before it.
 * @param {() => void} run
 * @param {(f: () => void) => void} [schedule]
 */
export function oncePerFrame(run, schedule = (f) => requestAnimationFrame(f)) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    schedule(() => {
      waits = false;
      run();
    });
  };
}
