// The choice of a range: presets, a text, two fields of dates, and the ranges typed last.

import { html, nothing, render } from "lit-html";
import { kPresets, label, parseRange, resolve } from "../model/range.js";
import { time } from "../model/format.js";
import { openLayer } from "./menu.js";

/**
 * @param {Element} anchor
 * @param {import("../app.js").App} app
 * @param {{asText?: boolean}} [how] with `asText` the text field has the focus
 */
export function openTimePicker(anchor, app, how = {}) {
  openLayer(anchor, "popover picker", (layer, close) => {
    layer.setAttribute("role", "dialog");
    layer.setAttribute("aria-label", "Range of time");
    const zone = app.zone();
    const now = app.clock.now();
    const { from, until } = app.route();
    let text = "";
    let fault = "";
    let begins = time(resolve(from, now) ?? now - 3600, zone, { seconds: false });
    let ends = until === "now" ? "now" : time(resolve(until, now) ?? now, zone, { seconds: false });

    /** @param {string} typed */
    function choose(typed) {
      const range = parseRange(typed, app.clock.now(), zone);
      if (range === null) {
        fault = "This is no range. Examples: 6h, now-6h/now-1h, 2026-11-20 14:00/15:30, 14:00+90m";
        draw();
        return;
      }
      const own = `${range.from}/${range.until}`;
      const prefs = app.prefs.get();
      if (!kPresets.includes(typed)) {
        app.prefs.patch({ ranges: [own, ...prefs.ranges.filter((one) => one !== own)].slice(0, 5) });
      }
      close();
      app.setRange(range.from, range.until);
    }

    /** @param {string} range */
    function recent(range) {
      const [begin, end] = range.split("/");
      return html`<button class="button" @click=${() => { close(); app.setRange(begin, end); }}>
        ${label(begin, end, now, zone)}</button>`;
    }

    function draw() {
      const ranges = app.prefs.get().ranges;
      render(html`
        <h2>Up to now</h2>
        <div class="times">${kPresets.map((preset) => html`
          <button class="button" aria-pressed=${String(from === `-${preset}` && until === "now")}
            @click=${() => choose(preset)}>${preset}</button>`)}</div>
        <form @submit=${(/** @type {Event} */ event) => { event.preventDefault(); choose(text); }}>
          <h2>As text</h2>
          <span class="field"><input name="text" aria-label="Range as text" aria-describedby="range-hint" autocomplete="off"
            spellcheck="false" placeholder="now-6h/now-1h" .value=${text}
            @input=${(/** @type {Event} */ event) => { text = /** @type {HTMLInputElement} */ (event.target).value; fault = ""; draw(); }}></span>
          <p class="hint ${fault ? "fault" : ""}" id="range-hint" role=${fault ? "alert" : nothing}>
            ${fault || "1y · now-6h/now-1h · 2026-11-20 14:00/15:30 · 14:00+90m · unix seconds"}</p>
        </form>
        <form @submit=${(/** @type {Event} */ event) => { event.preventDefault(); choose(`${begins}/${ends}`); }}>
          <h2>From and until, ${zone}</h2>
          <div class="row">
            <span class="field"><input aria-label="From" .value=${begins} autocomplete="off" spellcheck="false"
              @input=${(/** @type {Event} */ event) => { begins = /** @type {HTMLInputElement} */ (event.target).value; }}></span>
            <span class="field"><input aria-label="Until" .value=${ends} autocomplete="off" spellcheck="false"
              @input=${(/** @type {Event} */ event) => { ends = /** @type {HTMLInputElement} */ (event.target).value; }}></span>
          </div>
          <button class="button primary" type="submit">Apply</button>
        </form>
        ${ranges.length > 0 ? html`<h2 class="later">Last</h2><div class="recent">${ranges.map(recent)}</div>` : nothing}
      `, layer);
    }
    draw();
    requestAnimationFrame(() => {
      const target = how.asText ? "input[name=text]" : "[aria-pressed=true], .times .button";
      /** @type {HTMLElement|null} */ (layer.querySelector(target))?.focus();
    });
  });
}
