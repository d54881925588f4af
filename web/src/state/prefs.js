// What a user prefers, kept in this browser: theme, zone, keys. All else is in the URL.

import { createStore } from "./store.js";

/**
 * @typedef {object} Prefs
 * @property {"auto"|"light"|"dark"} theme
 * @property {string} zone `UTC`, `local`, or an IANA name
 * @property {boolean} letters single letters are keys
 * @property {boolean} bits rates of bytes are shown in bits
 * @property {number} every seconds between refreshes while live
 * @property {string[]} ranges the last ranges that were typed, newest first, `FROM/UNTIL`
 */

const kKey = "statmill.prefs";

/** @type {Prefs} */
const kDefaults = { theme: "auto", zone: "UTC", letters: true, bits: false, every: 5, ranges: [] };

/**
 * Reads only fields of the right type; whatever else is stored is ignored.
 * @param {unknown} stored
 * @returns {Prefs}
 */
export function checkPrefs(stored) {
  const prefs = { ...kDefaults };
  if (typeof stored !== "object" || stored === null) return prefs;
  const given = /** @type {Record<string, unknown>} */ (stored);
  if (given.theme === "light" || given.theme === "dark") prefs.theme = given.theme;
  if (typeof given.zone === "string" && isZone(given.zone)) prefs.zone = given.zone;
  if (typeof given.letters === "boolean") prefs.letters = given.letters;
  if (typeof given.bits === "boolean") prefs.bits = given.bits;
  if (typeof given.every === "number" && given.every >= 1 && given.every <= 3600) prefs.every = given.every;
  if (Array.isArray(given.ranges)) {
    prefs.ranges = given.ranges.filter((range) => typeof range === "string" && range.includes("/")).slice(0, 5);
  }
  return prefs;
}

/** @param {string} zone */
export function isZone(zone) {
  if (zone === "local" || zone === "UTC") return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone !== "";
  } catch {
    return false;
  }
}

/** The IANA name of a zone of the preferences. @param {string} zone */
export function zoneName(zone) {
  return zone === "local" ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone;
}

/**
 * @param {Pick<Storage, "getItem"|"setItem">|null} storage null where the browser has none
 * @returns {import("./store.js").Store<Prefs>}
 */
export function createPrefs(storage) {
  /** @type {unknown} */
  let stored = null;
  try {
    stored = JSON.parse(storage?.getItem(kKey) ?? "null");
  } catch {
    // what another version or a user wrote is no reason not to start
  }
  const prefs = createStore(checkPrefs(stored));
  prefs.listen((now) => {
    try {
      storage?.setItem(kKey, JSON.stringify(now));
    } catch {
      // full or forbidden: the choice lasts as long as the page
    }
  });
  return prefs;
}
