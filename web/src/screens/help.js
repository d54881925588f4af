// Help: keys, limits, and what the signs mean.

import { html } from "lit-html";
import { text } from "../model/format.js";
import { kLimits } from "../model/use.js";
import { glyph } from "../parts/badge.js";
import { openDialog } from "../parts/dialog.js";
import { kKeyLines } from "../state/key_lines.js";

/** @param {import("../app.js").App} app */
export function openHelp(app) {
  const groups = [...new Set(kKeyLines.map((line) => line.group))];
  const status = app.server.get().status;
  const limit = (/** @type {number} */ value, /** @type {string} */ unit) => text(value, unit, { digits: 3 });
  openDialog({
    title: "Help",
    wide: true,
    body: html`<div class="help-grid">
      ${groups.map((group) => html`<section><h3>${group}</h3><dl>${kKeyLines.filter((line) => line.group === group).map((line) => html`
        <dt>${line.keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${line.does}</dd>`)}</dl></section>`)}
      <section><h3>When a value is marked</h3><dl>${Object.values(kLimits).map((one) => html`
        <dt class="num">${glyph("warn")} ${one.warn === 0 ? "any" : limit(one.warn, one.unit)} ${glyph("bad")} ${limit(one.bad, one.unit)}</dt><dd>${one.what}</dd>`)}</dl></section>
      <section><h3>How to read a panel</h3>
        <p>Each point is a slot of time, not an instant. The line is the average, the band around it reaches from the lowest to the highest sample, at each zoom.</p>
        <p>Where nothing came, the panel is hatched, and its readout says why. The last slot is still open: it is dashed.</p>
        <p>U, S and E are utilisation, saturation and errors.</p>
        <h3>Mouse</h3>
        <p>Drag zooms. Shift and drag moves. Ctrl and the wheel zoom at the pointer. A double press goes back.</p></section>
      <section><h3>This page</h3>
        <p><label><input type="checkbox" .checked=${app.prefs.get().letters} @change=${(/** @type {Event} */ event) =>
          app.prefs.patch({ letters: /** @type {HTMLInputElement} */ (event.target).checked })}> Single letters are keys</label></p>
        <p><label><input type="checkbox" .checked=${app.prefs.get().bits} @change=${(/** @type {Event} */ event) =>
          app.prefs.patch({ bits: /** @type {HTMLInputElement} */ (event.target).checked })}> Traffic in bits</label></p>
        <p>All that you see is in the address of the page: copy it, and others see the same. Only theme, zone and keys stay in this browser.</p>
        <p>${status ? html`statmilld ${status.version}, ` : null}<a href="/api">the API</a></p></section>
    </div>`,
  });
}
