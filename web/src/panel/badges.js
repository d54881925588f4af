// What stands beside a panel's title: step and samples of a point, tier, how near percentiles are, what is missing.

import {html, nothing} from "lit-html";
import {count, step, text, visible} from "../model/format.js";
import {kFinest} from "../model/step.js";
import {usedStops} from "./heatmap.js";
import {percentiles} from "./value_scale.js";

/** @typedef {import("./scene.js").Scene} Scene */

/**
 * @param {Scene|null} scene
 * @param {{live: boolean, within: number, finest?: number}} more `within`: how far percentiles may be from samples, as a part of them;
 *   `finest`: slots that every series has
 * @returns {{text: string, title: string, tone: ""|"ok"|"warn"}[]}
 */
export function badgesOf(scene, {live, within, finest = kFinest}) {
  if (!scene) return [];
  /** @type {ReturnType<typeof badgesOf>} */
  const badges = [];
  const isRate = scene.lines.some((line) => line.kind === "event" || line.kind === "counter");
  const isCounted = scene.samples > 0 && !isRate;
  badges.push({
    text: step(scene.step) + (isCounted ? ` × ${text(scene.samples, "none", {digits: 3})}` : ""), tone: "",
    title: `A point is ${step(scene.step)}${isCounted ? ` of ${count(scene.samples)} samples (median)` : ""}${scene.tier ? `, read from slots of ${step(scene.tier)}` : ""}`,
  });
  if (scene.tier && scene.tier > Math.min(finest, scene.step) && scene.tier !== scene.step) badges.push({text: `tier ${step(scene.tier)}`, title: "The stored slots that were read", tone: ""});
  const isBySecond = scene.lines.some((line) => line.seconds.length > 1);
  if (live) badges.push({text: isBySecond ? "live 1 s" : "live", title: isBySecond ? "Seconds by arrival, kept in this tab for 15 minutes" : "The open slot is refreshed as samples come", tone: "ok"});
  if (within > 0 && (scene.heat || scene.lines.some((line) => /^p\d/.test(line.stat)))) {
    badges.push({text: `± ${text(within * 100, "percent", {digits: 2})}`, title: "How near percentiles are to a sample", tone: ""});
  }
  const lost = [...scene.partial, ...scene.warnings.filter((words) => words.includes("missing"))];
  const joined = scene.warnings.filter((words) => !words.includes("missing"));
  if (lost.length) badges.push({text: "partial", title: lost.map(visible).join("\n"), tone: "warn"});
  if (joined.length) badges.push({text: "joined", title: joined.map(visible).join("\n"), tone: "warn"});
  if (scene.missing.length && scene.lines.length) badges.push({text: "partly", title: `Not there: ${scene.missing.map(visible).join(", ")}`, tone: "warn"});
  return badges;
}

/**
 * How often a whole of several calls meets one that is slower than a percentile.
 * @param {Scene} scene @param {number} calls @param {(calls: number) => void} changed
 */
export function chance(scene, calls, changed) {
  const line = scene.lines[0];
  if (!line || line.all.p99 === null || line.all.p99 === undefined) return nothing;
  /** @param {number} share */
  const meets = (share) => text((1 - share ** calls) * 100, "percent", {digits: 3});
  return html`<p class="panel-chance">Of pages with <input type="number" class="num" min="1" max="100000" aria-label="Calls of a page" .value=${String(calls)}
    @change=${(/** @type {Event} */ event) => changed(Math.max(1, Math.min(100000, Math.round(Number(/** @type {HTMLInputElement} */ (event.currentTarget).value)) || 1)))}> calls,
    <b class="num">${meets(0.99)}</b> meet one above the p99 of <b class="num">${text(line.all.p99, line.unit, {digits: 3})}</b>, and
    <b class="num">${meets(0.5)}</b> one above the median of <b class="num">${text(line.all.p50, line.unit, {digits: 3})}</b>. The slowest took <b class="num">${text(line.all.max, line.unit, {digits: 3})}</b>.</p>`;
}

/** What tints and lines of a heatmap mean. @param {Scene} scene @param {string[]} heat colours */
export function tintScale(scene, heat) {
  const largest = scene.heat?.largest ?? 0;
  if (!largest) return nothing;
  return html`<p class="panel-tints num"><span>1</span><span class="ramp" aria-hidden="true">${usedStops(heat).map((_, i) => html`<i class="heat-${i + 2}"></i>`)}</span><span>${text(largest, "none", {digits: 3})} samples in a cell</span>
    ${percentiles(scene).map(({stat}) => html`<span class="line-key"><i class="key-${stat.replace(".", "")}" aria-hidden="true"></i>${stat}</span>`)}</p>`;
}
