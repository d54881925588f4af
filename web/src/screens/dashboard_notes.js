// Panels of a dashboard that are no plots: a text, one number with a sparkline, the events of the range, a table of rows.

import { html, nothing } from "lit-html";
import { isAbort } from "../data/client.js";
import { clock, number, visible } from "../model/format.js";
import { unitOf } from "../model/units.js";
import { spark } from "../parts/spark.js";
import { own } from "../state/url.js";
import { openEventChanges } from "./event_changes.js";
import { loadMarks } from "./marks.js";
import { hasRows, replaced, specOf } from "./dashboard_model.js";
import { askOf, rowTable } from "./row_table.js";

const kPoints = 60;

/**
 * Text with its `https:` addresses as links; all else is text.
 * @param {string} text
 */
export function linked(text) {
  return text.split(/(https:\/\/[^\s<>"']+)/).map((part, i) => i % 2 === 1
    ? html`<a href=${part} rel="noreferrer noopener" target="_blank">${part}</a>` : part);
}

/**
 * @param {import("../app.js").App} app
 * @param {() => void} onData draws again
 */
export function createNotes(app, onData) {
  /** @type {Map<string, {key: string, data: any}>} */
  const known = new Map();

  /** @param {string} id @param {string} key @param {() => Promise<any>} ask */
  function dataOf(id, key, ask) {
    const before = known.get(id);
    if (before?.key === key) return before.data;
    known.set(id, { key, data: before?.data ?? null });
    ask().then((data) => {
      if (known.get(id)?.key !== key) return;
      known.set(id, { key, data });
      onData();
    }, (error) => {
      if (!isAbort(error)) known.set(id, { key, data: { fault: error instanceof Error ? error.message : String(error) } });
      onData();
    });
    return before?.data ?? null;
  }

  /** @param {any} panel @param {string} id @param {Record<string, string>} values */
  function oneNumber(panel, id, values) {
    const spec = specOf(panel, id, values);
    const { from, until } = app.route();
    const stat = panel.stats?.[0] ?? "avg";
    const ask = {
      kind: /** @type {const} */ ("series"), stats: spec.expr ? /** @type {any} */ (undefined) : [stat], max_points: kPoints, from, until,
      ...(spec.expr ? { expr: spec.expr } : { series: (spec.series ?? []).map((name) => name.replace(/^g:/, "")) }),
    };
    const answer = dataOf(id, JSON.stringify(ask), () => app.batch.ask(ask));
    const one = answer?.series?.[0];
    /** @type {(number|null)[]} */
    const column = (one?.[spec.expr ? "value" : stat] ?? []).map((/** @type {unknown} */ value) => typeof value === "number" ? value : null);
    const last = [...column].reverse().find((value) => value !== null) ?? null;
    const unit = panel.unit && panel.unit !== "auto" ? panel.unit : one ? unitOf(one.name ?? "", one.kind ?? "gauge", { given: one.unit }) : "none";
    const shown = number(last, unit);
    return html`<header class="panel-head"><h3>${spec.title ?? one?.name ?? panel.series?.[0] ?? ""}</h3></header>
      ${answer?.fault ? html`<p class="fault-note">${answer.fault}</p>` : html`<div class="one-number"><span class="big">${shown.text}<span class="unit">${shown.unit}</span></span>
        ${column.length > 0 ? spark(column, { width: 160, height: 40 }) : nothing}</div>`}`;
  }

  /** @param {any} panel @param {string} id */
  function eventList(panel, id) {
    const { from, until } = app.route();
    const marks = dataOf(id, `${from} ${until}`, () => loadMarks(app, from, until));
    return html`<header class="panel-head"><h3>${panel.title ?? "Events"}</h3></header>
      ${!Array.isArray(marks) || marks.length === 0 ? html`<p class="muted">None in this range.</p>` : html`<ul class="event-list">${marks.map((mark) => html`<li>
        <span class="num muted">${clock(mark.time, app.zone())}</span> <button type="button" class="link" title="What changed after it" @click=${() => openEventChanges(app, [mark], "")}>${mark.kind === "loss" ? "▲" : "◆"} <bdi>${visible(mark.title)}</bdi></button></li>`)}</ul>`}`;
  }

  /** @param {any} panel @param {string} id @param {Record<string, string>} values @param {(sort: string) => void} onSort */
  function rows(panel, id, values, onSort) {
    const sort = own(app.route(), `s.${id}`);
    const { from, until } = app.route();
    const ask = { ...askOf(panel, values, sort), from, until };
    const answer = dataOf(id, JSON.stringify(ask), () => app.client.get("/api/v1/table", ask));
    return rowTable({
      app, panel, values, sort, answer, onSort,
      again() {
        known.delete(id);
        onData();
      },
    });
  }

  return {
    /** @param {any} panel @param {string} id @param {Record<string, string>} values @param {(sort: string) => void} onSort of a table */
    content(panel, id, values, onSort) {
      if (hasRows(panel)) return rows(panel, id, values, onSort);
      if (panel.kind === "number") return oneNumber(panel, id, values);
      if (panel.kind === "events") return eventList(panel, id);
      return html`${panel.title ? html`<header class="panel-head"><h3>${panel.title}</h3></header>` : nothing}
        <p class="notes">${linked(replaced(panel.text ?? "", values))}</p>`;
    },
    refresh() {
      for (const one of known.values()) one.key = "";
      onData();
    },
    /** Reads the lists of events anew. */
    readEvents() {
      for (const one of known.values()) if (Array.isArray(one.data)) one.key = "";
      onData();
    },
  };
}
