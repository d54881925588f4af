// A sparkline: values as a small line, gaps left open, the last value as a dot.

import {svg, nothing} from "lit-html";

/**
 * @param {(number|null)[]|undefined} values
 * @param {{width?: number, height?: number, min?: number, max?: number, tone?: "ok"|"warn"|"bad"|""}} [how] the range is by
 *   default that of the values, and includes 0 if they are near
 */
export function spark(values, {width = 96, height = 20, min, max, tone = ""} = {}) {
  const present = (values ?? []).filter((value) => value !== null && Number.isFinite(value)).map(Number);
  if (!values || present.length === 0) return svg`<svg class="spark" width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true"></svg>`;
  const low = min ?? Math.min(...present, present.every((value) => value >= 0) ? 0 : Infinity);
  const high = Math.max(max ?? Math.max(...present), low + 1e-12);
  const step = (width - 4) / Math.max(1, values.length - 1);
  /** @param {number} value */
  const y = (value) => (height - 2 - (Math.min(high, Math.max(low, value)) - low) / (high - low) * (height - 4)).toFixed(1);
  let path = "";
  let fill = "";
  let end = null;
  let start = -1;
  for (let i = 0; i <= values.length; ++i) {
    const value = i < values.length ? values[i] : null;
    const x = (2 + i * step).toFixed(1);
    if (value === null || !Number.isFinite(value)) {
      if (start >= 0) {
        fill += `L${(2 + (i - 1) * step).toFixed(1)} ${height - 2}L${(2 + start * step).toFixed(1)} ${height - 2}Z`;
        if (i - start === 1) path += "h.1";
      }
      start = -1;
      continue;
    }
    path += `${start < 0 ? "M" : "L"}${x} ${y(value)}`;
    fill += `${start < 0 ? "M" : "L"}${x} ${y(value)}`;
    if (start < 0) start = i;
    if (i === values.length - 1) end = svg`<circle cx=${x} cy=${y(value)} r="1.75"></circle>`;
  }
  return svg`<svg class="spark ${tone}" width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true"><path class="spark-fill" d=${fill}></path><path class="spark-line" d=${path}></path>${end ?? nothing}</svg>`;
}
