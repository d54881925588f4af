// A table of data that sorts by any column, filters by a text and goes to CSV.

import { html, nothing } from "lit-html";
import { icon } from "./icon.js";
import { toCsv } from "./output.js";

/**
 * @template T
 * @typedef {object} TableColumn
 * @property {string} id
 * @property {string} label
 * @property {(row: T) => string|number|null} value what it is sorted by, filtered and saved as
 * @property {(row: T) => unknown} [show] by default the value
 * @property {boolean} [right] numbers
 * @property {boolean} [isHead] the cell is the heading of its row
 * @property {string} [className]
 */

const kRowsMax = 500;
const kCollator = new Intl.Collator("en", { numeric: true });
const kFilterFrom = 12;  // rows from which on a filter is worth its place

/**
 * @template T
 * @param {object} options
 * @param {string} options.caption
 * @param {TableColumn<T>[]} options.columns
 * @param {string} options.order id of the column, with `-` in front from the greatest
 * @param {() => void} options.onChange draws again
 * @param {(name: string, type: string, content: string) => void} options.save
 */
export function createSortTable({ caption, columns, order, onChange, save }) {
  let filter = "";

  /** @param {T[]} rows */
  function shown(rows) {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = words.length === 0 ? rows : rows.filter((row) => {
      const text = columns.map((column) => column.value(row) ?? "").join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const id = order.replace(/^-/, "");
    const column = columns.find((one) => one.id === id);
    if (column === undefined) return kept;
    const sign = order.startsWith("-") ? -1 : 1;
    return [...kept].sort((a, b) => {
      const x = column.value(a);
      const y = column.value(b);
      if (x === y) return 0;
      if (x === null) return 1;
      if (y === null) return -1;
      const compared = typeof x === "number" && typeof y === "number" ? x - y : kCollator.compare(String(x), String(y));
      return sign * compared;
    });
  }

  /** @param {TableColumn<T>} column */
  function heading(column) {
    const isSorted = order.replace(/^-/, "") === column.id;
    const isDown = order.startsWith("-");
    return html`<th scope="col" class=${column.right ? "right" : ""} aria-sort=${isSorted ? isDown ? "descending" : "ascending" : nothing}>
      <button @click=${() => { order = isSorted ? isDown ? column.id : `-${column.id}` : column.right ? `-${column.id}` : column.id; onChange(); }}>
        ${column.label}${isSorted ? isDown ? " ↓" : " ↑" : ""}</button></th>`;
  }

  return {
    /** Filter and CSV, for the heading of the table. @param {T[]} rows */
    tools(rows) {
      return html`${rows.length < kFilterFrom && filter === "" ? nothing : html`<label class="field">${icon("filter")}<input type="search"
          aria-label="Filter: ${caption}" placeholder="filter" autocomplete="off" spellcheck="false" .value=${filter}
          @input=${(/** @type {Event} */ event) => { filter = /** @type {HTMLInputElement} */ (event.target).value; onChange(); }}></label>`}
        <button class="button icon-only" title="Save as CSV" aria-label="Save as CSV: ${caption}" @click=${() => save(
          `${caption.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.csv`, "text/csv",
          toCsv([columns.map((column) => column.label), ...shown(rows).map((row) => columns.map((column) => column.value(row)))]))}>${icon("download")}</button>`;
    },
    /** @param {T[]} rows @param {string} [nothingText] */
    table(rows, nothingText = "Nothing here.") {
      const all = shown(rows);
      if (all.length === 0) return html`<p class="empty-note">${filter === "" ? nothingText : "Nothing has this text."}</p>`;
      return html`<div class="scroll-x"><table class="data"><caption class="hidden">${caption}</caption>
        <thead><tr>${columns.map(heading)}</tr></thead>
        <tbody>${all.slice(0, kRowsMax).map((row) => html`<tr>${columns.map((column) => {
          const content = column.show ? column.show(row) : column.value(row) ?? "–";
          const className = `${column.right ? "num right" : ""} ${column.className ?? ""}`;
          return column.isHead ? html`<th scope="row" class=${className}>${content}</th>` : html`<td class=${className}>${content}</td>`;
        })}</tr>`)}</tbody></table></div>
        ${all.length > kRowsMax ? html`<p class="empty-note">${all.length - kRowsMax} more rows: filter, or save as CSV.</p>` : nothing}`;
    },
  };
}
