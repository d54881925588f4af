// Answers that were needed before, bounded by their size; what was used least lately goes first.

/**
 * @template T
 * @param {number} bytesMax
 */
export function createCache(bytesMax) {
  /** @type {Map<string, {value: T, bytes: number}>} */
  const entries = new Map();
  let bytes = 0;

  /** @param {string} key */
  function remove(key) {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= entry.bytes;
  }

  return {
    /** @param {string} key @returns {T|undefined} */
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);  // the newest is last
      return entry.value;
    },
    /** @param {string} key @param {T} value @param {number} size bytes, as far as they are known */
    set(key, value, size) {
      remove(key);
      if (size > bytesMax) return;
      entries.set(key, { value, bytes: size });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= bytesMax) break;
        remove(oldest);
      }
    },
    remove,
    clear() {
      entries.clear();
      bytes = 0;
    },
    get bytes() {
      return bytes;
    },
    get length() {
      return entries.size;
    },
  };
}
