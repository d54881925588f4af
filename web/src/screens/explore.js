// Names and panels side by side: search or browse at the left, panels of what was chosen at the right.

import { html, nothing, render } from "lit-html";
import { unitsOfBytes } from "../data/names.js";
import { age, count } from "../model/format.js";
import { neighboursOf } from "../model/neighbours.js";
import { kindIcon } from "../parts/badge.js";
import { icon } from "../parts/icon.js";
import { openMenu } from "../parts/menu.js";
import { nameText } from "../parts/name.js";
import { createNameTree } from "../parts/name_tree.js";
import { createHistory } from "../state/history.js";
import { own } from "../state/url.js";
import { createPanelGrid } from "./panel_grid.js";
import { panelsOf, withPanels } from "./explore_url.js";

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */

const kWaitMs = 60;
const kPanelsMax = 100;
const kEachMax = 20;  // panels that "one panel each" makes

/** Where to begin when nothing is chosen. */
const kStarts = [
  { title: "CPU of all hosts", text: "busy, per cent", name: "g:host.cpu.busy_percent;*" },
  { title: "Wait for a CPU", text: "distribution of all hosts together", name: "g:host.sched.runqueue_wait_ns;*" },
  { title: "Latency of disks", text: "distribution of all hosts together", name: "g:host.block.latency_ns;*" },
  { title: "Traffic", text: "bytes of all interfaces", name: "g:host.net.bytes;*" },
  { title: "Free memory", text: "available bytes of all hosts", name: "g:host.memory.available_bytes;*" },
  { title: "Samples per second", text: "what this server receives", name: "g:statmill.samples_accepted;*" },
];

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 * @returns {import("../app.js").Screen}
 */
export function createExplore(element, app) {
  const root = document.createElement("div");
  const side = document.createElement("aside");
  const content = document.createElement("div");
  const bar = document.createElement("div");
  const gridElement = document.createElement("div");
  const hint = document.createElement("div");
  root.className = "explore";
  side.className = "explore-side card";
  side.setAttribute("aria-label", "Names");
  content.className = "explore-main";
  bar.className = "toolbar";
  const searchRow = document.createElement("div");
  const list = document.createElement("div");
  searchRow.className = "search-row";
  list.className = "list";
  side.append(searchRow, list);
  content.append(bar, gridElement, hint);
  root.append(side, content);
  const heading = document.createElement("h1");
  heading.className = "hidden";
  heading.textContent = "Explore";
  element.append(heading, root);

  const search = app.names.searcher();
  /** @type {ReturnType<typeof createHistory<Record<string, string[]>>>} */
  const undo = createHistory();
  const treeHome = document.createElement("div");
  const foundHome = document.createElement("div");
  list.append(treeHome, foundHome);
  let text = own(app.route(), "q");
  /** @type {any} */
  let found = null;
  /** @type {any[]} */
  let refused = [];
  let fault = "";
  let chosen = 0;
  /** @type {number|undefined} */
  let timer;
  let expression = "";
  let isOpen = false;  // the list, on a phone

  const tree = createNameTree(list, {
    app, onSeries: (name, more) => add(name, more),
    onMenu: (line, anchor) => openMenu(anchor, [
      { separator: true, label: `${line.name} · ${count(line.series)} series` },
      { label: "All in one panel", icon: "plus", run: () => add(`g:${line.prefix || line.name}*`, true) },
      { label: `One panel each, at most ${kEachMax}`, icon: "grid", run: () => void addEach(`${line.prefix || line.name}*`) },
      { label: "Copy the name", icon: "copy", run: () => app.copy(line.name, "name") },
    ]),
  });
  treeHome.append(/** @type {Node} */ (list.lastChild));

  const grid = createPanelGrid(gridElement, app, {
    change(id, change) {
      setPanels(panels().map((panel) => panel.id === id ? { ...panel, ...change } : panel));
    },
    act(id, action) {
      const all = panels();
      const at = all.findIndex((panel) => panel.id === id);
      if (at < 0) return;
      const next = [...all];
      if (action === "remove") next.splice(at, 1);
      else if (action === "duplicate") next.splice(at + 1, 0, { ...all[at], id: freeId(all) });
      else if (action === "up" || action === "left") next.splice(Math.max(0, at - 1), 0, ...next.splice(at, 1));
      else if (action === "down" || action === "right") next.splice(at + 1, 0, ...next.splice(at, 1));
      else if (action === "dashboard") saveAll([all[at]]);
      setPanels(next);
    },
    matchOf: (spec) => neighboursOf(spec.series?.[0] ?? ""),
  });

  const panels = () => panelsOf(app.route());

  /** @param {PanelSpec[]} all */
  function freeId(all) {
    return `p${all.reduce((next, panel) => Math.max(next, Number(panel.id.slice(1)) + 1), 0)}`;
  }

  /** @param {PanelSpec[]} next */
  function setPanels(next) {
    undo.push(app.route().own);
    app.store.patch({ own: withPanels(app.route(), next) });
  }

  /**
   * Shows a series, or a glob as `g:…`: in the panel in focus, or with `more` in a panel of its own.
   * @param {string} name @param {boolean} more
   */
  function add(name, more) {
    const all = panels();
    const at = all.findIndex((panel) => panel.id === grid.current());
    if (more || all.length === 0) {
      if (all.length >= kPanelsMax) {
        app.toast(`At most ${kPanelsMax} panels fit on a screen`);
        return;
      }
      const id = freeId(all);
      setPanels([...all, { id, series: [name] }]);
      requestAnimationFrame(() => grid.focus(id));
      return;
    }
    const target = all[at < 0 ? all.length - 1 : at];
    if (target.series?.includes(name)) return;
    setPanels(all.map((panel) => panel === target ? { ...panel, expr: undefined, series: [...(panel.series ?? []), name] } : panel));
  }

  /** @param {PanelSpec[]} all */
  function asHost(all) {
    app.later((part) => part.openAsHost(app, all, (next, isMore) => {
      const first = Number(freeId(all).slice(1));
      setPanels(isMore ? [...all, ...next.map((panel, i) => ({ ...panel, id: `p${first + i}` }))].slice(0, kPanelsMax) : next);
    }));
  }

  /** As a dashboard. @param {PanelSpec[]} all */
  function saveAll(all) {
    app.later((part) => part.askPanelsTitle(app, all));
  }

  /** @param {string} glob */
  async function addEach(glob) {
    try {
      const answer = await app.client.get("/api/v1/series", { match: glob, limit: kEachMax });
      const all = panels();
      const first = Number(freeId(all).slice(1));
      setPanels([...all, ...answer.series.map((/** @type {{name: string}} */ one, /** @type {number} */ i) => ({
        id: `p${first + i}`, series: [one.name],
      }))].slice(0, kPanelsMax));
    } catch (error) {
      app.toast(error instanceof Error ? error.message : String(error));
    }
  }

  async function find() {
    const query = text.trim();
    if (query === "" || query.startsWith("g:")) {
      found = null;
      draw();
      return;
    }
    try {
      const answer = await search(query, { limit: 100 });
      if (answer === null) return;
      found = answer;
      fault = "";
      chosen = 0;
      refused = answer.refused ?? [];
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
    draw();
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const size = found?.series.length ?? 0;
    if (event.key === "ArrowDown") chosen = Math.min(size - 1, chosen + 1);
    else if (event.key === "ArrowUp") chosen = Math.max(0, chosen - 1);
    else if (event.key === "Enter") {
      if (text.trim().startsWith("g:")) add(text.trim(), true);
      else if (found && size > 0) add(found.series[chosen].name, event.shiftKey);
    } else if (event.key === "Escape" && text !== "") {
      text = "";
      app.goOwn({ q: "" });
      void find();
    } else return;
    event.preventDefault();
    draw();
    foundHome.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  function drawFound() {
    const now = app.clock.now();
    treeHome.hidden = found !== null;
    render(found === null ? nothing : html`
      ${refused.length > 0 ? html`<a class="result warn" href="#/status/refused"><span class="glyph warn">▲</span>
        <span class="name">${count(refused.length)} refused ${refused.length === 1 ? "line has" : "lines have"} this text:
          ${refused[0].reason}, from ${refused[0].from}</span></a>` : nothing}
      ${found.series.length === 0 ? html`<p class="empty-note">${found.total_is === "at least"
        ? "The search ran out of time before it found one. Try a longer text." : "No series has this text."}</p>` : nothing}
      <div role="listbox" id="found" aria-label="Series found">${found.series.map((/** @type {any} */ one, /** @type {number} */ i) => html`
        <div class="result" role="option" aria-selected=${String(i === chosen)} draggable="true"
          @dragstart=${(/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/plain", one.name)}
          @click=${(/** @type {MouseEvent} */ event) => { chosen = i; add(one.name, event.shiftKey); draw(); }}>${kindIcon(one.kind)}
          ${nameText(one.name, unitsOfBytes(one.name, one.hits ?? []))}<span class="side num">${one.last_s ? age(Math.max(0, now - one.last_s)) : ""}</span></div>`)}</div>`,
    foundHome);
  }

  function drawSearch() {
    const note = fault !== "" ? fault
      : text.trim().startsWith("g:") ? "Enter: all series that match, new ones too"
      : found ? `${found.total_is === "at least" ? "at least " : ""}${count(found.total)} of ${count(app.server.get().status?.series)} in ${Math.max(1, Math.round(found.ms))} ms`
      : "Enter: add · Shift+Enter: new panel";
    render(html`<label class="field sunken">${icon("search")}<input type="search" aria-label="Search series" placeholder="Search, or g:glob"
        autocomplete="off" spellcheck="false" role="combobox" aria-controls="found" aria-expanded=${String(found !== null)} .value=${text}
        @focus=${() => { isOpen = true; draw(); }}
        @input=${(/** @type {Event} */ event) => {
          text = /** @type {HTMLInputElement} */ (event.target).value;
          clearTimeout(timer);
          timer = window.setTimeout(() => { app.goOwn({ q: text.trim() }); void find(); }, kWaitMs);
        }} @keydown=${key}></label><div class="found num" role="status">${note}</div>`, searchRow);
  }

  /** @param {Event} event */
  function addExpression(event) {
    event.preventDefault();
    if (expression.trim() === "") return;
    const all = panels();
    setPanels([...all, { id: freeId(all), expr: expression.trim() }]);
    expression = "";
    draw();
  }

  function drawBar(/** @type {PanelSpec[]} */ all) {
    const columns = own(app.route(), "c", "1");
    render(html`
      <form class="expression" @submit=${addExpression}><label class="field"><span class="muted" aria-hidden="true">ƒ</span>
        <input aria-label="PromQL expression" placeholder='PromQL expression' autocomplete="off" spellcheck="false"
          .value=${expression} @input=${(/** @type {Event} */ event) => { expression = /** @type {HTMLInputElement} */ (event.target).value; }}></label>
        <button class="button" type="submit">Draw</button></form>
      ${all.length === 0 ? nothing : html`
        <span class="buttons only-wide" role="group" aria-label="Columns">${["1", "2", "3"].map((one) => html`<button class="button" aria-pressed=${String(columns === one)}
          title="${one} ${one === "1" ? "column" : "columns"}" @click=${() => app.goOwn({ c: one === "1" ? "" : one })}>${one}</button>`)}</span>
        <button class="button" title="The same panels with another host in all names" @click=${() => asHost(all)}>As on host…</button>
        <button class="button" @click=${() => saveAll(all)}>Save as dashboard</button>
        <button class="button quiet" @click=${() => setPanels([])}>Clear</button>`}`, bar);
  }

  function drawHint(/** @type {PanelSpec[]} */ all) {
    hint.hidden = all.length > 0;
    if (all.length > 0) return;
    render(html`<div class="drop"><h2>Choose a series</h2><p>Press one at the left, drag it here, or type a few letters of its name.</p>
      <div class="starts">${kStarts.map((start) => html`<a class="start" href="#/explore" @click=${(/** @type {Event} */ event) => {
        event.preventDefault();
        add(start.name, true);
      }}><b>${start.title}</b><span>${start.text}</span></a>`)}</div></div>`, hint);
  }

  function draw() {
    const all = panels();
    root.classList.toggle("has-panels", all.length > 0);
    root.classList.toggle("wide-side", found !== null);
    side.classList.toggle("open", isOpen);
    drawSearch();
    drawFound();
    drawBar(all);
    drawHint(all);
    const columns = Number(own(app.route(), "c", "1"));
    grid.update([{ id: "panels", columns: [1, 2, 3].includes(columns) ? columns : 1, panels: all }]);
  }

  content.addEventListener("dragover", (event) => event.preventDefault());
  content.addEventListener("drop", (event) => {
    event.preventDefault();
    const name = event.dataTransfer?.getData("text/plain") ?? "";
    if (name !== "") add(name, !(event.target instanceof Element && event.target.closest(".panel-cell")));
  });
  content.addEventListener("pointerdown", () => {
    if (isOpen) {
      isOpen = false;
      side.classList.remove("open");
    }
  });
  draw();
  const start = own(app.route(), "n");
  if (start !== "") void tree.show(start);
  if (text !== "") void find();

  return {
    title() {
      const name = panels()[0]?.series?.[0] ?? panels()[0]?.expr;
      return name ? name.replace(/^g:/, "") : "Explore";
    },
    update(route) {
      const asked = own(route, "q");
      if (asked !== text.trim() && document.activeElement?.closest(".search-row") === null) {
        text = asked;
        void find();
      }
      draw();
    },
    refresh: () => grid.refresh(),
    key(name, event) {
      if (name === "Ctrl+Z") {
        const before = undo.undo(app.route().own);
        if (before) app.store.patch({ own: before });
        return before !== undefined;
      }
      return grid.key(name, event);
    },
    destroy() {
      clearTimeout(timer);
      grid.destroy();
      tree.destroy();
      element.textContent = "";
    },
  };
}
