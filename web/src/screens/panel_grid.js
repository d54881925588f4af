// Panels in groups, as Explore, Host and dashboards have them. The grid asks for all panels in view with one request,
// keeps crosshair and range in the URL, and passes keys to the panel in focus.

import { nothing, render } from "lit-html";
import { isAbort } from "../data/client.js";
import { resolve } from "../model/range.js";
import { finestSlot, isOfHosts } from "../model/step.js";
import { createPanel, panelQueries } from "../panel/panel.js";
import { createShared } from "../panel/shared.js";
import { openMenu } from "../parts/menu.js";
import { oncePerFrame } from "../state/store.js";
import { arrange, createNoteElements } from "./grid_elements.js";
import { createGridLive } from "./grid_live.js";
import { loadMarks } from "./marks.js";

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */
/** @typedef {import("../panel/panel.js").PanelRange} PanelRange */
/** @typedef {import("../panel/panel.js").Answer} Answer */

const kWidthStep = 64;  // px; a smaller change of the width asks nothing anew
const kBusyTries = 4;  // while all threads of the server are busy, after 1, 2, 3 and 4 s

/**
 * @typedef {object} Group
 * @property {string} id
 * @property {unknown} [head] a template above the panels
 * @property {number} [columns] panels side by side on a wide screen; default 2
 * @property {Record<string, number>} [spans] columns of 12 that a panel covers, by its id
 * @property {PanelSpec[]} panels
 * @property {string} [chosen] id of a panel or note that is marked
 * @property {Note[]} [notes] what is no plot, each before the panel with its `before`, else at the end
 */

/** @typedef {{id: string, before: string, content: unknown}} Note */

/**
 * @typedef {object} Cell
 * @property {HTMLElement} element
 * @property {import("../panel/panel.js").Panel} panel
 * @property {PanelSpec} spec
 * @property {Record<string, Answer>} answers
 * @property {string} asked what `answers` are of, or will be of: range, width and panel
 * @property {{abort: AbortController, cells: Set<Cell>}|null} run the request under way
 * @property {boolean} isOld its answers are to be refreshed
 * @property {Set<string>} extra ids that were asked after an answer
 * @property {boolean} isNear within a screen of what is in view
 * @property {boolean} isMoved the stream has told of new slots
 */

/**
 * @typedef {object} GridOptions
 * @property {(id: string, change: Partial<PanelSpec>) => void} change the user has changed a panel
 * @property {(id: string, action: import("../panel/panel.js").PanelAction, detail?: any) => void} [act] actions that the
 *   grid does not do itself: dashboard, duplicate, up, down, left, right, remove
 * @property {(action: import("../panel/panel.js").PanelAction) => boolean} [can] which of those the menus offer
 * @property {string} [where] whose events are marked, as `host=web1`
 * @property {(id: string) => void} [onCurrent] another panel or note has the focus
 * @property {(spec: PanelSpec) => string} [matchOf] selector of the series in which "what changed" searches
 */

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 * @param {GridOptions} options
 */
export function createPanelGrid(element, app, options) {
  element.classList.add("panel-groups");
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  /** @type {Map<string, {element: HTMLElement, head: HTMLElement, grid: HTMLElement}>} */
  const sections = new Map();
  /** @type {Group[]} */
  let groups = [];
  /** @type {import("../panel/panel.js").Mark[]} */
  let marks = [];
  let marksOf = "";
  let current = "";  // id of the panel that keys act on
  let busyTries = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let busyTimer;
  const live = createGridLive(app, () => cells.values(), () => drawMoved(), () => {
    app.answers.expire();
    refresh();
  });

  const shared = createShared({
    setRange: (from, until) => app.setRange(String(Math.round(from)), String(Math.round(until))),
    back: () => app.back(),
    change: (id, change) => options.change(id, change),
    act,
    menu: (anchor, panel) => app.later((part) => { if (anchor.isConnected) openMenu(anchor, part.menuOf(panel)); }),
    can: options.can,
    pinned: (time) => app.go({ at: time === null ? "" : String(Math.round(10 * time) / 10) }),
  });

  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      for (const cell of cells.values()) {
        if (cell.element === entry.target) cell.isNear = entry.isIntersecting;
      }
    }
    requestSoon();
  }, { rootMargin: "100% 0px" });

  /** @returns {PanelRange} */
  function range() {
    const route = app.route();
    const now = app.clock.now();
    const until = resolve(route.until, now) ?? now;
    const from = resolve(route.from, now) ?? until - 3600;
    const { status, hostRetention } = app.server.get();
    return {
      from, until, now, zone: app.zone(), finest: finestSlot(status?.retention), hostFinest: finestSlot(hostRetention || status?.retention, now - from),
      live: route.live === "1", bits: app.prefs.get().bits,
    };
  }

  /** The panel as that of the only series that it shows, if it shows one. @param {Cell} cell @returns {PanelSpec} */
  function oneOf(cell) {
    const shown = cell.answers[cell.spec.id]?.series ?? [];
    return shown.length === 1 && typeof shown[0].name === "string" ? { ...cell.spec, series: [shown[0].name] } : cell.spec;
  }

  /** @param {string} id @param {import("../panel/panel.js").PanelAction} action @param {any} [detail] */
  function act(id, action, detail) {
    const cell = cells.get(id);
    if (cell === undefined) return;
    if (action === "open") app.go({ big: app.route().big === id ? "" : id });
    else if (action === "close") app.go({ big: "" });
    else if (action === "save") app.save(detail.name, detail.type, detail.content);
    else if (action === "copy") app.copy(String(detail), "text");
    else if (action === "link" || action === "fixed-link") app.copyLink(action === "fixed-link");
    else if (action === "retry") { Object.assign(cell, { asked: "", isOld: true }); requestSoon(); }
    else if (action === "exemplars") app.later((part) => part.showExemplars(app, detail));
    else if (action === "event" || action === "changes") {
      const match = options.matchOf?.(oneOf(cell)) ?? "";
      const { from, until } = { ...range(), ...detail };
      app.later((part) => action === "event" ? part.openEventChanges(app, detail.marks, match) : part.openChanges(app, { from, until, match }));
    } else options.act?.(id, action, detail);
  }

  /** The spec as it is drawn: what is open large is as high as it can be. @param {Cell} cell @returns {PanelSpec} */
  function drawn(cell) {
    const { big, cmp } = app.route();
    const compare = cmp === "1d" || cmp === "1w" ? { compare: /** @type {"1d"|"1w"} */ (cmp) } : {};
    return { ...cell.spec, ...(cell.spec.compare ? {} : compare), ...(big === cell.spec.id ? { height: "XL" } : {}) };
  }

  /**
   * What the answers of a cell are of. The present time is not in it: a relative range stays the same question.
   * @param {Cell} cell
   */
  function keyOf(cell) {
    const route = app.route();
    const width = Math.round((cell.element.clientWidth || 480) / kWidthStep);
    const spec = drawn(cell);
    const { finest, hostFinest } = range();  // they may become known after the first answers
    const step = spec.expr ? (isOfHosts(spec.expr) ? hostFinest : finest) : 0;
    return JSON.stringify([route.from, route.until, app.zone(), width, step, { ...spec, box: undefined }]);
  }

  /** A cell needs its request no more; the last one of a request ends it. @param {Cell} cell */
  function leave(cell) {
    const run = cell.run;
    cell.run = null;
    if (run !== null && run.cells.delete(cell) && run.cells.size === 0) run.abort.abort();
  }

  /** Asks for all cells in view whose answers are of another question, and of those alone. */
  function request() {
    const now = range();
    /** @type {Map<Cell, any[]>} */
    const asks = new Map();
    /** @type {Map<Cell, any[]>} */
    const refreshes = new Map();
    for (const cell of cells.values()) {
      if (!cell.isNear || cell.element.offsetParent === null) continue;
      const key = keyOf(cell);
      if (key === cell.asked) continue;
      leave(cell);
      cell.asked = key;
      cell.extra.clear();
      const width = cell.element.clientWidth || 480;
      const queries = Object.keys(cell.answers).length > 0 ? cell.panel.queries(now, width, drawn(cell)) : panelQueries(drawn(cell), now, width);
      if (!cell.isOld) drawKnown(cell, queries, now);
      cell.panel.update(drawn(cell), now, null, marks);
      (cell.isOld ? refreshes : asks).set(cell, queries);
      cell.isOld = false;
    }
    for (const [some, isRefresh] of /** @type {const} */ ([[asks, false], [refreshes, true]])) {
      if (some.size > 0) void send(some, (cell, answers) => { cell.answers = answers; }, now, isRefresh);
    }
  }

  /** Draws what was answered before for the same range, until its end has come. @param {Cell} cell @param {any[]} queries @param {PanelRange} now */
  function drawKnown(cell, queries, now) {
    const ask = askOf(queries, now, false);
    const known = queries.map((query) => app.answers.known(query, ask)).filter((answer) => answer !== undefined);
    if (known.length < queries.length) return;
    cell.answers = Object.fromEntries(known.map((answer) => [answer.id, answer]));
    draw(cell);
  }

  /** @param {any[]} queries @param {PanelRange} now @param {boolean} isRefresh */
  function askOf(queries, now, isRefresh) {
    const { from, until } = app.route();
    return { from, until, queries, range: now, isRefresh };
  }

  /**
   * What panels ask only after an answer, such as the presence of a host that has gaps. Each is asked once for a question.
   * @param {Iterable<Cell>} some @param {PanelRange} now
   */
  function requestMore(some, now) {
    /** @type {Map<Cell, any[]>} */
    const asks = new Map();
    for (const cell of some) {
      if (!cells.has(cell.spec.id) || cell.run !== null) continue;
      const more = cell.panel.queries(now, cell.element.clientWidth || 480)
        .filter((query) => !(query.id in cell.answers) && !cell.extra.has(query.id));
      for (const query of more) cell.extra.add(query.id);
      if (more.length > 0) asks.set(cell, more);
    }
    if (asks.size > 0) void send(asks, (cell, answers) => { cell.answers = { ...cell.answers, ...answers }; }, now, false);
  }

  /**
   * One request for the queries of several cells; each is drawn as soon as all of its own answers are there.
   * @param {Map<Cell, any[]>} asks
   * @param {(cell: Cell, answers: Record<string, Answer>) => void} keep
   * @param {PanelRange} now
   * @param {boolean} isRefresh
   */
  async function send(asks, keep, now, isRefresh) {
    const run = { abort: new AbortController(), cells: new Set(asks.keys()) };
    /** @type {Map<string, {cell: Cell, left: number, answers: Record<string, Answer>}>} */
    const owners = new Map();
    for (const [cell, queries] of asks) {
      cell.run = run;
      const owner = { cell, left: queries.length, answers: {} };
      for (const query of queries) owners.set(query.id, owner);
    }
    /** @type {unknown} */
    let fault = null;
    try {
      await app.answers.run(askOf([...asks.values()].flat(), now, isRefresh), {
        signal: run.abort.signal,
        onAnswer(answer) {
          const owner = owners.get(answer.id);
          if (owner === undefined || !run.cells.has(owner.cell)) return;
          owner.answers[answer.id] = answer;
          if (--owner.left > 0) return;
          keep(owner.cell, owner.answers);
          draw(owner.cell);
        },
      });
    } catch (error) {
      fault = error;
    }
    const mine = [...run.cells];
    for (const cell of mine) if (cell.run === run) cell.run = null;
    if (fault === null) {
      busyTries = 0;
      requestMore(mine, now);
      live.watch();
      return;
    }
    if (isAbort(fault)) return;
    const text = fault instanceof Error ? fault.message : String(fault);
    const status = /** @type {any} */ (fault)?.status ?? 0;
    if (status === 503 && busyTries < kBusyTries) {
      for (const cell of mine) cell.asked = "";
      clearTimeout(busyTimer);
      busyTimer = setTimeout(requestSoon, 1000 * ++busyTries);
      return;
    }
    for (const { cell, left } of new Set(owners.values())) {
      if (left <= 0 || !run.cells.has(cell)) continue;
      // while the server is away the old picture stays; the page asks again when it is back
      if (status === 0) cell.asked = "";
      if (status !== 0 || Object.keys(cell.answers).length === 0) {
        cell.answers = { [cell.spec.id]: { id: cell.spec.id, status, error: text } };
      }
      draw(cell);
    }
  }

  const requestSoon = oncePerFrame(request);

  /** @param {Cell} cell */
  function draw(cell) {
    const now = range();
    const answers = now.live ? live.joined(cell, now.now) : cell.answers;
    cell.panel.update(drawn(cell), now, answers, marks);
  }

  const drawMoved = oncePerFrame(() => {
    for (const cell of cells.values()) {
      if (!cell.isMoved) continue;
      cell.isMoved = false;
      draw(cell);
    }
  });

  async function readMarks() {
    const route = app.route();
    const key = `${route.from} ${route.until}`;
    marksOf = key;
    const found = await loadMarks(app, route.from, route.until, options.where);
    // The server's clock may be a little ahead of what this page knows of it.
    for (const mark of found) mark.time = Math.min(mark.time, range().until);
    if (marksOf !== key || JSON.stringify(found) === JSON.stringify(marks)) return;
    marks = found;
    for (const cell of cells.values()) if (Object.keys(cell.answers).length > 0) draw(cell);
  }

  /** Asks for what may have changed of everything in view. */
  function refresh() {
    for (const cell of cells.values()) {
      if (cell.run !== null) continue;
      cell.asked = "";
      cell.isOld = true;
    }
    requestSoon();
    void readMarks();
  }

  /** @param {string} id @param {PanelSpec} spec @returns {Cell} */
  function makeCell(id, spec) {
    const cellElement = document.createElement("section");
    cellElement.className = "panel-cell";
    cellElement.addEventListener("focusin", () => become(id));
    cellElement.addEventListener("pointerdown", () => become(id));
    /** @type {Cell} */
    const cell = {
      element: cellElement, spec, answers: {}, asked: "", run: null, isOld: false, extra: new Set(), isNear: false, isMoved: false,
      panel: createPanel(cellElement, { host: shared, pool: app.pool }),
    };
    observer.observe(cellElement);
    return cell;
  }

  const unhear = app.live.hear(oncePerFrame(() => void readMarks()));

  /** @param {string} id */
  function become(id) {
    if (current === id) return;
    current = id;
    options.onCurrent?.(id);
  }
  const noteElement = createNoteElements(become);

  /** @param {Group} group @param {Note} note */
  function noteOf(group, note) {
    const made = noteElement(note, group.spans?.[note.id]);
    made.classList.toggle("is-chosen", group.chosen === note.id);
    return made;
  }

  /** @param {Group} group */
  function sectionOf(group) {
    let section = sections.get(group.id);
    if (section === undefined) {
      const made = { element: document.createElement("div"), head: document.createElement("div"), grid: document.createElement("div") };
      made.element.className = "panel-group";
      made.head.className = "panel-group-head";
      made.element.dataset.group = group.id;
      made.element.append(made.head, made.grid);
      sections.set(group.id, made);
      section = made;
    }
    section.grid.className = `panel-grid columns-${group.columns ?? 2}`;
    section.head.hidden = !group.head;
    render(group.head ?? nothing, section.head);
    return section;
  }

  /** @param {number} step */
  function move(step) {
    const ids = groups.flatMap((group) => group.panels.map((panel) => panel.id));
    if (ids.length === 0) return;
    const at = ids.indexOf(current);
    const next = ids[Math.max(0, Math.min(ids.length - 1, at < 0 ? 0 : at + step))];
    current = next;
    const cell = cells.get(next);
    cell?.panel.focus();
    cell?.element.scrollIntoView({ block: "nearest" });
  }

  return {
    /** @param {Group[]} next */
    update(next) {
      groups = next;
      const route = app.route();
      const wanted = new Set(groups.flatMap((group) => group.panels.map((panel) => panel.id)));
      for (const [id, cell] of cells) {
        if (wanted.has(id)) continue;
        observer.unobserve(cell.element);
        leave(cell);
        cell.panel.destroy();
        cell.element.remove();
        cells.delete(id);
      }
      const shown = [];
      for (const group of groups) {
        const section = sectionOf(group);
        shown.push(section.element);
        const order = [];
        for (const spec of group.panels) {
          for (const note of group.notes ?? []) if (note.before === spec.id) order.push(noteOf(group, note));
          let cell = cells.get(spec.id);
          if (cell === undefined) {
            cell = makeCell(spec.id, spec);
            cells.set(spec.id, cell);
          }
          cell.spec = spec;
          const span = group.spans?.[spec.id];
          cell.element.className = cell.element.className.replace(/ ?(span-\d+|is-big)/g, "");
          if (span !== undefined) cell.element.classList.add(`span-${span}`);
          if (route.big === spec.id) cell.element.classList.add("is-big");
          cell.element.classList.toggle("is-chosen", group.chosen === spec.id);
          order.push(cell.element);
        }
        for (const note of group.notes ?? []) {
          if (!group.panels.some((spec) => spec.id === note.before)) order.push(noteOf(group, note));
        }
        arrange(section.grid, order);
      }
      arrange(element, shown);
      for (const [id] of sections) if (!groups.some((group) => group.id === id)) sections.delete(id);
      element.classList.toggle("has-big", route.big !== "" && wanted.has(route.big));
      if (route.at !== "" && shared.pinned() !== Number(route.at)) shared.pin(Number(route.at));
      for (const cell of cells.values()) {
        cell.panel.update(drawn(cell), range(), Object.keys(cell.answers).length > 0 ? cell.answers : null, marks);
      }
      requestSoon();
      live.watch();
      if (marksOf !== `${route.from} ${route.until}`) void readMarks();
    },
    refresh,
    /** @param {string} name @param {KeyboardEvent} event @returns {boolean} */
    key(name, event) {
      if (name === "j" || name === "k") {
        move(name === "j" ? 1 : -1);
        return true;
      }
      const { big } = app.route();
      if (name === "Esc" && big !== "") {
        if (!cells.get(big)?.panel.key(name, event)) app.go({ big: "" });
        return true;
      }
      const first = groups[0]?.panels[0]?.id ?? "";
      const cell = cells.get(cells.has(current) ? current : first);
      return cell?.panel.key(name, event) ?? false;
    },
    current: () => current,
    /** Makes a panel or note the one that is marked. @param {string} id */
    choose: become,
    /** @param {string} id */
    focus(id) {
      current = id;
      const cell = cells.get(id);
      cell?.element.scrollIntoView({ block: "nearest" });
      cell?.panel.focus();
    },
    destroy() {
      clearTimeout(busyTimer);
      observer.disconnect();
      live.stop();
      unhear();
      for (const cell of cells.values()) {
        leave(cell);
        cell.panel.destroy();
      }
      cells.clear();
      element.textContent = "";
    },
  };
}
