// What the tabs of Status are made of: cards, and rows with a bar of their share.

import { html, nothing } from "lit-html";

/** @param {unknown} title @param {unknown} body @param {unknown} [more] */
export function card(title, body, more = nothing) {
  return html`<section class="card section-card"><header><h2>${title}</h2><span class="grow"></span>${more}</header>${body}</section>`;
}

/** Rows with a bar of their share. @param {{label: unknown, value: number, text: string}[]} rows */
export function shares(rows) {
  const most = Math.max(1, ...rows.map((row) => row.value));
  return html`<div class="share-rows">${rows.map((row) => html`<div class="share-row"><span class="name">${row.label}</span>
    <svg class="track" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width=${(100 * row.value / most).toFixed(2)} height="1"></rect></svg>
    <span class="num right">${row.text}</span></div>`)}</div>`;
}
