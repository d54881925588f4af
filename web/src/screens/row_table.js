// Panels of a dashboard that are tables: a row for each value of a tag, or of a part of paths, and the columns of
// /api/v1/table. The server sorts, so that the first rows are the right ones of all.

import { html, nothing } from "lit-html";
import { count, kNone, number, visible } from "../model/format.js";
import { pathOf, unit, unitOf } from "../model/units.js";
import { icon } from "../parts/icon.js";
import { hostText } from "../parts/name.js";
import { toCsv } from "../parts/output.js";
import { spark } from "../parts/spark.js";
import { hostAddress } from "./hosts_table.js";
import { replaced, withAny } from "./dashboard_model.js";

/** @typedef {import("./dashboard_model.js").DashboardPanel} DashboardPanel */
/** @typedef {{ask: string, title: string, unit: import("../model/units.js").Unit}} RowColumn */

const kRowsMax = 200;
const kSavedMax = 10_000;
const kSparkPoints = 40;
const kColumnText = /^(.*?):(count|sum|avg|stddev|min|max|rate|last|p[\d.]+)(?::(?:merge|max|sum|avg))?$/s;

/** What a column measures: rates are of events, counts are plain numbers. @param {string} ask */
function unitOfColumn(ask) {
  const [, selector, stat] = kColumnText.exec(ask) ?? ["", ask, "avg"];
  if (stat === "count") return unit("none");
  return unitOf(/^[^"]*"([^"]+)"/.exec(selector)?.[1] ?? pathOf(selector), stat === "rate" ? "event" : "gauge");
}

/**
 * @param {DashboardPanel} panel
 * @param {Record<string, string>} values of the variables
 * @returns {RowColumn[]}
 */
export function columnsOf(panel, values) {
  return (panel.columns ?? []).map((/** @type {any} */ one) => {
    const of = typeof one === "string" ? { column: one } : one;
    const ask = replaced(of.column, withAny(values));
    const [, selector, stat] = kColumnText.exec(ask) ?? ["", ask, ""];
    const title = of.title ? replaced(of.title, values) : `${pathOf(selector).split(".").slice(-2).join(".")} ${stat}`.trim();
    return { ask, title, unit: of.unit && of.unit !== "auto" ? unit(of.unit) : unitOfColumn(ask) };
  });
}

/**
 * What is asked of /api/v1/table.
 * @param {DashboardPanel} panel
 * @param {Record<string, string>} values
 * @param {string} sort as the API has it; empty: as the panel says
 */
export function askOf(panel, values, sort) {
  const of = withAny(values);
  return {
    row: replaced(panel.row, of), column: columnsOf(panel, values).map((column) => column.ask),
    ...(panel.match ? { match: replaced(panel.match, of) } : {}), sort: sort || panel.sort || "row", limit: kRowsMax,
    ...(panel.spark ? { spark: panel.spark.includes(":") ? panel.spark : `${panel.spark}:${kSparkPoints}` } : {}),
  };
}

/** The next order when a heading is pressed: columns begin with the greatest. @param {string} now @param {string} id */
export function nextSort(now, id) {
  if (id === "row") return now === "row" ? "-row" : "row";
  return now === `-${id}` ? id : `-${id}`;
}

/**
 * @param {object} what
 * @param {import("../app.js").App} what.app
 * @param {DashboardPanel} what.panel
 * @param {Record<string, string>} what.values
 * @param {string} what.sort
 * @param {any} what.answer null before the first one; may have a `fault`
 * @param {(sort: string) => void} what.onSort
 * @param {() => void} what.again asks again
 */
export function rowTable({ app, panel, values, sort, answer, onSort, again }) {
  const columns = columnsOf(panel, values);
  const ask = askOf(panel, values, sort);
  const { from, until } = app.route();
  const rowTitle = ask.row.startsWith("tag:") ? ask.row.slice(4) : ask.row;
  const isHosts = ask.row === "tag:host";

  /** @param {string} id @param {string} title @param {boolean} isRight */
  const heading = (id, title, isRight) => {
    const is = ask.sort.replace(/^-/, "") === id;
    const isDown = ask.sort.startsWith("-");
    return html`<th scope="col" class=${isRight ? "right" : ""} aria-sort=${is ? isDown ? "descending" : "ascending" : nothing}><button
      @click=${() => onSort(nextSort(ask.sort, id))}>${title}${is ? isDown ? " ↓" : " ↑" : ""}</button></th>`;
  };
  async function save() {
    try {
      const { spark: _, ...rest } = /** @type {any} */ (ask);
      const all = await app.client.get("/api/v1/table", { ...rest, limit: kSavedMax, from, until });
      const head = [rowTitle, ...columns.map((column) => `${column.title} (${column.ask})`)];
      app.save(`${(panel.title || rowTitle).toLowerCase().replace(/[^a-z0-9]+/g, "-")}.csv`, "text/csv",
        toCsv([head, ...all.rows.map((/** @type {any} */ row) => [row.row, ...row.values])]));
    } catch (error) {
      app.toast(error instanceof Error ? error.message : String(error));
    }
  }
  const rows = Array.isArray(answer?.rows) ? answer.rows : [];
  const more = (answer?.total ?? 0) - rows.length;
  return html`<header class="panel-head"><h3>${panel.title ? replaced(panel.title, values) : rowTitle}</h3>
      ${rows.length > 0 ? html`<span class="muted num">${more > 0 ? html`${count(rows.length)} of ${count(answer.total)}` : count(rows.length)} rows</span>
        <button class="button quiet icon-only" title="Save as CSV" aria-label="Save as CSV: ${panel.title ?? rowTitle}" @click=${save}>${icon("download")}</button>` : nothing}</header>
    ${answer === null ? html`<div class="skeleton"><i></i><i></i><i></i></div>`
      : answer.fault ? html`<p class="fault-note" role="alert">${answer.fault} <button class="button" @click=${again}>Again</button></p>`
      : rows.length === 0 ? html`<p class="empty-note">No series of these columns has such a row in this range.</p>`
      : html`<div class="scroll-rows" tabindex="0" role="region" aria-label=${panel.title ?? rowTitle} data-size=${panel.at[3]}><table class="data rows"><thead><tr>${heading("row", rowTitle, false)}
          ${columns.map((column, i) => heading(String(i), column.title, true))}${ask.spark ? html`<th scope="col">${columns[parseInt(ask.spark, 10)]?.title ?? ""}</th>` : nothing}</tr></thead>
        <tbody>${rows.map((/** @type {any} */ row) => html`<tr><th scope="row">${isHosts
          ? html`<a class="plain-link" href=${hostAddress(app, row.row)}>${hostText(row.row)}</a>` : html`<bdi class="name">${visible(row.row)}</bdi>`}</th>
          ${columns.map((column, i) => cell(row.values[i], column))}${ask.spark ? html`<td>${spark(row.spark, { width: 120, height: 18 })}</td>` : nothing}</tr>`)}</tbody></table></div>`}`;
}

/** @param {number|null|undefined} value @param {RowColumn} column */
function cell(value, column) {
  const shown = number(value ?? null, column.unit, { digits: 3 });
  return html`<td class="num right">${typeof value === "number" ? html`${shown.text}<span class="unit">${shown.unit}</span>` : kNone}</td>`;
}
