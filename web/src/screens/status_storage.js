// The storage tab of Status: what the tiers have on disk, when the disk is full, and which rule of retention keeps a name.

import { html } from "lit-html";
import { isAbort } from "../data/client.js";
import { age, count, kNone, number, text, time } from "../model/format.js";
import { glyph } from "../parts/badge.js";
import { nameText } from "../parts/name.js";
import { createSortTable } from "../parts/sort_table.js";
import { card } from "./status_cards.js";

const kSoonDays = 30;
const kVerySoonDays = 7;
const kFarDays = 3650;  // a forecast beyond this says nothing

/** @typedef {{big: string, short: string, words: string, grade: ""|"warn"|"bad"}} Forecast `short` stands alone */

/**
 * When the disk is full, in words.
 * @param {any} status
 * @returns {Forecast}
 */
export function forecastOf(status) {
  const forecast = status?.disk_forecast;
  if (!forecast) {
    return { big: kNone, short: "no forecast yet", grade: "", words: status?.disk_free_bytes === undefined ? "what is free on the disk is not known" : "known an hour after the server's start" };
  }
  const over = `the last ${Math.round(forecast.observed_s / 3600)}\u202Fh`;
  const days = forecast.full_in_days;
  if (days === null) {
    return { big: "no", short: "does not fill", grade: "", words: forecast.bytes_per_day > 0 ? `at the growth of ${over}, retention ends the growth before` : `the store did not grow in ${over}` };
  }
  const grade = days < kVerySoonDays ? "bad" : days < kSoonDays ? "warn" : "";
  const big = days > kFarDays ? "in over 10 y" : days < 1 ? "within a day" : `in ${age(Math.round(days) * 86400)}`;
  return { big, short: `full ${big}`, grade, words: `if the store grows as in ${over}: ${text(forecast.bytes_per_day, "bytes", { digits: 3 })} a day` };
}

/**
 * What is written per sample and day, in words; `null` as long as nothing is known.
 * @param {any} writes `disk_writes` of the status
 */
export function writesOf(writes) {
  if (!writes) return null;
  const each = writes.bytes_per_sample;
  const bytes = (/** @type {number} */ value) => text(value, "bytes", { digits: 2 });
  const words = each === null ? "no samples came"
    : `${bytes(each.all)} a sample: log ${bytes(each.log)}, flushes ${bytes(each.flush)}, compactions ${bytes(each.compaction)}`;
  const life = writes.rated_years === null ? "" : `; a disk for ${count(writes.rated_tb)}\u202FTB lasts ${writes.rated_years} years`;
  return { per_day: /** @type {number|null} */ (writes.bytes_per_day), words: words + life };
}

/**
 * How compactions and the cache do, in words.
 * @param {any} store `store` of the status
 */
export function storeHealthOf(store) {
  const times = store.slowdowns + store.stops;
  const stall = store.stall === "none" ? times === 0 ? "writes were never slowed" : `writes were slowed or stopped ${count(times)} times, for ${count(Math.round(store.stalled_s))}\u202Fs`
    : `writes are ${store.stall}: compactions lag`;
  const ratio = store.cache_hit_ratio;
  return {
    stall, grade: /** @type {"ok"|"warn"|"bad"} */ (store.stall === "none" ? times === 0 ? "ok" : "warn" : "bad"),
    cache: ratio === null ? "no block was looked for yet" : `${(ratio * 100).toFixed(1)}\u202F% of ${count(store.cache_hits + store.cache_misses)} blocks were in the cache`,
  };
}

/** `10 s for 10 d`. @param {{step: number, retention_s: number}} tier */
const tierText = (tier) => `${age(tier.step)} for ${age(tier.retention_s)}`;

/**
 * @param {import("../app.js").App} app
 * @param {() => void} draw
 */
export function createStorage(app, draw) {
  const bytes = (/** @type {number|null} */ value) => text(value, "bytes", { digits: 3 });
  const day = (/** @type {number|null} */ at) => at === null ? kNone : time(at, app.zone(), { seconds: false });
  const tierTable = createSortTable({
    caption: "Tiers", order: "step", onChange: draw, save: app.save,
    columns: [
      { id: "step", label: "step", isHead: true, value: (row) => row.step, show: (row) => row.step === null ? "names, journal, log" : html`<span class="num">${age(row.step)}</span>` },
      { id: "kept", label: "kept for", right: true, value: (row) => row.retention_s, show: (row) => row.step === null ? "" : age(row.retention_s) },
      { id: "oldest", label: "oldest slot", right: true, value: (row) => row.oldest_s, show: (row) => row.step === null ? "" : html`<span class="num">${day(row.oldest_s)}</span>` },
      { id: "bytes", label: "on disk", right: true, value: (row) => row.bytes, show: (row) => bytes(row.bytes) },
    ],
  });

  const test = { name: "", /** @type {any} */ answer: null, fault: "" };
  let asking = new AbortController();
  async function ask() {
    asking.abort();
    asking = new AbortController();
    test.answer = null;
    test.fault = "";
    if (test.name.trim() !== "") {
      try {
        test.answer = await app.client.get("/api/v1/retention", { name: test.name.trim() }, { signal: asking.signal });
      } catch (error) {
        if (isAbort(error)) return;
        test.fault = error instanceof Error ? error.message : String(error);
      }
    }
    draw();
  }

  /** @param {any} answer */
  function verdict(answer) {
    return html`<p>${nameText(answer.name)}</p>
      <p>${answer.rule === null ? html`No rule matches: <code>--retention</code> holds.` : html`The rule <code><bdi>${answer.rule}</bdi></code> holds.`}</p>
      <p class="num">${answer.tiers.map(tierText).join(", ")}</p>
      <p class="muted">${answer.kind ? `A series (${answer.kind}) has this name, with samples from ${day(answer.since)} to ${day(answer.last)}.` : "No series has this name yet."}</p>`;
  }

  function tester() {
    return card("Which rule keeps a name?", html`<div class="body form">
      <form class="toolbar" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); void ask(); }}>
        <span class="field grow"><input name="retention" aria-label="Name of a series" placeholder="shop.orders;dc=fra" autocomplete="off" spellcheck="false" .value=${test.name}
          @input=${(/** @type {Event} */ event) => { test.name = /** @type {HTMLInputElement} */ (event.target).value; void ask(); }}></span></form>
      <div class="retention-answer" role="status">${test.fault ? html`<p class="fault-note">${test.fault}</p>` : test.answer ? verdict(test.answer)
        : html`<p class="muted">The name need not exist. Without a rule: <span class="num">${app.server.get().status?.retention ?? kNone}</span></p>`}</div></div>`);
  }

  /** @param {string} title @param {unknown} value @param {unknown} more @param {string} [grade] */
  const tile = (title, value, more, grade = "") => html`<section class="card tile ${grade}"><h2>${title}</h2><div class="big">${value}</div><p>${more}</p></section>`;
  /** @param {number|null|undefined} value */
  function size(value) {
    const shown = number(value ?? null, "bytes", { digits: 3 });
    return html`${shown.text}<span class="unit">${shown.unit}</span>`;
  }

  return {
    /** @param {any} status */
    view(status) {
      /** @type {any[]} */
      const tiers = status.tiers ?? [];
      const rest = Math.max(0, status.disk_bytes - tiers.reduce((sum, tier) => sum + tier.bytes, 0));
      const forecast = forecastOf(status);
      const writes = writesOf(status.disk_writes);
      const health = storeHealthOf(status.store);
      return html`<div class="tiles">
          ${tile("On disk", size(status.disk_bytes), "all of the store")}
          ${tile("Free on the disk", size(status.disk_free_bytes), status.disk_free_bytes === undefined ? "not known" : "for anyone to fill")}
          ${tile("Will the disk be full?", forecast.big, forecast.words, forecast.grade)}
          ${tile("Written per day", size(writes?.per_day), writes?.words ?? "known an hour after the server's start")}
          ${tile("Waiting in memory", size(status.pending_bytes), "buckets not yet written")}
          ${tile("Buffers and caches", size(status.store_memory_bytes), "memory of the store")}
        </div>
        <div class="two">${card("Tiers", tierTable.table([...tiers, { step: null, retention_s: null, oldest_s: null, bytes: rest }]))}
        <div class="cards">${tester()}
          ${card("Health of the store", html`<div class="body">
          <p>${glyph(health.grade)} ${health.stall}</p>
          <p><b class="num">${bytes(status.store.compaction_debt_bytes)}</b> to compact, <b class="num">${bytes(status.store.obsolete_bytes)}</b> of replaced files</p>
          <p class="muted">${health.cache}</p>
          <p>${glyph(status.damaged_frames === 0 ? "ok" : "bad")} <b class="num">${count(status.damaged_frames)}</b> damaged frames since the start</p>
          <p>${glyph(status.store_reopenings === 0 ? "ok" : "warn")} <b class="num">${count(status.store_reopenings)}</b> times reopened after a fault of the disk</p></div>`)}</div></div>`;
    },
  };
}
