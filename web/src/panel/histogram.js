// The histogram of a box of a heatmap, as bars on the axis of its values.

import {html, svg} from "lit-html";
import {count, span, text} from "../model/format.js";
import {logTicks} from "./value_axis.js";

const kWidth = 560;
const kHeight = 120;
const kBottom = 18;

/**
 * @param {ReturnType<typeof import("./heatmap.js").selected>} selection @param {import("./scene.js").Scene} scene
 * @param {{close: () => void, changes: () => void}} acts
 */
export function histogram(selection, scene, acts) {
  const rows = selection.rows.filter((row) => row.high > 0);
  const low = Math.min(...rows.map((row) => row.low > 0 ? row.low : row.high / 2));
  const high = Math.max(...rows.map((row) => row.high));
  /** @param {number} value */
  const x = (value) => Math.log(Math.max(value, low) / low) / Math.log(high / low) * kWidth;
  const tallest = Math.max(...rows.map((row) => row.count / Math.max(1e-9, Math.log2(row.high / (row.low > 0 ? row.low : row.high / 2)))));
  const ticks = rows.length ? logTicks(low, high, scene.unit, 7) : [];
  const values = rows.filter((row) => row.count);
  const edges = values.length ? `${text(values[0].low, scene.unit)}–${text(values[values.length - 1].high, scene.unit)}` : "";
  return html`<section class="panel-histogram" aria-label="Histogram of the selection">
    <header><b>${span(selection.from, selection.until, scene.zone)}</b> <span class="num">n ${count(selection.count)}</span> <span class="num">${edges}</span>
      <button type="button" class="link" @click=${acts.changes}>what changed</button>
      <button type="button" class="tool" aria-label="Close the histogram" title="Close (Esc)" @click=${acts.close}>✕</button></header>
    <svg viewBox="0 0 ${kWidth} ${kHeight}" role="img" aria-label="${count(selection.count)} samples ${edges}" preserveAspectRatio="none">
      ${rows.map((row) => {
        const left = x(row.low > 0 ? row.low : row.high / 2);
        const width = x(row.high) - left;
        const size = row.count / Math.max(1e-9, Math.log2(row.high / (row.low > 0 ? row.low : row.high / 2))) / (tallest || 1) * (kHeight - kBottom - 4);
        return svg`<rect class="bar" x=${left.toFixed(2)} y=${(kHeight - kBottom - Math.max(row.count ? 1.5 : 0, size)).toFixed(2)} width=${Math.max(0.5, width - 0.6).toFixed(2)} height=${Math.max(row.count ? 1.5 : 0, size).toFixed(2)}><title>${text(row.low, scene.unit)}–${text(row.high, scene.unit)}: ${count(row.count)}</title></rect>`;
      })}
      <line class="base" x1="0" x2=${kWidth} y1=${kHeight - kBottom} y2=${kHeight - kBottom}></line>
      ${ticks.map((tick) => svg`<text x=${Math.min(kWidth - 16, Math.max(14, x(tick))).toFixed(1)} y=${kHeight - 5} text-anchor="middle">${text(tick, scene.unit, {digits: 3})}</text>`)}
    </svg></section>`;
}
