// One dashboard: its variables and panels; edit mode with undo, drafts, versions, and a save that overwrites nobody.

import { html, nothing, render } from "lit-html";
import { age } from "../model/format.js";
import { neighboursOf } from "../model/neighbours.js";
import { icon } from "../parts/icon.js";
import { openDialog, confirmDialog } from "../parts/dialog.js";
import { openMenu } from "../parts/menu.js";
import { createHistory } from "../state/history.js";
import { oncePerFrame } from "../state/store.js";
import { own } from "../state/url.js";
import { kNewPanels, openPanelForm } from "./dashboard_edit.js";
import { checkDashboard, expanded, inOrder, isNote, kAll, merged, nameOf, valuesOf } from "./dashboard_model.js";
import { openConflict, openCopy } from "./dashboard_dialogs.js";
import { createNotes, linked } from "./dashboard_notes.js";
import { createPanelGrid } from "./panel_grid.js";
import { changesOf, withChange } from "./panel_url.js";

/** @typedef {import("./dashboard_model.js").Dashboard} Dashboard */
/** @typedef {import("./dashboard_model.js").DashboardPanel} DashboardPanel */

const kSizes = /** @type {Record<string, [number, number]>} */ ({ S: [4, 1], M: [6, 2], L: [8, 3], XL: [12, 4] });
const kChoicesMax = 500;

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 * @returns {import("../app.js").Screen}
 */
export function createDashboardScreen(element, app) {
  const id = app.route().arg;
  const head = document.createElement("div");
  const gridElement = document.createElement("div");
  head.className = "panel-groups";
  element.append(head, gridElement);
  /** @type {Dashboard|null} */
  let dashboard = null;
  let etag = "";
  let source = "";
  let isEditing = false;
  let isChanged = false;
  let isWritable = true;  // the server keeps changes of this page
  let fault = "";
  let isDeleted = false;  // its versions can be shown and restored
  /** @type {string|null} the text of the JSON view, null if it is closed */
  let json = null;
  /** @type {Record<string, string[]>} */
  let choices = {};
  /** @type {ReturnType<typeof createHistory<Dashboard>>} */
  const undo = createHistory();

  const notes = createNotes(app, () => draw());
  const unhear = app.live.hear(oncePerFrame(() => notes.readEvents()));
  const grid = createPanelGrid(gridElement, app, {
    change(panelId, change) {
      if (!isEditing || "box" in change) {
        app.store.patch({ own: withChange(app.route(), panelId, change) });
        return;
      }
      const { scale, ...rest } = change;
      edit(panelId, (panel) => ({ ...panel, ...rest, ...(scale ? { y: scale } : {}) }));
    },
    act: (panelId, action) => rearrange(indexOf(panelId), action),
    onCurrent() {
      if (isEditing) draw();
    },
    matchOf: (spec) => neighboursOf(spec.series?.[0] ?? ""),
  });

  gridElement.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const isOnPlot = event.target instanceof Element && event.target.closest(".panel-body") !== null;
    if (!isEditing || step === undefined || !isOnPlot || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const at = indexOf(grid.current());
    if (event.shiftKey) resizeBy(at, step);
    else rearrange(at, step < 0 ? "left" : "right");
    grid.focus(grid.current());
  }, { capture: true });

  /** Plots have ids as d2, of a repeated one d2-0; notes as n2. @param {string} panelId */
  const indexOf = (panelId) => Number(/^[dn](\d+)/.exec(panelId)?.[1] ?? 0);

  /** @param {number} at @param {string} action */
  function rearrange(at, action) {
    if (dashboard === null) return;
    const panels = [...inOrder(dashboard.panels)];
    let chosen = at;
    if (action === "remove") panels.splice(at, 1);
    else if (action === "duplicate") panels.splice(++chosen, 0, panels[at]);
    else if (action === "up" || action === "left") panels.splice(chosen = Math.max(0, at - 1), 0, ...panels.splice(at, 1));
    else if (action === "down" || action === "right") panels.splice(chosen = Math.min(panels.length - 1, at + 1), 0, ...panels.splice(at, 1));
    else return;
    isEditing = true;
    change({ ...dashboard, panels: placed(panels) });
    choose(Math.min(chosen, panels.length - 1));
  }

  /** Makes a panel the one that the bar changes. @param {number} at */
  function choose(at) {
    const panel = inOrder(dashboard?.panels ?? [])[at];
    if (panel !== undefined) grid.choose(`${isNote(panel) ? "n" : "d"}${at}`);
  }

  /** Panels row by row, in this order. @param {DashboardPanel[]} panels @returns {DashboardPanel[]} */
  function placed(panels) {
    let column = 0;
    let row = 0;
    let high = 1;
    return panels.map((panel) => {
      const [, , width, height] = panel.at;
      if (column + width > 12) {
        row += high;
        column = 0;
        high = 1;
      }
      const at = /** @type {[number, number, number, number]} */ ([column, row, width, height]);
      column += width;
      high = Math.max(high, height);
      return { ...panel, at };
    });
  }

  /** @param {Dashboard} next */
  function change(next) {
    if (dashboard !== null) undo.push(dashboard);
    dashboard = next;
    isChanged = true;
    if (json !== null) json = JSON.stringify(next, null, 1);
    app.drafts.save(id, { etag, time: app.clock.now(), content: next });
    void loadChoices().then(draw);
    draw();
  }

  /** @param {string} panelId @param {(panel: DashboardPanel) => DashboardPanel} how */
  function edit(panelId, how) {
    if (dashboard === null) return;
    const at = indexOf(panelId);
    change({ ...dashboard, panels: inOrder(dashboard.panels).map((panel, i) => i === at ? how(panel) : panel) });
  }

  async function load() {
    fault = "";
    isDeleted = false;
    const version = own(app.route(), "ver");
    const list = await app.dashboards.list().catch(() => null);
    const entry = list?.dashboards.find((one) => one.id === id);
    isWritable = list?.writable ?? true;
    if (entry !== undefined || version !== "") {
      try {
        const loaded = await app.dashboards.load(id, version || undefined);
        dashboard = loaded.content;
        // an older version, or one of what was deleted, takes the place of what is there now
        etag = version === "" ? loaded.etag : entry?.etag ?? "";
        source = entry?.source ?? "";
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error);
      }
    } else if (app.drafts.load(id) === null) {
      const kept = await app.dashboards.versions(id).catch(() => ({ versions: [] }));
      isDeleted = kept.versions.length > 0;
      fault = isDeleted ? "This dashboard was deleted. Its versions are still there." : "No dashboard has this name.";
    }
    const draft = version === "" ? app.drafts.load(id) : null;
    if (draft !== null && JSON.stringify(draft.content) !== JSON.stringify(dashboard)) {
      dashboard = draft.content;
      isChanged = true;
      isEditing = true;
      if (draft.etag !== "") etag = draft.etag;
    }
    const faults = dashboard === null ? [] : checkDashboard(dashboard);
    if (faults.length > 0) {
      fault = `${faults[0].at}: ${faults[0].error}`;
      dashboard = null;
    }
    const from = dashboard?.time?.from;
    if (from && app.route().from === "-1h" && app.route().until === "now") app.store.patch({ from });
    await loadChoices();
    draw();
  }

  async function loadChoices() {
    /** @type {Record<string, string[]>} */
    const next = {};
    await Promise.all((dashboard?.vars ?? []).map(async (one) => {
      if (one.from.startsWith("tag:")) {
        const tag = one.from.slice(4);
        if (tag === "host" && app.hosts.known().length > 0) next[one.name] = app.hosts.known().map((host) => host.host);
        else {
          const answer = await app.client.get(`/prometheus/api/v1/label/${encodeURIComponent(tag)}/values`, { limit: kChoicesMax }).catch(() => null);
          next[one.name] = answer?.data ?? [];
        }
      } else if (one.from !== "" && !one.from.includes("*")) next[one.name] = one.from.split(",").map((choice) => choice.trim());
      else if (one.from !== "") {
        const [begin, end = ""] = one.from.split("*", 2);
        const answer = await app.client.get("/api/v1/series", { match: `${one.from}*`, limit: 10_000 }).catch(() => null);
        const found = new Set();
        for (const { name } of answer?.series ?? []) {
          const rest = name.slice(begin.length);
          const stop = end === "" ? rest.search(/[.;]/) : rest.indexOf(end);
          found.add(stop < 0 ? rest : rest.slice(0, stop));
        }
        next[one.name] = [...found].sort().slice(0, kChoicesMax);
      }
    }));
    choices = next;
  }

  async function save() {
    if (dashboard === null) return;
    if (!isWritable) {
      saveFile();
      return;
    }
    if (source === "built-in" || source === "file") {
      openCopy(app, dashboard, (copyId) => {
        app.drafts.remove(id);
        app.go({ screen: "d", arg: copyId });
      });
      return;
    }
    try {
      const saved = await app.dashboards.save(id, dashboard, etag);
      etag = saved.etag;
      source = "saved";
      isChanged = false;
      isEditing = false;
      json = null;
      app.drafts.remove(id);
      app.goOwn({ ver: "" });
      undo.clear();
      app.toast(`Saved as version ${saved.version}`);
    } catch (error) {
      if (/** @type {any} */ (error)?.status === 412) {
        await conflict();
        return;
      }
      fault = `Not saved: ${error instanceof Error ? error.message : String(error)}`;
    }
    draw();
  }

  function saveFile() {
    app.save(`${id}.json`, "application/json", `${JSON.stringify(dashboard, null, 1)}\n`);
  }

  /** Somebody else has saved meanwhile: nothing is lost whichever way is chosen. */
  async function conflict() {
    if (dashboard === null) return;
    const mine = dashboard;
    const [theirs, { versions }] = await Promise.all([app.dashboards.load(id), app.dashboards.versions(id).catch(() => ({ versions: [] }))]);
    const last = versions.reduce((newest, one) => one.version > (newest?.version ?? 0) ? one : newest, /** @type {(typeof versions)[0]|undefined} */ (undefined));
    const about = last === undefined ? "" : `Version ${last.version} was saved ${age(Math.max(0, app.clock.now() - last.changed))} ago${last.by ? ` from ${last.by}` : ""}.`;
    /** @param {Dashboard} next @param {boolean} isSaved */
    const take = (next, isSaved) => {
      etag = theirs.etag;
      source = "saved";
      change(next);
      if (isSaved) void save();
      else { isChanged = false; isEditing = false; app.drafts.remove(id); draw(); }
    };
    openConflict(mine, theirs.content, about, {
      theirs: () => take(theirs.content, false), mine: () => take(mine, true), both: () => take(merged(mine, theirs.content), true),
    });
  }

  async function discard() {
    if (!await confirmDialog({ title: "Throw away your edits", text: "The dashboard is shown again as it was saved.", action: "Throw away" })) return;
    app.drafts.remove(id);
    app.goOwn({ ver: "" });
    isChanged = false;
    isEditing = false;
    json = null;
    dashboard = null;
    undo.clear();
    await load();
    if (dashboard === null) app.go({ screen: "dashboards", arg: "" });
  }

  async function remove() {
    if (!await confirmDialog({ title: "Delete this dashboard", text: "Its versions stay for 30 days at the server.", action: "Delete" })) return;
    try {
      await app.dashboards.remove(id, etag);
      app.go({ screen: "dashboards", arg: "" });
    } catch (error) {
      app.toast(error instanceof Error ? error.message : String(error));
    }
  }

  async function showVersions() {
    const answer = await app.dashboards.versions(id).catch(() => ({ versions: [] }));
    const versions = answer.versions.filter((one) => one.bytes > 0);  // one that deletes has none
    const dialog = openDialog({
      title: "Versions",
      body: versions.length === 0 ? html`<p class="muted">No version was saved yet.</p>` : html`<ul>${versions.map((one) => html`<li>
        <button class="button quiet" @click=${() => { dialog.close(); app.goOwn({ ver: String(one.version) }); void load(); }}>version ${one.version},
          ${age(Math.max(0, app.clock.now() - one.changed))} ago${one.by ? ` by ${one.by}` : ""}</button></li>`)}</ul>`,
    });
  }

  /** @param {string} text */
  function typed(text) {
    json = text;
    fault = "";
    try {
      const next = JSON.parse(text);
      const faults = checkDashboard(next);
      if (faults.length > 0) fault = faults.map((one) => `${one.at}: ${one.error}`).join("; ");
      else {
        if (dashboard !== null) undo.push(dashboard);
        dashboard = next;
        isChanged = true;
        app.drafts.save(id, { etag, time: app.clock.now(), content: next });
        void loadChoices().then(draw);
      }
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
    draw();
  }

  /** @param {Event} event */
  function addPanel(event) {
    openMenu(/** @type {Element} */ (event.currentTarget), kNewPanels.map((one) => ({
      label: one.label, icon: one.icon,
      run: () => openPanelForm(one.panel, {
        title: "Add a panel", action: "Add",
        done(panel) {
          if (dashboard === null) return;
          const panels = placed([...inOrder(dashboard.panels), panel]);
          change({ ...dashboard, panels });
          choose(panels.length - 1);
        },
      }),
    })));
  }

  /** @param {number} at */
  function editPanel(at) {
    const panel = inOrder(dashboard?.panels ?? [])[at];
    if (panel !== undefined) openPanelForm(panel, { title: "Edit the panel", action: "Done", done: (next) => edit(`d${at}`, () => next) });
  }

  /** @param {Event} event */
  function menu(event) {
    openMenu(/** @type {Element} */ (event.currentTarget), [
      { label: "Edit", icon: "edit", key: "e", run: startEdit },
      { label: "Save as a file", icon: "download", run: saveFile },
      { label: "Versions", icon: "clock", run: () => void showVersions() },
      ...(source === "saved" ? [{ separator: true }, { label: "Delete", icon: "trash", danger: true, run: () => void remove() }] : []),
    ]);
  }

  function startEdit() {
    if (dashboard === null) return;
    isEditing = true;
    draw();
  }

  /** @param {import("./dashboard_model.js").Variable} one @param {Record<string, string>} values */
  function variable(one, values) {
    const set = (/** @type {Event} */ event) => app.goOwn({ [`v.${one.name}`]: /** @type {HTMLInputElement} */ (event.target).value });
    if (one.from === "") {
      return html`<label class="field"><span class="muted">${one.name}</span><input .value=${values[one.name]} @change=${set}></label>`;
    }
    return html`<label class="select"><span class="label">${one.name}</span><select aria-label=${one.name} @change=${set}>
      ${[kAll, ...(choices[one.name] ?? [])].map((choice) => html`<option value=${choice} ?selected=${choice === values[one.name]}>${choice}</option>`)}</select>${icon("down")}</label>`;
  }

  /** @param {number} at @param {string} size */
  function resize(at, size) {
    if (dashboard === null) return;
    const panels = inOrder(dashboard.panels).map((panel, i) => i === at ? { ...panel, at: /** @type {DashboardPanel["at"]} */ ([panel.at[0], panel.at[1], ...kSizes[size]]) } : panel);
    change({ ...dashboard, panels: placed(panels) });
  }

  /** To the next smaller or larger size. @param {number} at @param {number} step */
  function resizeBy(at, step) {
    const sizes = Object.keys(kSizes);
    const width = inOrder(dashboard?.panels ?? [])[at]?.at[2] ?? 0;
    const now = sizes.findIndex((size) => kSizes[size][0] >= width);
    resize(at, sizes[Math.max(0, Math.min(sizes.length - 1, now + step))]);
  }

  function editBar() {
    const panels = inOrder(dashboard?.panels ?? []);
    const at = Math.min(indexOf(grid.current()), panels.length - 1);
    const one = panels[at];
    const act = (/** @type {string} */ label, /** @type {string} */ name, /** @type {() => void} */ run) => html`
      <button class="button icon-only" aria-label=${label} title=${label} @click=${run}>${icon(name)}</button>`;
    return html`<div class="toolbar edit-bar"><b>Editing</b>
      <button class="button" aria-haspopup="menu" aria-expanded="false" @click=${addPanel}>${icon("plus")}Panel</button>
      ${one === undefined ? nothing : html`<span class="chosen-panel" role="group" aria-label="The chosen panel">
        <bdi class="muted" title="Press a panel to choose it">${nameOf(one)}</bdi>
        <button class="button" @click=${() => editPanel(at)}>${icon("edit")}Edit panel</button>
        <span class="buttons">${Object.keys(kSizes).map((size) => html`<button class="button" title="Size ${size}"
          aria-pressed=${String(one.at[2] === kSizes[size][0] && one.at[3] === kSizes[size][1])} @click=${() => resize(at, size)}>${size}</button>`)}</span>
        ${act("Move to before", "left", () => rearrange(at, "left"))}${act("Move to after", "right", () => rearrange(at, "right"))}
        ${act("Duplicate", "copy", () => rearrange(at, "duplicate"))}${act("Remove", "trash", () => rearrange(at, "remove"))}</span>`}
      <span class="grow"></span>
      <button class="button" aria-pressed=${String(json !== null)} @click=${() => { json = json === null ? JSON.stringify(dashboard, null, 1) : null; draw(); }}>JSON</button>
      <button class="button" ?disabled=${undo.length === 0} @click=${undoOne}>Undo</button>
      <button class="button" @click=${() => { if (isChanged) void discard(); else { isEditing = false; draw(); } }}>${isChanged ? "Throw away" : "Close"}</button>
      <button class="button primary" ?disabled=${!isChanged} @click=${() => void save()}>${isWritable ? "Save" : "Save as a file"}</button></div>`;
  }

  function drawHead() {
    const vars = dashboard?.vars ?? [];
    const values = valuesOf(vars, (name) => own(app.route(), `v.${name}`), choices);
    const version = own(app.route(), "ver");
    render(html`<div class="toolbar"><h1><bdi>${dashboard?.title ?? id}</bdi></h1>
        ${version ? html`<span class="badge accent">version ${version}</span>` : isChanged ? html`<span class="badge accent">unsaved</span>` : source === "built-in" || source === "file" ? html`<span class="badge">${source === "file" ? "file" : "built in"}</span>` : nothing}
        ${isWritable ? nothing : html`<span class="badge" title="This server keeps no changes of this browser; what you edit can be saved as a file">read only</span>`}
        <span class="grow"></span>${vars.map((one) => variable(one, values))}
        ${version && dashboard !== null ? html`<button class="button primary" @click=${() => void save()}>Restore</button>` : nothing}
        ${isEditing || dashboard === null ? nothing : html`<button class="button" @click=${startEdit} title="Edit (e)">${icon("edit")}Edit</button>`}
        <button class="button icon-only" ?hidden=${dashboard === null} aria-label="More" aria-haspopup="menu" aria-expanded="false" @click=${menu}>${icon("more")}</button></div>
      ${isEditing ? editBar() : nothing}
      ${fault ? html`<p class="fault-note" role="alert">${fault} ${isDeleted ? html`<button class="button" @click=${() => void showVersions()}>Versions</button>` : nothing} ${dashboard === null ? html`<a href="#/dashboards">All dashboards</a>`
        : isChanged && json === null ? html`<button class="button" @click=${saveFile}>Save as a file</button>` : nothing}</p>` : nothing}
      ${json !== null ? html`<textarea class="json" aria-label="JSON of the dashboard" spellcheck="false" .value=${json}
        @input=${(/** @type {Event} */ event) => typed(/** @type {HTMLTextAreaElement} */ (event.target).value)}></textarea>` : nothing}
      ${dashboard?.notes ? html`<p class="notes">${linked(dashboard.notes)}</p>` : nothing}
      ${dashboard !== null && dashboard.panels.length === 0 ? html`<div class="drop"><h2>This dashboard has no panels yet</h2>
        <p>Add one here, or choose series in <a href="#/explore">Explore</a> and save them as a dashboard.</p></div>` : nothing}`, head);
    return values;
  }

  /** An order of rows is part of the dashboard while it is edited, else of the address. @param {number} at @param {string} sort */
  function sortTable(at, sort) {
    if (isEditing) edit(`n${at}`, (panel) => ({ ...panel, sort }));
    app.goOwn({ [`s.n${at}`]: isEditing ? "" : sort });
  }

  function undoOne() {
    if (dashboard === null) return;
    const before = undo.undo(dashboard);
    if (before === undefined) return;
    dashboard = before;
    if (json !== null) json = JSON.stringify(before, null, 1);
    draw();
  }

  function draw() {
    const values = drawHead();
    /** @type {Record<string, number>} */
    const spans = {};
    /** @type {import("../panel/panel.js").PanelSpec[]} */
    const panels = [];
    /** @type {import("./panel_grid.js").Note[]} */
    const open = [];
    const first = isNote(inOrder(dashboard?.panels ?? [])[0] ?? {}) ? "n0" : "d0";
    for (const [i, panel] of inOrder(dashboard?.panels ?? []).entries()) {
      if (isNote(panel)) {
        open.push({ id: `n${i}`, before: "", content: notes.content(panel, `n${i}`, values, (sort) => sortTable(i, sort)) });
        spans[`n${i}`] = panel.at[2];
        continue;
      }
      for (const { spec, span } of expanded(panel, i, values, choices)) {
        // who looks changes the URL, who edits the dashboard; a box is no part of it
        const look = changesOf(app.route(), spec.id);
        panels.push(isEditing ? { ...spec, box: look.box } : { ...spec, ...look });
        spans[spec.id] = span;
        for (const note of open) note.before ||= spec.id;
      }
    }
    grid.update([{ id: "dashboard", spans, panels, notes: open, chosen: isEditing ? grid.current() || first : "" }]);
  }
  drawHead();
  void load();

  return {
    title: () => dashboard?.title ?? id,
    update: draw,
    refresh() {
      notes.refresh();
      grid.refresh();
    },
    key(name, event) {
      if (name === "e") startEdit();
      else if (name === "Ctrl+S") void save();
      else if (name === "Ctrl+Z") undoOne();
      else return grid.key(name, event);
      return true;
    },
    destroy() {
      unhear();
      grid.destroy();
      element.textContent = "";
    },
  };
}
