// Dialogs: the browser's own <dialog>, which keeps the focus inside and gives it back.

import { html, render } from "lit-html";
import { icon } from "./icon.js";

/**
 * @param {object} what
 * @param {string} what.title
 * @param {unknown} what.body a template
 * @param {unknown} [what.footer]
 * @param {boolean} [what.wide]
 * @param {() => void} [what.onClose]
 * @returns {{element: HTMLDialogElement, close: () => void, update: (body: unknown, footer?: unknown) => void}}
 */
export function openDialog({ title, body, footer, wide = false, onClose }) {
  const element = document.createElement("dialog");
  element.className = wide ? "wide" : "";
  element.setAttribute("aria-label", title);
  (document.getElementById("layers") ?? document.body).append(element);
  const close = () => element.close();

  /** @param {unknown} content @param {unknown} [foot] */
  function update(content, foot = footer) {
    render(html`
      <header><h2>${title}</h2>
        <button class="button quiet icon-only" aria-label="Close" title="Close" @click=${close}>${icon("close")}</button></header>
      <div class="body">${content}</div>
      ${foot ? html`<footer>${foot}</footer>` : null}`, element);
  }
  update(body);
  element.addEventListener("close", () => {
    element.remove();
    onClose?.();
  });
  element.addEventListener("click", (event) => {
    if (event.target === element) close();  // the backdrop
  });
  element.showModal();
  return { element, close, update };
}

/**
 * Asks before something that cannot be undone.
 * @param {{title: string, text: string, action: string}} what
 * @returns {Promise<boolean>}
 */
export function confirmDialog({ title, text, action }) {
  return new Promise((resolve) => {
    let answer = false;
    const dialog = openDialog({
      title,
      body: html`<p>${text}</p>`,
      footer: html`<button class="button" @click=${() => dialog.close()}>Cancel</button>
        <button class="button primary" @click=${() => { answer = true; dialog.close(); }}>${action}</button>`,
      onClose: () => resolve(answer),
    });
  });
}
