// Elements of a grid of panels: their order, and those of notes.

import { render } from "lit-html";

/**
 * Makes these the children, in this order, and moves no element that is where it belongs: a moved one would lose the focus.
 * @param {Element} parent @param {Element[]} wanted
 */
export function arrange(parent, wanted) {
  for (const child of [...parent.children]) if (!wanted.includes(child)) child.remove();
  wanted.forEach((child, i) => {
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
  });
}

/**
 * @param {(id: string) => void} onFocus a note was pressed, or has the focus
 * @returns {(note: import("./panel_grid.js").Note, span: number|undefined) => HTMLElement} the element of a note, drawn
 */
export function createNoteElements(onFocus) {
  /** @type {Map<string, HTMLElement>} */
  const elements = new Map();
  return (note, span) => {
    let made = elements.get(note.id);
    if (made === undefined) {
      made = document.createElement("section");
      made.addEventListener("focusin", () => onFocus(note.id));
      made.addEventListener("pointerdown", () => onFocus(note.id));
      elements.set(note.id, made);
    }
    made.className = `panel note${span === undefined ? "" : ` span-${span}`}`;
    render(note.content, made);
    return made;
  };
}
