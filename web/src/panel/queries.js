// What a panel asks: its series or heatmap, the range it compares with, the presence of its hosts, exact totals.

import {compared} from "../model/range.js";
import {literal} from "../model/use.js";
import {kWeeks, weekOf} from "./unusual.js";
import {grouping, isOfHosts, kFinest, maxColumns, maxPoints, roundStep} from "../model/step.js";

/** @typedef {import("./panel.js").PanelSpec} PanelSpec */
/** @typedef {import("./panel.js").PanelRange} PanelRange */
/** @typedef {import("./panel.js").BatchQuery} BatchQuery */

/** What answers have told a panel. @typedef {{kinds: Set<string>, hosts: string[], series: number, gaps: boolean}} Learnt */

/** Height of the plot of each size, in CSS px, with its axis. @type {Record<string, number>} */
export const kHeights = {S: 132, M: 200, L: 300, XL: 460};

/** Hosts whose presence is asked at once. */
const kHostsMax = 20;
const kTotalsMax = 20;

/** A selector can have statistics; any other expression has one value. @param {string} expr */
export function isSelector(expr) {
  return /^\s*[A-Za-z_:.][\w:.]*\s*$|^\s*[A-Za-z_:][\w:]*\s*\{[^{}]*\}\s*$|^\s*\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}\s*$/.test(expr) || /\bbuckets_over_time\s*\(/.test(expr);
}

/**
 * The id of the heatmap that a panel turns into once an answer has told that its series is a distribution; it is
 * another one, so that the screen sees that there is more to ask.
 * @param {string} id
 */
export function heatId(id) {
  return `${id}~heat`;
}

/** The answer that a panel draws. @param {PanelSpec} spec @param {import("./types.js").Answers} answers @returns {import("./types.js").Answer|undefined} */
export function mainAnswer(spec, answers) {
  return (spec.view ? undefined : answers[heatId(spec.id)]) ?? answers[spec.id];
}

/** Which of the views a panel has, as far as it is known. @param {PanelSpec} spec @param {Learnt} learnt */
export function viewOf(spec, learnt) {
  if (spec.view === "heatmap" || spec.view === "histogram") return "heatmap";
  if (spec.view) return spec.view;
  return learnt.series === 1 && learnt.kinds.has("distribution") && !spec.expr ? "heatmap" : "lines";
}

/**
 * @param {PanelSpec} spec @param {PanelRange} range @param {number} width CSS px of the panel
 * @param {Learnt} learnt
 * @returns {BatchQuery[]}
 */
export function queriesOf(spec, range, width, learnt) {
  const names = (spec.series ?? []).map((name) => name.startsWith("g:") ? name.slice(2) : name);
  const view = viewOf(spec, learnt);
  const isHeat = view === "heatmap" && !spec.expr;
  const points = isHeat ? maxColumns(width - 60) : maxPoints(width - 60);
  /** @type {BatchQuery} */
  const main = {id: isHeat && !spec.view ? heatId(spec.id) : spec.id, kind: isHeat ? "heatmap" : "series", stats: [], max_points: points};
  if (isHeat) {
    const percentiles = (spec.stats ?? []).filter((stat) => /^p\d/.test(stat));
    main.series = names;
    main.stats = [...new Set(["count", "sum", "avg", "min", "max", "p50", "p99", ...percentiles])];
    main.grouping = grouping((kHeights[spec.height ?? "M"] ?? 200) - 46);
  } else if (spec.expr) {
    const finest = range.finest ?? kFinest;
    const step = roundStep(range.from, range.until, points, isOfHosts(spec.expr) ? range.hostFinest ?? finest : finest);
    // `$step` is the window that tiles: each point is of all that came in its slot.
    main.expr = spec.expr.replaceAll("$step", `${step}s`);
    if (spec.expr.includes("$step") || step < finest) main.step = step;
    if (isSelector(spec.expr)) main.stats = statsOf(spec, learnt);
    else delete main.stats;
  } else {
    main.series = names;
    main.stats = statsOf(spec, learnt);
  }
  const queries = [main];
  if (spec.compare && spec.compare !== "none" && !isHeat) {
    queries.push({...main, id: `${spec.id}~cmp`, from: compared(range.from, spec.compare, range.zone), until: compared(range.until, spec.compare, range.zone)});
  }
  if (spec.unusual && !isHeat && main.stats) {
    for (let week = 1; week <= kWeeks; ++week) {
      queries.push({...main, id: `${spec.id}~u${week}`, ...weekOf(range, week), stats: ["avg", "stddev", "count"]});
    }
  }
  if (main.series && (isHeat || learnt.series > 0 && learnt.series <= kTotalsMax)) {
    const percentiles = isHeat || learnt.kinds.has("distribution") ? ["p50", "p99"] : [];
    /** @type {BatchQuery} */
    const totals = {...main, id: `${spec.id}~all`, max_points: 1, stats: ["count", "sum", "avg", "min", "max", "stddev", ...percentiles]};
    if (isHeat) totals.grouping = 0;
    queries.push(totals);
  }
  if (learnt.gaps && learnt.hosts.length) {
    const hosts = learnt.hosts.slice(0, kHostsMax).map((host) => `host.up;{,*;}host=${literal(host)}{,;*}`);
    queries.push({id: `${spec.id}~up`, kind: "series", series: hosts, stats: ["count"], max_points: points});
  }
  if (main.stats) main.about = true;  // only of what is drawn: it gives the reasons of gaps
  return queries;
}

/** @param {PanelSpec} spec @param {Learnt} learnt */
function statsOf(spec, learnt) {
  const stats = ["avg", "min", "max", "count", "sum"];
  if (spec.band === "sd") stats.push("stddev");
  const percentiles = (spec.stats ?? []).filter((stat) => /^p\d/.test(stat));
  // As lines, distributions are their median and p99; until the kind is known both are asked in any case.
  if (!spec.stats && !spec.expr && (learnt.kinds.size === 0 || learnt.kinds.has("distribution"))) percentiles.push("p50", "p99");
  if (percentiles.length && (learnt.kinds.size === 0 || learnt.kinds.has("distribution"))) stats.push(...percentiles);
  if (spec.stats?.includes("rate")) stats.push("rate");
  return [...new Set(stats)];
}
