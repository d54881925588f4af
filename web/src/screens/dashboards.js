// The list of dashboards: built in, of files, and saved; with search, new and import.

import { html, nothing, render } from "lit-html";
import { age, count } from "../model/format.js";
import { importGraphite, isGraphite } from "../model/graphite_import.js";
import { importIstatd, isIstatd } from "../model/istatd_import.js";
import { icon } from "../parts/icon.js";
import { checkDashboard } from "./dashboard_model.js";
import { idOf } from "./save_dashboard.js";
import { openDialog } from "../parts/dialog.js";

/**
 * The dashboard in a file of this page, of istatd or of Graphite, and what could not be taken over.
 * @param {any} json @param {string} name of the file
 * @returns {{dashboard: any, left: string[]}}
 */
function converted(json, name) {
  const title = name.replace(/\.json$/, "");
  if (isIstatd(json)) return importIstatd(json, title);
  if (isGraphite(json)) return importGraphite(json, title);
  return { dashboard: json, left: [] };
}

/** Headings of the list, and the sources below each. @type {[string, string[]][]} */
const kParts = [["Saved", ["saved"]], ["From files", ["file"]], ["Built in", ["built-in"]]];

/** What the built-in ones are for. @type {Record<string, string>} */
const kAbout = {
  "fleet": "all hosts together, and a table of them", "one-host": "the most important of one host", "cpu-and-scheduler": "time, waits and switches",
  "memory": "free, reclaimed, exhausted", "disk": "latency, requests, errors", "network-and-tcp": "traffic, drops, connections",
  "cgroups": "a table of them, and their series", "programs": "started, ended, their system calls", "statmill-server": "what this server does",
  "statmill-agents": "cost and losses of agents",
};

/** @param {string[]} left @param {() => void} done */
function showLeft(left, done) {
  const dialog = openDialog({
    title: "Imported, but not all of it",
    body: html`<p>This page has nothing like:</p><ul>${left.map((one) => html`<li><bdi>${one}</bdi></li>`)}</ul>`,
    footer: html`<button class="button primary" @click=${() => dialog.close()}>Go on</button>`,
    onClose: done,
  });
}

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 * @returns {import("../app.js").Screen}
 */
export function createDashboardsScreen(element, app) {
  /** @type {import("../data/dashboards.js").DashboardEntry[]} */
  let saved = [];
  let isWritable = false;
  let isLoaded = false;
  let fault = "";
  let filter = "";

  async function load() {
    try {
      const answer = await app.dashboards.list();
      saved = answer.dashboards;
      isWritable = answer.writable;
      fault = "";
    } catch (error) {
      const status = /** @type {any} */ (error)?.status;
      fault = status === 404 ? "" : error instanceof Error ? error.message : String(error);
    }
    isLoaded = true;
    draw();
  }

  function all() {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    return saved.filter((one) => words.every((word) => `${one.title} ${one.folder}`.toLowerCase().includes(word)))
      .sort((a, b) => (a.source === "built-in" ? 1 : 0) - (b.source === "built-in" ? 1 : 0) || a.title.localeCompare(b.title));
  }

  function create() {
    let title = "";
    const dialog = openDialog({
      title: "New dashboard",
      body: html`<form class="form" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); done(); }}><label>Title<span class="field">
        <input autofocus @input=${(/** @type {Event} */ event) => { title = /** @type {HTMLInputElement} */ (event.target).value; }}></span></label></form>`,
      footer: html`<button class="button primary" @click=${() => done()}>Create</button>`,
    });
    function done() {
      if (title.trim() === "") return;
      const id = idOf(title);
      app.drafts.save(id, { etag: "", time: app.clock.now(), content: { format: 1, title: title.trim(), notes: "", vars: [], panels: [] } });
      dialog.close();
      app.go({ screen: "d", arg: id });
    }
  }

  function bring() {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = "application/json,.json";
    input.addEventListener("change", async () => {
      const file = input.files?.[0];
      if (file === undefined) return;
      try {
        const { dashboard: content, left } = converted(JSON.parse(await file.text()), file.name);
        const faults = checkDashboard(content);
        if (faults.length > 0) throw new Error(`${faults[0].at}: ${faults[0].error}`);
        const id = idOf(content.title);
        app.drafts.save(id, { etag: "", time: app.clock.now(), content });
        if (left.length > 0) showLeft(left, () => app.go({ screen: "d", arg: id }));
        else app.go({ screen: "d", arg: id });
      } catch (error) {
        app.toast(`This file is no dashboard. ${error instanceof Error ? error.message : ""}`);
      }
    });
    input.click();
  }

  function draw() {
    const rows = all();
    render(html`<div class="toolbar"><h1>Dashboards</h1><span class="grow"></span>
        <label class="field">${icon("filter")}<input type="search" aria-label="Filter dashboards" placeholder="filter" autocomplete="off" .value=${filter}
          @input=${(/** @type {Event} */ event) => { filter = /** @type {HTMLInputElement} */ (event.target).value; draw(); }}></label>
        <button class="button" @click=${bring}>Import</button><button class="button primary" @click=${create}>${icon("plus")}New</button></div>
      ${fault ? html`<p class="fault-note" role="alert">${fault}</p>` : nothing}
      ${isLoaded && !isWritable && saved.length > 0 ? html`<p class="muted">This server keeps no changes; what you edit can be saved as a file.</p>` : nothing}
      ${isLoaded && rows.length === 0 ? html`<p class="empty-note">No dashboard has this text.</p>` : nothing}
      ${isLoaded && filter === "" && rows.length > 0 && rows.every((one) => one.source === "built-in") ? html`<p class="muted">None of your own is saved here yet.
        Make a new one, copy one of those below, or save panels of <a href="#/explore">Explore</a>.</p>` : nothing}
      ${kParts.map(([title, sources]) => part(title, rows.filter((one) => sources.includes(one.source)))) }`, element);
  }

  /** @param {string} title @param {import("../data/dashboards.js").DashboardEntry[]} rows */
  function part(title, rows) {
    return rows.length === 0 ? nothing : html`<h2 class="part-title">${title}</h2>
      <div class="dashboards-grid">${rows.map((one) => html`<a class="card dashboard-card" href="#/d/${encodeURIComponent(one.id)}">
        <b>${one.title}</b><span class="muted">${count(one.panels)} ${one.panels === 1 ? "panel" : "panels"}${one.folder ? ` · ${one.folder}` : ""}</span>
        <span class="muted">${one.source === "built-in" ? kAbout[one.id] ?? "" : one.source === "file" ? "a file of the server, read only"
          : `version ${one.version}, ${age(Math.max(0, app.clock.now() - one.changed))} ago${one.by ? ` by ${one.by}` : ""}`}</span></a>`)}</div>`;
  }
  draw();
  void load();
  return {
    title: () => "Dashboards",
    update: draw,
    refresh: () => void load(),
    key(name) {
      if (name !== "e") return false;
      create();
      return true;
    },
    destroy: () => render(nothing, element),
  };
}
