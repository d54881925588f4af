// Menus and popovers: layers at an element. Menus follow the ARIA pattern: arrows move, letters find, Escape closes, and
// the focus returns to where it was.

import { html, nothing, render } from "lit-html";
import { icon } from "./icon.js";

/**
 * @typedef {object} MenuItem
 * @property {string} [label]
 * @property {string} [icon]
 * @property {string} [key] shown at the right
 * @property {string} [side] muted text at the right
 * @property {boolean} [checked] shows a tick; undefined: the item has no state
 * @property {boolean} [separator] a line; with a label a heading
 * @property {boolean} [danger]
 * @property {() => void} [run]
 */

/** @type {(() => void)|null} */
let closeCurrent = null;

/** Puts a layer below its anchor, or above it where there is more room. @param {Element} anchor @param {HTMLElement} layer */
function place(anchor, layer) {
  const at = anchor.getBoundingClientRect();
  const own = layer.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  const height = document.documentElement.clientHeight;
  const left = Math.max(8, Math.min(at.left, width - own.width - 8));
  const below = at.bottom + 4;
  const top = below + own.height <= height - 8 || at.top < own.height + 12 ? below : at.top - own.height - 4;
  layer.style.left = `${Math.round(left)}px`;
  layer.style.top = `${Math.round(Math.max(8, Math.min(top, Math.max(8, height - own.height - 8))))}px`;
}

/**
 * Opens a layer; one is open at a time. It closes at Escape, at a press outside and when the page scrolls away.
 * @param {Element} anchor
 * @param {string} className
 * @param {(layer: HTMLElement, close: () => void) => void} fill
 * @returns {() => void} closes it
 */
export function openLayer(anchor, className, fill) {
  closeCurrent?.();
  const before = /** @type {HTMLElement|null} */ (document.activeElement);
  const layer = document.createElement("div");
  layer.className = className;
  // a layer of an open dialog must be inside it, else it would be below
  (anchor.closest("dialog") ?? document.getElementById("layers") ?? document.body).append(layer);
  anchor.setAttribute("aria-expanded", "true");

  /** @param {Event} event */
  const pressed = (event) => {
    const target = /** @type {Node} */ (event.target);
    if (!layer.contains(target) && !anchor.contains(target)) close();
  };
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  const resized = () => close();

  function close() {
    if (closeCurrent !== close) return;
    closeCurrent = null;
    const hadFocus = layer.contains(document.activeElement);
    document.removeEventListener("pointerdown", pressed, true);
    document.removeEventListener("keydown", key, true);
    window.removeEventListener("resize", resized);
    anchor.setAttribute("aria-expanded", "false");
    layer.remove();
    if (hadFocus) before?.focus();
  }
  closeCurrent = close;
  document.addEventListener("pointerdown", pressed, true);
  document.addEventListener("keydown", key, true);
  window.addEventListener("resize", resized);
  fill(layer, close);
  place(anchor, layer);
  return close;
}

/**
 * @param {Element} anchor
 * @param {MenuItem[]} items
 */
export function openMenu(anchor, items) {
  if (anchor.getAttribute("aria-expanded") === "true") {
    closeCurrent?.();
    return;
  }
  openLayer(anchor, "menu", (layer, close) => {
    layer.setAttribute("role", "menu");
    const withState = items.some((item) => item.checked !== undefined);
    render(items.map((item) => {
      if (item.run === undefined) {
        return html`${item.separator ? html`<hr>` : null}${item.label ? html`<div class="heading">${item.label}</div>` : null}`;
      }
      const run = item.run;
      return html`<button class="item ${item.danger ? "danger" : ""}" tabindex="-1"
          role=${item.checked === undefined ? "menuitem" : "menuitemcheckbox"}
          aria-checked=${item.checked === undefined ? nothing : String(item.checked)}
          @click=${() => { close(); run(); }}>
        ${withState ? html`<span class="tick">${item.checked ? icon("check") : ""}</span>` : null}
        ${item.icon ? icon(item.icon) : null}<span>${item.label}</span>
        ${item.side ? html`<span class="side">${item.side}</span>` : null}${item.key ? html`<kbd>${item.key}</kbd>` : null}
      </button>`;
    }), layer);
    const buttons = /** @type {HTMLElement[]} */ ([...layer.querySelectorAll("button")]);
    layer.addEventListener("keydown", (event) => {
      const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
      const last = buttons.length - 1;
      let next = -1;
      if (event.key === "ArrowDown") next = at < last ? at + 1 : 0;
      else if (event.key === "ArrowUp") next = at > 0 ? at - 1 : last;
      else if (event.key === "Home") next = 0;
      else if (event.key === "End") next = last;
      else if (event.key === "Tab") close();
      else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== " ") {
        const letter = event.key.toLowerCase();
        next = [...buttons.keys()].find((i) => {
          const index = (at + 1 + i) % buttons.length;
          return buttons[index].textContent?.trim().toLowerCase().startsWith(letter);
        }) ?? -1;
        if (next >= 0) next = (at + 1 + next) % buttons.length;
      }
      if (next < 0) return;
      event.preventDefault();
      event.stopPropagation();
      buttons[next].focus();
    });
    requestAnimationFrame(() => (buttons.find((b) => b.getAttribute("aria-checked") === "true") ?? buttons[0])?.focus());
  });
}
