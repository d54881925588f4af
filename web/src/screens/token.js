// The question for a token, where the server wants one. It never goes into the URL.

import { html } from "lit-html";
import { openDialog } from "../parts/dialog.js";

/**
 * @param {Storage|null} storage of this tab
 * @param {(token: string) => void} onToken
 * @param {() => void} onClose
 */
export function openToken(storage, onToken, onClose) {
  let token = "";
  let isKept = false;
  const isPlain = window.location.protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(window.location.hostname);
  function done() {
    if (token.trim() === "") return;
    if (isKept) storage?.setItem("statmill.token", token.trim());
    onToken(token.trim());
    dialog.close();
  }
  const dialog = openDialog({
    title: "This server asks for a token",
    body: html`<form class="form" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); done(); }}>
      ${isPlain ? html`<p class="fault-note">This connection is not encrypted: others in the network can read the token.</p>` : null}
      <label>Token<span class="field"><input type="password" autocomplete="off" autofocus
        @input=${(/** @type {Event} */ event) => { token = /** @type {HTMLInputElement} */ (event.target).value; }}></span></label>
      <p><label class="check"><input type="checkbox" @change=${(/** @type {Event} */ event) => { isKept = /** @type {HTMLInputElement} */ (event.target).checked; }}>
        Keep it until this tab is closed</label></p></form>`,
    footer: html`<button class="button primary" @click=${done}>Use</button>`,
    onClose,
  });
}
