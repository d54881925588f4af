// What stands in place of a plot: an error with its text, grey boxes at the first load, why there is nothing; or the table.

import {html, nothing} from "lit-html";
import {clock, day, span, time, visible} from "../model/format.js";
import {dataTable} from "./data_table.js";

/**
 * @typedef {object} Shown
 * @property {import("./types.js").PanelSpec} spec @property {import("./types.js").PanelRange} range
 * @property {import("./types.js").Answer|undefined} answer
 * @property {import("./scene.js").Scene|null} scene
 * @property {boolean} isLoading @property {boolean} isEmpty no samples in the range
 * @property {string} title @property {number} top where the table is scrolled to
 */

/** @typedef {{retry: () => void, go: (from: number, until: number) => void, scrolled: (top: number) => void}} Acts */

/** Nothing if the plot is to be seen. @param {Shown} shown @param {Acts} acts */
export function stateOf(shown, acts) {
  const {spec, answer, scene, isLoading} = shown;
  if (answer?.error !== undefined && !isLoading) {
    return html`<div class="panel-state bad" role="alert"><p>✕ ${visible(answer.error || "The server refused this.")}</p>
      <button type="button" class="button" @click=${acts.retry}>again</button></div>`;
  }
  if (!scene && isLoading) return html`<div class="panel-state first" aria-hidden="true"></div>`;
  if (!scene || shown.isEmpty) return empty(shown, acts);
  return spec.view === "table" ? dataTable(scene, shown.title, {top: shown.top, scrolled: acts.scrolled}) : nothing;
}

/** @param {Shown} shown @param {Acts} acts */
function empty({spec, range, scene, answer}, acts) {
  const isMissing = !scene?.lines.length || scene.missing.length > 0;
  const times = span(Math.floor(range.from), Math.floor(range.until), range.zone, {seconds: false}).replace("–", " to ");
  const words = spec.note ?? (isMissing ? "no such series yet" : `no samples from ${times}`);
  const found = isMissing ? null : elsewhere(answer, range);
  const {at, words: more} = found ?? {at: null, words: ""};
  return html`<div class="panel-state"><p>${visible(words)}${more ? `; ${more}` : ""}</p>
    ${at === null ? nothing : html`<button type="button" class="button" @click=${() => acts.go(...around(at, range))}>go there</button>`}</div>`;
}

/**
 * Where the samples are that the range does not have; null if that is not known.
 * @param {import("./types.js").Answer|undefined} answer @param {import("./types.js").PanelRange} range
 * @returns {{words: string, at: number|null}|null} `at` is the time of one that is still kept
 */
export function elsewhere(answer, range) {
  const all = (answer?.counts ? [answer] : answer?.series ?? []).filter((one) => typeof one?.since === "number");
  if (all.length === 0) return null;
  const since = Math.min(...all.map((one) => one.since));
  const last = Math.max(...all.map((one) => one.last));
  const keptFrom = Math.min(...all.map((one) => one.kept_from));
  const when = (/** @type {number} */ at) => day(at, range.zone) === day(range.until - 1, range.zone) ? clock(at, range.zone, {seconds: false}) : time(at, range.zone, {seconds: false});
  if (last < keptFrom) return {words: `the last one was ${when(last)}, which is older than retention`, at: null};
  if (since >= range.until) return {words: `the first one was ${when(since)}`, at: Math.max(since, keptFrom)};
  if (keptFrom >= range.until) return {words: `that is older than retention, which begins ${when(keptFrom)}`, at: null};
  return {words: `the last one was ${when(last)}`, at: last};
}

/** A range as long as this one, with the time in its last quarter. @param {number} at @param {import("./types.js").PanelRange} range @returns {[number, number]} */
function around(at, range) {
  const length = Math.ceil(range.until - range.from);
  const until = Math.min(Math.floor(at + length / 4) + 1, Math.max(Math.floor(range.now), at + 1));
  return [until - length, until];
}
