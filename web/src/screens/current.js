// The screen that is seen. The code of most screens comes when one of them is first opened; until then the screen before
// stays, and keys wait.

import { createNotLoaded } from "./not_loaded.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../app.js").Screen} Screen */
/** @typedef {(element: HTMLElement, app: App) => Screen} Make */

/**
 * @param {object} needs
 * @param {HTMLElement} needs.main
 * @param {App} needs.app
 * @param {Record<string, () => Promise<Make>>} needs.makers of screens, by their names; "hosts" is for unknown names
 * @param {import("../state/held_keys.js").HeldKeys} needs.held keys for a screen that is coming
 * @param {() => void} needs.onDrawn a screen has come or was updated
 */
export function createCurrent({ main, app, makers, held, onDrawn }) {
  /** @type {Screen|null} */
  let screen = null;
  let key = "";      // the key of the screen that is seen; empty if it has to be made again
  let coming = "";   // the key of the screen whose code is under way
  let missing = "";  // the key of the screen in whose place it says that it did not load
  let isQuiet = false;  // nobody has asked by hand for the screen whose code is under way

  /** @param {string} name @param {Make} make */
  function put(name, make) {
    screen?.destroy();
    // an element of its own: a template that was once drawn into an element must not find it emptied
    const root = document.createElement("div");
    root.className = `screen screen-${name}`;
    main.replaceChildren(root);
    window.scrollTo(0, 0);
    screen = make(root, app);
    app.announce(screen.title());
    update();
  }

  function update() {
    screen?.update(app.route());
    onDrawn();
  }

  /** @param {string} next the key of a screen; empty: none */
  function expect(next) {
    coming = next;
    held.drop();
  }

  /** @param {string} name @param {string} next its key */
  async function open(name, next) {
    const make = await makers[name]().catch(() => null);
    if (coming !== next) return;  // another screen was opened meanwhile
    coming = "";
    const isStillMissing = make === null && missing === next && isQuiet;
    key = make === null ? "" : next;
    missing = make === null ? next : "";
    if (!isStillMissing) put(name, make ?? ((element) => createNotLoaded(element, again)));
    held.release();
    if (make === null) void app.readStatus();  // learns whether the server is away
  }

  /** Shows the screen of the route. @param {boolean} quietly if it is still missing, nothing is said and nothing moves */
  function show(quietly) {
    const { screen: wanted, arg } = app.route();
    const name = Object.hasOwn(makers, wanted) ? wanted : "hosts";
    const next = name === "host" || name === "d" ? `${name}/${arg}` : name;
    if (next === key) {
      if (coming !== "") expect("");
      update();
    } else if (next !== coming) {
      expect(next);
      isQuiet = quietly;
      void open(name, next);
    } else isQuiet &&= quietly;
  }

  /** Makes the screen again: what it asked was refused, or its code did not come. @param {boolean} [quietly] */
  function again(quietly = false) {
    key = "";
    show(quietly);
  }

  return {
    show: () => show(true), again: () => again(),
    /** Expects no screen for now. The next one is made in any case. */
    leave() {
      expect("");
      key = "";
      missing = "";
    },
    isComing: () => coming !== "",
    get: () => screen,
  };
}
