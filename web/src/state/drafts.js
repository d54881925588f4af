// Edits that are not saved yet. They are kept in this browser, so a reload or a crash of the tab loses nothing.

const kPrefix = "statmill.draft.";
const kBytesMax = 256 * 1024;

/**
 * @typedef {object} Draft
 * @property {string} etag version of the server that the edit began with; empty: a new dashboard
 * @property {number} time unix seconds of the last edit
 * @property {any} content
 */

/** @param {Pick<Storage, "getItem"|"setItem"|"removeItem">|null} storage */
export function createDrafts(storage) {
  return {
    /** @param {string} id @param {Draft} draft @returns {boolean} false if the browser did not keep it */
    save(id, draft) {
      const text = JSON.stringify(draft);
      if (text.length > kBytesMax) return false;
      try {
        storage?.setItem(kPrefix + id, text);
        return storage !== null;
      } catch {
        return false;
      }
    },
    /** @param {string} id @returns {Draft|null} */
    load(id) {
      try {
        const draft = JSON.parse(storage?.getItem(kPrefix + id) ?? "null");
        const isDraft = typeof draft === "object" && draft !== null && typeof draft.etag === "string" &&
          typeof draft.time === "number" && "content" in draft;
        return isDraft ? draft : null;
      } catch {
        return null;
      }
    },
    /** @param {string} id */
    remove(id) {
      try {
        storage?.removeItem(kPrefix + id);
      } catch {
        // nothing is kept where storage is forbidden
      }
    },
  };
}
