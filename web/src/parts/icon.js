// Icons of the sprite in index.html.

import { html } from "lit-html";

/** @param {string} name @param {string} [more] further classes */
export function icon(name, more = "") {
  return html`<svg class="icon ${more}" aria-hidden="true"><use href="#i-${name}"></use></svg>`;
}
