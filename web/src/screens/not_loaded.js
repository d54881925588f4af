// In place of a screen whose code did not come. It is asked for again by a button, by a refresh, and so also when the
// server is back.

import { html, render } from "lit-html";

/**
 * @param {HTMLElement} element
 * @param {(isQuiet: boolean) => void} again quiet: if it does not come, nothing is said and nothing moves
 * @returns {import("../app.js").Screen}
 */
export function createNotLoaded(element, again) {
  render(html`<div class="plain" role="alert"><h1>This screen did not load</h1>
    <p>The server did not send it. If the server is there, it may have another version of the page by now: reload the page then.</p>
    <p><button class="button primary" @click=${() => again(false)}>Try again</button>
      <button class="button" @click=${() => window.location.reload()}>Reload the page</button></p></div>`, element);
  // The element that had the focus is gone with the screen before.
  if (document.activeElement === document.body) element.querySelector("button")?.focus();
  return { title: () => "Not loaded", update() {}, refresh: () => again(true), destroy() {} };
}
