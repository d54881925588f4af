// Names of key presses, and sequences of them. Keys act only outside text fields; single letters can be switched off (WCAG 2.1.4).

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
 * Joins presses into sequences (`g h`), by the times of the presses, so that a page that is busy meanwhile does not break them.
 * @param {Set<string>} starts keys that begin a sequence
 */
export function createSequences(starts = new Set(["g"])) {
  let first = "";
  let since = 0;
  return {
    /** @param {string} key @param {number} now ms @returns {string} the name of what was pressed; empty while a sequence is open */
    press(key, now) {
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
