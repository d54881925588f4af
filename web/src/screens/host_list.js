// Every series of a host, grouped by the part of the path that its collector sends; what is silent stands at the end.

import {html, nothing} from "lit-html";
import {repeat} from "lit-html/directives/repeat.js";
import {age, count, visible} from "../model/format.js";
import {pathOf} from "../model/units.js";

/** Silent for longer, in seconds, is without data. */
const kSilent = 300;
const kRowsMax = 1000;
const kKinds = /** @type {Record<string, string>} */ ({gauge: "○", event: "⇡", distribution: "◇", counter: "⊕"});

/** @typedef {import("./host_facts.js").SeriesOfHost} SeriesOfHost */

/** The group of a name: the second part of `host.cpu.…`, else the first. @param {string} name */
export function groupOf(name) {
  const parts = pathOf(name).split(".");
  return parts[0] === "host" && parts.length > 2 ? parts[1] : parts[0];
}

/**
 * @param {SeriesOfHost[]} series @param {string} filter words that a name must have, in any order @param {number} now
 * @returns {{group: string, all: SeriesOfHost[]}[]} silent ones are the last group
 */
export function grouped(series, filter, now) {
  const words = filter.toLowerCase().split(/\s+/).filter((word) => word);
  const found = series.filter((one) => words.every((word) => one.name.toLowerCase().includes(word)));
  /** @type {Map<string, SeriesOfHost[]>} */
  const groups = new Map();
  for (const one of found) {
    const group = now - one.last > kSilent ? "without data now" : groupOf(one.name);
    const all = groups.get(group);
    if (all) all.push(one);
    else groups.set(group, [one]);
  }
  return [...groups.entries()].map(([group, all]) => ({group, all})).sort((a, b) => Number(a.group.includes(" ")) - Number(b.group.includes(" ")) || a.group.localeCompare(b.group));
}

/**
 * @param {{series: SeriesOfHost[], isTruncated: boolean, filter: string, now: number, type: (value: string) => void, open: (name: string) => void}} shown
 */
export function hostList({series, isTruncated, filter, now, type, open}) {
  const groups = grouped(series, filter, now);
  const total = groups.reduce((sum, group) => sum + group.all.length, 0);
  let left = kRowsMax;
  return html`<div class="host-section"><h2>All</h2>
    <input class="host-filter" type="search" placeholder="filter, words in any order" aria-label="Filter the series" .value=${filter}
      @input=${(/** @type {Event} */ event) => type(/** @type {HTMLInputElement} */ (event.currentTarget).value)}>
    <span class="host-note num">${count(total)}${isTruncated ? " or more" : ""} series</span></div>
    <div class="host-all">${repeat(groups, (group) => group.group, ({group, all}) => {
      const shown = all.slice(0, Math.max(0, left));
      left -= shown.length;
      return shown.length === 0 ? nothing : html`<details class="host-group" ?open=${filter !== ""}><summary>${visible(group)} <span class="num">${count(all.length)}</span></summary>
        <ul>${shown.map((one) => html`<li><button type="button" class="link name" @click=${() => open(one.name)}><span class="kind-glyph" title=${one.kind} aria-hidden="true">${kKinds[one.kind] ?? ""}</span><span class="visually-hidden">${one.kind} </span><bdi>${visible(one.name)}</bdi></button>
          <span class="host-note num">${now - one.last > kSilent ? html`last ${age(now - one.last)} ago` : nothing}</span></li>`)}</ul></details>`;
    })}</div>`;
}
