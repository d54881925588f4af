// The only file that reads the browser's clock. Times of the page are the server's: each answer says what time it is
// there, and the page adds what has passed since on a clock that does not step.

/**
 * @param {{wall?: () => number, steady?: () => number}} [sources] milliseconds
 */
export function createClock(sources = {}) {
  const wall = sources.wall ?? (() => Date.now());
  const steady = sources.steady ?? (() => performance.now());
  /** @type {{server: number, steady: number, wall: number}|null} */
  let seen = null;
  return {
    /** The server's time in an answer that has just come. @param {number} seconds unix seconds */
    observe(seconds) {
      if (!Number.isFinite(seconds)) return;
      seen = { server: seconds, steady: steady(), wall: wall() };
    },
    /** Unix seconds at the server. */
    now() {
      return seen === null ? wall() / 1000 : seen.server + (steady() - seen.steady) / 1000;
    },
    /** Seconds by which the browser's clock is ahead of the server's; 0 as long as nothing is known. */
    offset() {
      return seen === null ? 0 : seen.wall / 1000 - seen.server;
    },
    /** Milliseconds of a clock that never steps, to measure. */
    steady,
  };
}

/** @typedef {ReturnType<typeof createClock>} Clock */
