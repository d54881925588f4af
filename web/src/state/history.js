// Steps that can be undone: the states before the last changes, at most `limit` of them.

/**
 * @template T
 * @param {number} [limit]
 */
export function createHistory(limit = 50) {
  /** @type {T[]} */
  let past = [];
  /** @type {T[]} */
  let future = [];
  return {
    /** Remembers the state before a change. @param {T} before */
    push(before) {
      past.push(before);
      if (past.length > limit) past.shift();
      future = [];
    },
    /** @param {T} now @returns {T|undefined} the state to return to */
    undo(now) {
      const before = past.pop();
      if (before !== undefined) future.push(now);
      return before;
    },
    /** @param {T} now @returns {T|undefined} */
    redo(now) {
      const next = future.pop();
      if (next !== undefined) past.push(now);
      return next;
    },
    clear() {
      past = [];
      future = [];
    },
    get length() {
      return past.length;
    },
  };
}
