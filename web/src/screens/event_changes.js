// What changed after an event: the series of its host, or of the panel in which it is marked, ranked by how far they moved
// against the time before it.

import { html } from "lit-html";
import { age, span, time as timeText, visible } from "../model/format.js";
import { spansAfter } from "../model/changes.js";
import { openDialog } from "../parts/dialog.js";
import { changesTable } from "./changes.js";

/** @typedef {import("../panel/panel.js").Mark} Mark */

/**
 * The series of the one host that an event names; empty if it names none, or several.
 * @param {string} where a glob, as `host=web1`
 */
export function matchOfEvent(where) {
  const host = /(?:^|[{,;*])host=([^;*?[\]{},]+)(?=$|[;},])/.exec(where);
  return host ? `{host=${JSON.stringify(host[1])}}` : "";
}

/**
 * @param {import("../app.js").App} app
 * @param {Mark[]} marks of one place, at least one
 * @param {string} match the series to compare if an event names no host; empty: all
 */
export function openEventChanges(app, marks, match) {
  let chosen = marks[0];
  let length = 0;  // 0: the usual one
  /** @type {any} */
  let answer = null;
  let fault = "";
  let asked = 0;
  const dialog = openDialog({ title: "What changed after it", wide: true, body: html`<p class="muted">…</p>`, onClose: () => { asked = -1; } });

  const spans = () => spansAfter(chosen.time, chosen.until ?? null, app.clock.now());

  function range() {
    const choices = spans();
    const seconds = (choices.find((one) => one.seconds === length) ?? choices.find((one) => one.isUsual) ?? choices[0]).seconds;
    const from = Math.floor(chosen.time);
    return { from, until: from + seconds, seconds };
  }

  /** @param {Mark} mark */
  function choose(mark) {
    chosen = mark;
    length = 0;
    void load();
  }

  function draw() {
    const zone = app.zone();
    const { from, until, seconds } = range();
    const rows = answer?.series ?? [];
    const passed = app.clock.now() - chosen.time;
    dialog.update(html`
      ${marks.length > 1 ? html`<div class="buttons event-choice">${marks.map((mark) => html`<button type="button" class="button" aria-pressed=${String(mark === chosen)}
        @click=${() => choose(mark)}>${mark.kind === "loss" ? "▲" : "◆"} <bdi>${visible(mark.title)}</bdi></button>`)}</div>` : null}
      <div class="event-words"><h3><bdi>${visible(chosen.title)}</bdi></h3>
        <p class="muted">${timeText(chosen.time, zone)}${chosen.until ? html` – ${timeText(chosen.until, zone)}, ${age(chosen.until - chosen.time)}` : null}${chosen.tags?.map((tag) => html` <span class="host-tag">${visible(tag)}</span>`)}</p>
        ${chosen.text ? html`<p class="notes">${visible(chosen.text)}</p>` : null}</div>
      <div class="toolbar"><span>the first</span>
        <span class="buttons">${spans().map((one) => html`<button type="button" class="button" aria-pressed=${String(one.seconds === seconds)}
          @click=${() => { length = one.seconds; void load(); }}>${one.label}</button>`)}</span>
        <span>after it against as long before</span>
        <span class="muted">${span(from, until, zone, { seconds: true })}${answer ? `, ${answer.compared} series compared` : ""}</span></div>
      ${fault ? html`<p class="fault-note" role="alert">${fault}</p>` : null}
      ${answer && rows.length === 0 ? html`<p class="empty-note">${passed < 120 ? "The event is too new to compare: few samples have come since." : "No series moved, or none has enough samples."}</p>` : null}
      ${rows.length > 0 ? changesTable(app, rows, "before", "after", () => dialog.close()) : null}`);
  }

  async function load() {
    const mine = ++asked;
    answer = null;
    fault = "";
    draw();
    const { from, until } = range();
    try {
      const found = await app.client.get("/api/v1/changes", { match: matchOfEvent(chosen.where ?? "") || match, from, until, against: "before", limit: 50 });
      if (mine !== asked) return;
      answer = found;
    } catch (error) {
      if (mine !== asked) return;
      fault = error instanceof Error ? error.message : String(error);
    }
    draw();
  }
  void load();
}
