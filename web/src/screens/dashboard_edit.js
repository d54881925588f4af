// Making and changing one panel of a dashboard by a form: its fields depend on its kind. The JSON view has all the rest.

import { html, nothing } from "lit-html";
import { kChoices } from "../model/units.js";
import { icon } from "../parts/icon.js";
import { openDialog } from "../parts/dialog.js";
import { checkPanel, hasRows } from "./dashboard_model.js";

/** @typedef {import("./dashboard_model.js").DashboardPanel} DashboardPanel */

/** What "add" offers: a label, and how the panel begins. @type {{label: string, icon: string, panel: Record<string, any> & {at: [number, number, number, number]}}[]} */
export const kNewPanels = [
  { label: "Lines", icon: "gauge", panel: { at: [0, 0, 6, 2], title: "", series: [] } },
  { label: "Heatmap", icon: "distribution", panel: { at: [0, 0, 6, 2], kind: "heatmap", title: "", series: [], stats: ["p50", "p99"] } },
  {
    label: "Table, a row for each host or part", icon: "table",
    panel: { at: [0, 0, 12, 3], kind: "table", title: "", row: "tag:host", columns: [{ column: "host.cpu.busy_percent:avg", title: "CPU busy" }], sort: "-0", spark: "0" },
  },
  { label: "One number", icon: "counter", panel: { at: [0, 0, 3, 1], kind: "number", title: "", series: [] } },
  { label: "Text", icon: "edit", panel: { at: [0, 0, 6, 1], kind: "text", title: "", text: "" } },
  { label: "Events", icon: "event", panel: { at: [0, 0, 6, 1], kind: "events", title: "" } },
];

/** @param {any} column @returns {{column: string, title: string, unit: string}} */
const columnFields = (column) => typeof column === "string" ? { column, title: "", unit: "" } : { column: "", title: "", unit: "", ...column };

/** The panel without what is empty. @param {DashboardPanel} panel @returns {DashboardPanel} */
function cleaned(panel) {
  const out = /** @type {any} */ ({});
  for (const [key, value] of Object.entries(panel)) if (value !== "" && !(key === "series" && value.length === 0 && panel.expr)) out[key] = value;
  if (panel.kind === "text") out.text = panel.text ?? "";
  if (Array.isArray(out.columns)) {
    out.columns = out.columns.map(columnFields).filter((/** @type {any} */ one) => one.column.trim() !== "").map((/** @type {any} */ one) => {
      const { column, title, unit } = one;
      return title === "" && (unit === "" || unit === "auto") ? column.trim()
        : { column: column.trim(), ...(title ? { title } : {}), ...(unit && unit !== "auto" ? { unit } : {}) };
    });
  }
  return out;
}

/**
 * @param {DashboardPanel} given
 * @param {{title: string, action: string, done: (panel: DashboardPanel) => void}} how
 */
export function openPanelForm(given, { title, action, done }) {
  /** @type {any} */
  let panel = structuredClone(given);
  let fault = "";

  function finish() {
    const next = cleaned(panel);
    /** @type {string[]} */
    const faults = [];
    if (Array.isArray(next.columns) && !next.row) faults.push("A table needs what each of its rows is, as tag:host");
    checkPanel(next, "", (at, error) => faults.push(`${at.replace(/^\//, "")}: ${error}`));
    fault = faults[0] ?? "";
    if (fault !== "") dialog.update(body());
    else {
      dialog.close();
      done(next);
    }
  }
  /** @param {string} key @param {(text: string) => any} [read] */
  const set = (key, read = (text) => text) => (/** @type {Event} */ event) => {
    panel = { ...panel, [key]: read(/** @type {HTMLInputElement} */ (event.target).value) };
  };
  /** @param {string} label @param {string} key @param {string} [hint] */
  const field = (label, key, hint = "") => html`<label>${label}<span class="field"><input .value=${panel[key] ?? ""} placeholder=${hint}
    autocomplete="off" spellcheck="false" @input=${set(key)}></span></label>`;

  /** @param {number} i @param {string} key */
  const setColumn = (i, key) => (/** @type {Event} */ event) => {
    const value = /** @type {HTMLInputElement} */ (event.target).value;
    panel = { ...panel, columns: panel.columns.map((/** @type {any} */ one, /** @type {number} */ at) => at === i ? { ...columnFields(one), [key]: value } : one) };
  };
  /** @param {any[]} columns */
  function withColumns(columns) {
    panel = { ...panel, columns };
    dialog.update(body());
  }
  const titles = () => panel.columns.map(columnFields).map((/** @type {any} */ one, /** @type {number} */ i) => one.title || one.column || `column ${i + 1}`);
  /** @returns {[string, string][]} */
  const sortChoices = () => [["row", "row, A to Z"], ["-row", "row, Z to A"],
    ...titles().flatMap((/** @type {string} */ title, /** @type {number} */ i) => /** @type {[string, string][]} */ ([[`-${i}`, `${title}, greatest first`], [String(i), `${title}, least first`]]))];
  /** @param {string} label @param {string} key @param {[string, string][]} choices */
  const choice = (label, key, choices) => html`<label>${label}<span class="select"><select @change=${set(key)}>${choices.map(([id, text]) => html`
    <option value=${id} ?selected=${id === (panel[key] ?? "").split(":")[0]}>${text}</option>`)}</select>${icon("down")}</span></label>`;
  const rowFields = () => html`${field("A row for each", "row", "tag:host, or a path with one star, as shop.*.orders")}
    <fieldset><legend>Columns: series, and the statistic after a colon</legend>${panel.columns.map(columnFields).map((/** @type {any} */ one, /** @type {number} */ i) => html`
      <div class="column-row"><span class="field wide"><input aria-label="Column ${i + 1}" placeholder="host.block.latency_ns:p99" autocomplete="off" spellcheck="false"
          .value=${one.column} @input=${setColumn(i, "column")}></span>
        <span class="field"><input aria-label="Title of column ${i + 1}" placeholder="title" .value=${one.title} @input=${setColumn(i, "title")}></span>
        <span class="select"><select aria-label="Unit of column ${i + 1}" @change=${setColumn(i, "unit")}>${kChoices.map((choice) => html`
          <option value=${choice.id} ?selected=${choice.id === (one.unit || "auto")}>${choice.label}</option>`)}</select>${icon("down")}</span>
        <button class="button quiet icon-only" type="button" aria-label="Remove column ${i + 1}" title="Remove"
          @click=${() => withColumns(panel.columns.filter((/** @type {any} */ _, /** @type {number} */ at) => at !== i))}>${icon("close")}</button></div>`)}
      <button class="button" type="button" @click=${() => withColumns([...panel.columns, ""])}>${icon("plus")}Column</button></fieldset>
    ${field("Only series that match, if not all", "match", "*;{,*;}dc=fra{,;*}")}
    ${choice("Sorted by", "sort", sortChoices())}
    ${choice("Also drawn over the range", "spark", [["", "nothing"], ...titles().map((/** @type {string} */ title, /** @type {number} */ i) => /** @type {[string, string]} */ ([String(i), title]))])}`;
  const seriesFields = () => html`
    <label>Series, one a line; * is any text, $name a variable<textarea class="lines" rows="3" autocomplete="off" spellcheck="false" .value=${(panel.series ?? []).join("\n")}
      @input=${set("series", (text) => text.split("\n").map((one) => one.trim()).filter(Boolean))}></textarea></label>
    ${field("Or a PromQL expression", "expr")}`;
  const body = () => html`<form class="form" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); finish(); }}>
    ${field("Title", "title")}
    ${hasRows(panel) || panel.row === "" ? rowFields() : panel.kind === "text"
      ? html`<label>Text<textarea class="lines" rows="6" .value=${panel.text ?? ""} @input=${set("text")}></textarea></label>`
      : panel.kind === "events" ? nothing : seriesFields()}
    ${fault ? html`<p class="fault-note" role="alert">${fault}</p>` : nothing}<button class="hidden" tabindex="-1" aria-hidden="true"></button></form>`;
  const dialog = openDialog({ title, body: body(), footer: html`<button class="button primary" @click=${finish}>${action}</button>` });
  dialog.element.querySelector("input")?.focus();
}
