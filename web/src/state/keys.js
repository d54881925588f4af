// The keyboard map. Keys act only outside text fields; single letters can be switched off (WCAG 2.1.4).

/**
 * @typedef {object} KeyLine
 * @property {string} keys as the help shows them, with blanks between keys of a sequence
 * @property {string} does
 * @property {string} group
 */

/** What the help lists. @type {KeyLine[]} */
export const kKeyLines = [
  { group: "Go", keys: "g h", does: "Hosts" },
  { group: "Go", keys: "g e", does: "Explore" },
  { group: "Go", keys: "g d", does: "Dashboards" },
  { group: "Go", keys: "g s", does: "Status" },
  { group: "Go", keys: "/", does: "search hosts, series, dashboards; commands after >" },
  { group: "Go", keys: "n", does: "next host" },
  { group: "Go", keys: "p", does: "previous host" },
  { group: "Go", keys: "j", does: "next panel or row" },
  { group: "Go", keys: "k", does: "previous panel or row" },
  { group: "Go", keys: "← →", does: "along the row of a host" },
  { group: "Go", keys: "Enter", does: "open" },
  { group: "Go", keys: "Esc", does: "close" },
  { group: "Time", keys: "t", does: "type a range" },
  { group: "Time", keys: "+", does: "zoom in" },
  { group: "Time", keys: "-", does: "zoom out" },
  { group: "Time", keys: "a", does: "earlier" },
  { group: "Time", keys: "d", does: "later" },
  { group: "Time", keys: "0", does: "back" },
  { group: "Time", keys: ".", does: "live on or off" },
  { group: "Time", keys: "r", does: "refresh" },
  { group: "Time", keys: "z", does: "zone: UTC or mine" },
  { group: "Panel", keys: "←", does: "crosshair a slot earlier; with Shift by ten" },
  { group: "Panel", keys: "→", does: "crosshair a slot later" },
  { group: "Panel", keys: "[", does: "selection begins at the crosshair" },
  { group: "Panel", keys: "]", does: "selection ends at the crosshair; Enter zooms" },
  { group: "Panel", keys: "b", does: "band" },
  { group: "Panel", keys: "l", does: "scale" },
  { group: "Panel", keys: "v", does: "view" },
  { group: "Panel", keys: "w", does: "compare with a day, a week before" },
  { group: "Panel", keys: "x", does: "what changed" },
  { group: "Panel", keys: "X", does: "what changed after the nearest event" },
  { group: "Panel", keys: "u", does: "unusual slots" },
  { group: "Panel", keys: "T", does: "table" },
  { group: "Page", keys: "m", does: "theme" },
  { group: "Page", keys: "y", does: "copy link, moving" },
  { group: "Page", keys: "Y", does: "copy link, fixed times" },
  { group: "Page", keys: "e", does: "edit a dashboard; arrows then move the panel in focus, with Shift they size it" },
  { group: "Page", keys: "Ctrl+S", does: "save" },
  { group: "Page", keys: "Ctrl+Z", does: "undo" },
  { group: "Page", keys: "?", does: "help" },
];

const kSequenceMs = 1200;

/**
 * The name of a key press: `Ctrl+S`, `g`, `Y`, `Shift+←`, `Enter`; empty for presses of modifiers alone.
 * @param {Pick<KeyboardEvent, "key"|"ctrlKey"|"metaKey"|"altKey"|"shiftKey">} event
 */
export function keyName(event) {
  if (["Control", "Shift", "Alt", "Meta", "AltGraph", "Dead", "Unidentified"].includes(event.key)) return "";
  /** @type {Record<string, string>} */
  const arrows = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };
  const key = Object.hasOwn(arrows, event.key) ? arrows[event.key] : event.key;
  const isCommand = event.ctrlKey || event.metaKey;
  const parts = [];
  if (isCommand) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && key.length > 1) parts.push("Shift");
  if (event.shiftKey && "←→↑↓".includes(key)) parts.push("Shift");
  parts.push(isCommand && key.length === 1 ? key.toUpperCase() : key);
  return [...new Set(parts)].join("+");
}

/** Text is typed here, so letters are no commands. @param {EventTarget|null} target */
export function takesText(target) {
  const element = /** @type {HTMLElement|null} */ (target);
  if (element === null || typeof element.matches !== "function") return false;
  if (element.isContentEditable) return true;
  return element.matches("textarea, select, input:not([type=checkbox]):not([type=radio]):not([type=button])");
}

/** Enter presses what has the focus, so it is no command here. @param {EventTarget|null} target */
export function takesEnter(target) {
  const element = /** @type {HTMLElement|null} */ (target);
  return element !== null && typeof element.closest === "function" && element.closest("a[href], button, summary, input") !== null;
}

/**
 * Joins presses into sequences (`g h`).
 * @param {() => number} nowMs
 * @param {Set<string>} starts keys that begin a sequence
 */
export function createSequences(nowMs, starts = new Set(["g"])) {
  let first = "";
  let since = 0;
  return {
    /** @param {string} key @returns {string} the name of what was pressed; empty while a sequence is open */
    press(key) {
      const now = nowMs();
      const isOpen = first !== "" && now - since < kSequenceMs;
      const start = first;
      first = "";
      if (isOpen) return `${start} ${key}`;
      if (starts.has(key)) {
        first = key;
        since = now;
        return "";
      }
      return key;
    },
  };
}
