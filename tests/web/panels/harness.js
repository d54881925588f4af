// A page with panels and nothing else: asks the real server, and lets a test set panels and range.

import {createPanel} from "../../../web/src/panel/panel.js";
import {menuOf} from "../../../web/src/panel/panel_files.js";
import {createPool} from "../../../web/src/panel/pool.js";
import {createShared} from "../../../web/src/panel/shared.js";

const pool = createPool();
const grid = /** @type {HTMLElement} */ (document.getElementById("grid"));
/** @type {{spec: any, element: HTMLElement, panel: any}[]} */
let cells = [];
let range = {from: 0, until: 0};
/** @type {{from: number, until: number}[]} */
const before = [];
/** @type {any[]} */
const acts = [];
let zone = "UTC";
let now = 0;
let points = 0;
let asked = 0;

const shared = createShared({
  setRange: (from, until) => {
    before.push(range);
    range = {from, until};
    void ask();
  },
  back: () => {
    range = before.pop() ?? range;
    void ask();
  },
  change: (id, change) => {
    for (const cell of cells) if (cell.spec.id === id) cell.spec = {...cell.spec, ...change};
    void ask();
  },
  act: (id, action, detail) => acts.push({id, action, detail}),
  menu: (_, panel) => acts.push({action: "menu", items: menuOf(panel)}),
});

/** @param {any} query */
async function answerOf(query) {
  const form = new URLSearchParams();
  if (query.expr) form.set("expr", query.expr);
  else for (const name of query.series) form.append("series", name);
  form.set("from", String(query.from ?? range.from));
  form.set("until", String(query.until ?? range.until));
  if (query.step) form.set("step", String(query.step));
  else form.set("max_points", String(query.max_points > 1 && points ? points : query.max_points));
  if (query.stats) form.set("stats", query.stats.join(","));
  if (query.grouping !== undefined) form.set("grouping", String(query.grouping));
  const response = await fetch(`/api/v1/${query.kind === "heatmap" ? "heatmap" : "query"}`, {method: "POST", body: form});
  return {id: query.id, status: response.status, ...await response.json()};
}

/** Asks until no panel wants more. */
async function ask() {
  const mine = ++asked;
  const shown = {...range, now, zone};
  await Promise.all(cells.map(async (cell) => {
    cell.panel.update(cell.spec, shown, null);
    const known = new Set();
    for (let round = 0; round < 3; ++round) {
      const queries = cell.panel.queries(shown).filter((/** @type {any} */ query) => !known.has(JSON.stringify(query)));
      if (queries.length === 0) break;
      for (const query of queries) known.add(JSON.stringify(query));
      const answers = await Promise.all(queries.map(answerOf));
      if (mine !== asked) return;
      cell.panel.update(cell.spec, shown, Object.fromEntries(answers.map((answer) => [answer.id, answer])), cell.spec.marks);
    }
  }));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

Object.assign(window, {
  harness: {
    /** @param {any[]} specs @param {any} at */
    async show(specs, at) {
      range = {from: at.from, until: at.until};
      now = at.now ?? at.until;
      zone = at.zone ?? "UTC";
      points = at.points ?? 0;
      shared.pin(null);
      for (const cell of cells) {
        cell.panel.destroy();
        cell.element.remove();
      }
      cells = specs.map((spec) => {
        const element = document.createElement("section");
        grid.append(element);
        return {spec, element, panel: createPanel(element, {host: shared, pool})};
      });
      await ask();
    },
    /** @param {string} key of the first panel */
    async press(key) {
      const known = cells[0].panel.key(key);
      await ask();
      return known;
    },
    ask, acts, shared, pool, range: () => range,
    /** @param {Record<string, any>} change */
    set: (change) => { ({points = points, now = now, zone = zone} = change); return ask(); },
  },
});
