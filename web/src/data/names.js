// Names of series, as the server finds them: a level of the tree, or a search. The page never holds all names.

import { isAbort } from "./client.js";

/**
 * @typedef {object} TreeChild
 * @property {string} part a part of a path, or below `path;` a whole text of tags
 * @property {number} series how many are at or below it
 * @property {boolean} [branch] paths go on after the part
 * @property {boolean|number} [tags] series have this path and tags
 * @property {string} [kind] a series has this name without tags
 * @property {number} [last_s]
 */

/**
 * @typedef {object} Found
 * @property {string} name
 * @property {string} kind
 * @property {number} [last_s]
 * @property {[number, number][]} [hits] ranges of bytes of the name
 */

/**
 * @param {{client: import("./client.js").Client}} needs
 */
export function createNames({ client }) {
  return {
    /**
     * @param {string} prefix empty, `path.` or `path;`
     * @param {{after?: string, limit?: number, signal?: AbortSignal}} [options]
     * @returns {Promise<{prefix: string, series: number, children: TreeChild[], next: string|null}>}
     */
    tree(prefix, options = {}) {
      const { after, limit = 200, signal } = options;
      return client.get("/api/v1/tree", { prefix, after, limit }, { signal });
    },

    /**
     * A searcher whose newer question ends the older one, so answers never come in the wrong order.
     * @returns {(q: string, options?: {kind?: string, under?: string, limit?: number}) =>
     *   Promise<{total: number, total_is?: string, ms: number, series: Found[], refused?: any[]}|null>} null: a newer one came
     */
    searcher() {
      /** @type {AbortController|null} */
      let current = null;
      return async (q, options = {}) => {
        current?.abort();
        const mine = new AbortController();
        current = mine;
        try {
          const found = await client.get("/api/v1/search", { q, limit: options.limit ?? 50, ...options }, {
            signal: mine.signal,
          });
          return mine.signal.aborted ? null : found;
        } catch (error) {
          if (isAbort(error) || mine.signal.aborted) return null;
          throw error;
        }
      };
    },
  };
}

/** @typedef {ReturnType<typeof createNames>} Names */

/**
 * Ranges of bytes of a UTF-8 text as ranges of its UTF-16 units, for cutting.
 * @param {string} text
 * @param {[number, number][]} ranges
 * @returns {[number, number][]}
 */
export function unitsOfBytes(text, ranges) {
  if (/^[\x00-\x7f]*$/.test(text)) return ranges;
  /** @type {number[]} */
  const starts = [];  // of each byte: the unit at which its character starts
  let unit = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (let i = 0; i < bytes; ++i) starts.push(unit);
    unit += character.length;
  }
  starts.push(unit);
  const at = (/** @type {number} */ byte) => starts[Math.min(byte, starts.length - 1)];
  return ranges.map(([begin, end]) => [at(begin), at(end)]);
}
