// Small signs: how good something is, and of which kind a series is. Shape and word differ, never the colour alone.

import { html } from "lit-html";
import { icon } from "./icon.js";

/** @typedef {"ok"|"warn"|"bad"} Grade */

/** @type {Record<Grade, string>} */
export const kGlyphs = { ok: "✓", warn: "△", bad: "✕" };
/** @type {Record<Grade, string>} */
export const kGradeWords = { ok: "fine", warn: "worth a look", bad: "bad" };

/** @param {Grade} grade @param {string} [word] for screen readers */
export function glyph(grade, word = kGradeWords[grade]) {
  return html`<span class="glyph ${grade}" role="img" aria-label=${word}>${kGlyphs[grade]}</span>`;
}

/** @param {string} kind of a series */
export function kindIcon(kind) {
  const known = ["gauge", "event", "distribution", "counter"].includes(kind) ? kind : "gauge";
  return html`<span class="kind" role="img" aria-label=${kind} title=${kind}>${icon(known, "kind")}</span>`;
}
