// The start: all hosts, worst first, as a table or a map. Cells come from /api/v1/table, each few seconds.

import { html, nothing, render } from "lit-html";
import { isAbort } from "../data/client.js";
import { count } from "../model/format.js";
import { icon } from "../parts/icon.js";
import { kGlyphs } from "../parts/badge.js";
import { openMenu } from "../parts/menu.js";
import { toCsv } from "../parts/output.js";
import { own } from "../state/url.js";
import { createEmpty } from "./empty.js";
import { createHostCards } from "./hosts_cards.js";
import { createHostMap } from "./hosts_map.js";
import { filtered, grouped, hiddenGroups, kAsks, kColumns, kGroupLabels, kTableMax, rowsOf, sorted, tagsOf, viewIs } from "./hosts_model.js";
import { createHostTable } from "./hosts_table.js";

/** @typedef {import("./hosts_model.js").HostRow} HostRow */

const kRefreshMs = 5000;
const kSparkMs = 60_000;
export const kSparkPoints = 40;
const kNarrow = "(max-width: 700px)";

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 * @returns {import("../app.js").Screen}
 */
export function createHostsScreen(element, app) {
  /** @type {any} */
  let table = null;
  /** @type {Map<string, (number|null)[]>} */
  const sparks = new Map();
  let sparksAt = -Infinity;
  let sparksOf = "";
  let isLoaded = false;
  let fault = "";
  /** @type {AbortController|null} */
  let running = null;
  /** All hosts judged; null after new data. @type {HostRow[]|null} */
  let all = null;
  /** @type {HostRow[]} */
  let shown = [];
  let worstText = "";
  /** @type {ReturnType<typeof createEmpty>|null} */
  let empty = null;
  const narrow = matchMedia(kNarrow);

  const bar = document.createElement("div");
  const body = document.createElement("div");
  bar.className = "toolbar hosts-bar";
  body.className = "hosts-body";
  element.append(bar, body);
  /** @type {{kind: string, view: {update: (groups: {label: string, rows: HostRow[]}[], order: string) => void, destroy: () => void, move?: (step: number) => void, along?: (step: number) => boolean}}|null} */
  let view = null;

  async function load() {
    if (running !== null) return;
    const mine = new AbortController();
    running = mine;
    const route = app.route();
    const isNow = route.until === "now";
    const sparkKey = `${route.from} ${route.until}`;
    const wantsSparks = sparkKey !== sparksOf || app.clock.steady() - sparksAt > kSparkMs;
    try {
      const range = isNow ? { from: "-60s", until: "now" } : { from: route.from, until: route.until };
      const [, cells] = await Promise.all([
        app.hosts.load({ signal: mine.signal }),
        app.client.get("/api/v1/table", { row: "tag:host", column: kAsks, ...range, limit: 10_000 }, { signal: mine.signal }),
      ]);
      table = cells;
      all = null;
      fault = "";
      isLoaded = true;
      draw();
      if (wantsSparks) {
        sparksOf = sparkKey;
        sparksAt = app.clock.steady();
        const answer = await app.client.get("/api/v1/table", {
          row: "tag:host", column: ["host.cpu.busy_percent:avg"], from: route.from, until: route.until,
          spark: `0:${kSparkPoints}`, limit: 10_000,
        }, { signal: mine.signal });
        sparks.clear();
        for (const row of answer.rows) if (Array.isArray(row.spark)) sparks.set(row.row, row.spark);
        all = null;
        draw();
      }
    } catch (error) {
      if (!isAbort(error)) fault = error instanceof Error ? error.message : String(error);
      isLoaded = true;
      draw();
    } finally {
      running = null;
    }
  }

  /** @param {string} word */
  function toggleFilter(word) {
    const words = own(app.route(), "f").split(/\s+/).filter(Boolean);
    const without = words.filter((one) => !one.startsWith("is="));
    app.goOwn({ f: (words.includes(word) ? without : [...without, word]).join(" ") });
  }

  /** @param {HostRow[]} rows @param {string} filter */
  function summary(rows, filter) {
    const counts = { ok: 0, warn: 0, bad: 0 };
    let away = 0;
    for (const row of rows) {
      ++counts[row.grade];
      if (!row.host.up) ++away;
    }
    const words = { ok: "fine", warn: "worth a look", bad: "bad" };
    return html`<h1 class="hosts-count"><b class="num">${count(rows.length)}</b> ${rows.length === 1 ? "host" : "hosts"}</h1>
      <span class="chips" role="group" aria-label="Show only">${(/** @type {const} */ (["bad", "warn", "ok"])).map((grade) => html`
        <button class="chip ${grade}" aria-pressed=${String(filter.includes(`is=${grade}`))} ?disabled=${counts[grade] === 0}
          title="Show only hosts that are ${words[grade]}" @click=${() => toggleFilter(`is=${grade}`)}>
          <span aria-hidden="true">${kGlyphs[grade]}</span><b class="num">${counts[grade]}</b><span class="hidden">${words[grade]}</span>
          ${grade === "bad" && away > 0 ? html`<span class="muted">${away} away</span>` : nothing}</button>`)}</span>`;
  }

  /** @param {Event} event @param {string} key @param {[string, string][]} choices @param {string} now */
  function choose(event, key, choices, now) {
    openMenu(/** @type {Element} */ (event.currentTarget), choices.map(([id, label]) => ({
      label, checked: id === now, run: () => app.goOwn({ [key]: id }),
    })));
  }

  /** @param {Event} event */
  function chooseColumns(event) {
    const hidden = hiddenGroups(app.route());
    openMenu(/** @type {Element} */ (event.currentTarget), Object.entries(kGroupLabels).filter(([group]) => group !== "agent").map(([group, label]) => ({
      label, checked: !hidden.has(group),
      run() {
        const next = new Set(hidden);
        if (!next.delete(group)) next.add(group);
        app.goOwn({ x: [...next].join(",") });
      },
    })));
  }

  /** @param {HostRow[]} rows */
  function saveCsv(rows) {
    const head = ["host", "state", ...kColumns.map((column) => `${column.group} ${column.title} (${column.unit})`), "agent lag (s)", "series"];
    app.save("hosts.csv", "text/csv", toCsv([head, ...rows.map((row) => [
      row.host.host, row.host.up ? row.grade : "away", ...row.cells.map((cell) => cell.value), row.lag.value, row.host.series,
    ])]));
  }

  /** @param {boolean} isMap @param {string} order @param {string} group @param {HostRow[]} all */
  function tools(isMap, order, group, all) {
    const tags = tagsOf(app.hosts.known());
    const groups = /** @type {[string, string][]} */ ([["", "no groups"], ...tags.map((tag) => [tag, tag]), ["name", "name's beginning"]]);
    const orders = /** @type {[string, string][]} */ ([["", "worst first"], ["name", "name"], ...kColumns.filter((one) => one.bar || one.letter === "S")
      .map((one) => [one.id, `${kGroupLabels[one.group]}: ${one.title}`]), ["lag", "agent's lag"]]);
    return html`
      <label class="field hosts-filter">${icon("filter")}<input type="search" aria-label="Filter hosts" placeholder="role=web, name"
        autocomplete="off" spellcheck="false" .value=${own(app.route(), "f")}
        @input=${(/** @type {Event} */ event) => app.goOwn({ f: /** @type {HTMLInputElement} */ (event.target).value })}></label>
      <button class="button" aria-haspopup="menu" aria-expanded="false" @click=${(/** @type {Event} */ event) => choose(event, "g", groups, group)}>
        <span class="muted">group</span> ${group || "none"}${icon("down", "caret")}</button>
      <button class="button" aria-haspopup="menu" aria-expanded="false" @click=${(/** @type {Event} */ event) => choose(event, "s", orders, order)}>
        <span class="muted">sort</span> ${orders.find(([id]) => id === order.replace(/^-/, ""))?.[1].replace(/^.*: /, "") ?? "worst first"}${icon("down", "caret")}</button>
      <span class="buttons only-wide" role="group" aria-label="View">
        <button class="button icon-only" aria-label="Table" title="Table" aria-pressed=${String(!isMap)} @click=${() => app.goOwn({ m: all.length > kTableMax ? "table" : "" })}>${icon("table")}</button>
        <button class="button icon-only" aria-label="Map" title="Map" aria-pressed=${String(isMap)} @click=${() => app.goOwn({ m: "map" })}>${icon("grid")}</button>
      </span>
      ${isMap ? nothing : html`<button class="button icon-only only-wide" aria-label="Columns" title="Columns" aria-haspopup="menu" aria-expanded="false"
        @click=${chooseColumns}>${icon("columns")}</button>`}
      <button class="button icon-only only-wide" aria-label="Save as CSV" title="Save as CSV" @click=${() => saveCsv(shown)}>${icon("download")}</button>`;
  }

  /** A new element in the body: one that a template was drawn into must not be emptied by hand. */
  function freshBody() {
    const home = document.createElement("div");
    home.className = "hosts-body";
    body.replaceChildren(home);
    return home;
  }

  /** @param {string} kind */
  function viewOf(kind) {
    if (view?.kind === kind) return view.view;
    view?.view.destroy();
    const home = freshBody();
    const make = kind === "cards" ? createHostCards : kind === "map" ? createHostMap : createHostTable;
    view = { kind, view: make(home, app) };
    return view.view;
  }

  function draw() {
    const hosts = app.hosts.known();
    if (isLoaded && fault === "" && hosts.length === 0) {
      bar.hidden = true;
      if (empty === null) {
        view?.view.destroy();
        view = null;
        empty = createEmpty(freshBody(), app);
      }
      empty.update();
      return;
    }
    if (empty !== null) {
      empty.destroy();
      empty = null;
      freshBody();
    }
    bar.hidden = false;
    const route = app.route();
    const filter = own(route, "f");
    const order = own(route, "s");
    const group = own(route, "g");
    all ??= rowsOf(hosts, table, sparks);
    const isMap = viewIs(own(route, "m"), all.length) === "map";
    shown = sorted(filtered(all, filter), order || "worst");
    const groups = grouped(shown, group);
    app.hosts.setOrder(groups.flatMap((one) => one.rows.map((row) => row.host.host)));
    const worst = shown[0];
    worstText = worst && worst.grade !== "ok" ? `${kGlyphs[worst.grade]} ${worst.host.host}` : "";

    render(html`${summary(all, filter)}<span class="grow"></span>${tools(isMap, order, group, all)}`, bar);
    if (!isLoaded) return;
    if (fault !== "" && hosts.length === 0) {
      view?.view.destroy();
      view = null;
      render(html`<p class="fault-note" role="alert">${fault} <button class="button" @click=${() => load()}>Again</button></p>`, freshBody());
      return;
    }
    viewOf(narrow.matches ? "cards" : isMap ? "map" : "table").update(groups, order || "worst");
  }

  const timer = window.setInterval(() => {
    if (!document.hidden && app.route().until === "now") void load();
  }, kRefreshMs);
  narrow.addEventListener("change", draw);
  render(html`<h1 class="hosts-count">Hosts</h1>`, bar);
  const skeleton = document.createElement("div");
  skeleton.className = "skeleton";
  for (let i = 0; i < 12; ++i) skeleton.append(document.createElement("i"));
  body.append(skeleton);
  void load().then(() => skeleton.remove());

  return {
    title: () => worstText || "Hosts",
    update(route) {
      if (!isLoaded) return;
      draw();
      if (`${route.from} ${route.until}` !== sparksOf) void load();
    },
    refresh: () => void load(),
    key(name) {
      if (name === "←" || name === "→") return view?.view.along?.(name === "→" ? 1 : -1) ?? false;
      if (name !== "j" && name !== "k") return false;
      view?.view.move?.(name === "j" ? 1 : -1);
      return true;
    },
    destroy() {
      clearInterval(timer);
      narrow.removeEventListener("change", draw);
      running?.abort();
      view?.view.destroy();
      empty?.destroy();
      element.textContent = "";
    },
  };
}
