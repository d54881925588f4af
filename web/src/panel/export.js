// What a panel gives away: CSV, PNG, JSON, and the commands that ask the same.

import {time} from "../model/format.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./panel.js").BatchQuery} BatchQuery */

/** A text that a spreadsheet would run as a formula gets a quote in front. @param {string} text */
function safe(text) {
  return /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? "'" + text : text;
}

/** @param {string} text */
function field(text) {
  const plain = safe(text);
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll("\"", "\"\"")}"` : plain;
}

/**
 * RFC 4180; times are unix seconds and those of the zone. Numbers have all their digits.
 * @param {Scene} scene
 */
export function csv(scene) {
  const heat = scene.heat;
  /** @type {{head: string, values: (number|null)[]}[]} */
  const columns = heat ? heat.buckets.map(([low, high], row) => ({head: `${low}..${high}`, values: heat.counts[row]}))
    : [...scene.lines, ...(scene.rest ? [scene.rest] : [])].filter((line) => !line.hidden).flatMap((line) => {
      const all = /** @type {Record<string, (number|null)[]>} */ (line.stat === "value" ? {value: line.values} : line.columns);
      const stats = [line.stat, ...["avg", "min", "max", "count", "sum", "stddev"].filter((stat) => stat !== line.stat && Array.isArray(all[stat]))];
      return stats.map((stat) => ({head: `${line.name || line.label}:${stat}`, values: stat === line.stat ? line.values : all[stat]}));
    });
  const lines = [["time", "local", ...columns.map(({head}) => head)].map(field).join(",")];
  for (let slot = 0; slot < scene.slots; ++slot) {
    const at = scene.from + slot * scene.step;
    lines.push([String(at), time(at, scene.zone), ...columns.map(({values}) => values[slot] === null || values[slot] === undefined ? "" : String(values[slot]))].map(field).join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

/**
 * @param {HTMLCanvasElement} canvas of the plot
 * @param {{title: string, range: string, badge: string, legend: {label: string, color: string}[]}} words
 * @param {import("./pool.js").Colors} colors
 * @returns {Promise<Blob|null>}
 */
export function png(canvas, {title, range, badge, legend}, colors) {
  const ratio = devicePixelRatio || 1;
  const margin = 12 * ratio;
  const head = 44 * ratio;
  const row = 18 * ratio;
  const result = document.createElement("canvas");
  const context = /** @type {CanvasRenderingContext2D} */ (result.getContext("2d"));
  context.font = `${12 * ratio}px ${colors.font}`;
  const width = canvas.width + 2 * margin;
  // Entries of the legend in as many rows as they need.
  let x = margin;
  let y = 0;
  const places = legend.map(({label}) => {
    const size = context.measureText(label).width + 28 * ratio;
    if (x + size > width - margin && x > margin) {
      x = margin;
      y += row;
    }
    const place = {x, y};
    x += size;
    return place;
  });
  result.width = width;
  result.height = head + canvas.height + (legend.length ? y + row + margin : margin);
  context.fillStyle = colors.panel;
  context.fillRect(0, 0, result.width, result.height);
  context.textBaseline = "top";
  context.fillStyle = colors.text;
  context.font = `600 ${14 * ratio}px ${colors.font}`;
  context.fillText(title, margin, margin * 0.8);
  context.font = `${12 * ratio}px ${colors.font}`;
  context.fillStyle = colors.muted;
  context.fillText(`${range}   ${badge}`, margin, margin * 0.8 + 18 * ratio);
  context.drawImage(canvas, margin, head);
  legend.forEach(({label, color}, i) => {
    const top = head + canvas.height + places[i].y + 4 * ratio;
    context.fillStyle = color;
    context.fillRect(places[i].x, top + 4 * ratio, 12 * ratio, 3 * ratio);
    context.fillStyle = colors.text;
    context.fillText(label, places[i].x + 17 * ratio, top);
  });
  return new Promise((resolve) => result.toBlob(resolve, "image/png"));
}

/** A text in single quotes, as a shell takes it. @param {string} text */
function quoted(text) {
  return /^[\w./:,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * @param {BatchQuery} query @param {{from: number, until: number}} range @param {string} origin
 */
export function curl(query, range, origin) {
  const fields = [...(query.expr ? [`expr=${query.expr}`] : (query.series ?? []).map((name) => `series=${name}`)), `from=${range.from}`, `until=${range.until}`,
    query.step ? `step=${query.step}` : `max_points=${query.max_points}`, ...(query.stats ? [`stats=${query.stats.join(",")}`] : [])];
  if (query.grouping !== undefined) fields.push(`grouping=${query.grouping}`);
  return `curl -sG ${quoted(`${origin}/api/v1/${query.kind === "heatmap" ? "heatmap" : "query"}`)} ${fields.map((text) => `--data-urlencode ${quoted(text)}`).join(" ")}`;
}

/** @param {BatchQuery} query @param {{from: number, until: number}} range @param {string} origin */
export function command(query, range, origin) {
  const what = query.expr ? `--expr ${quoted(query.expr)}` : (query.series ?? []).map(quoted).join(" ");
  return `statmill query --server ${quoted(origin)} --from ${range.from} --until ${range.until}${query.stats ? ` --stats ${query.stats.join(",")}` : ""} ${what}`;
}
