// Panels in groups, as Explore, Host and dashboards have them. The grid asks for all panels in view with one request,
// keeps crosshair and range in the URL, and passes keys to the panel in focus.

import { nothing, render } from "lit-html";
import { isAbort } from "../data/client.js";
import { resolve } from "../model/range.js";
import { createPanel, panelQueries } from "../panel/panel.js";
import { createShared } from "../panel/shared.js";
import { openMenu } from "../parts/menu.js";
import { oncePerFrame } from "../state/store.js";
import { openChanges } from "./changes.js";
import { loadMarks } from "./marks.js";

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */
/** @typedef {import("../panel/panel.js").PanelRange} PanelRange */
/** @typedef {import("../panel/panel.js").Answer} Answer */

/**
 * @typedef {object} Group
 * @property {string} id
 * @property {unknown} [head] a template above the panels
 * @property {number} [columns] panels side by side on a wide screen; default 2
 * @property {Record<string, number>} [spans] columns of 12 that a panel covers, by its id
 * @property {PanelSpec[]} panels
 */

/**
 * @typedef {object} Cell
 * @property {HTMLElement} element
 * @property {import("../panel/panel.js").Panel} panel
 * @property {PanelSpec} spec
 * @property {Record<string, Answer>} answers
 * @property {string} asked what `answers` are of: range and queries
 * @property {boolean} isNear within a screen of what is in view
 */

/**
 * @typedef {object} GridOptions
 * @property {(id: string, change: Partial<PanelSpec>) => void} change the user has changed a panel
 * @property {(id: string, action: import("../panel/panel.js").PanelAction, detail?: any) => void} [act] actions that the
 *   grid does not do itself: dashboard, duplicate, up, down, left, right, remove
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
  /** @type {AbortController|null} */
  let running = null;
  let current = "";  // id of the panel that keys act on

  const shared = createShared({
    setRange: (from, until) => app.setRange(String(Math.round(from)), String(Math.round(until))),
    back: () => app.back(),
    change: (id, change) => options.change(id, change),
    act,
    menu: openMenu,
    pinned: (time) => app.go({ at: time === null ? "" : String(Math.round(time)) }),
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
    return { from: resolve(route.from, now) ?? until - 3600, until, now, zone: app.zone(), live: route.live === "1" };
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
    else if (action === "retry") { cell.asked = ""; requestSoon(); }
    else if (action === "changes") {
      const { from, until } = { ...range(), ...detail };
      openChanges(app, { from, until, match: options.matchOf?.(cell.spec) ?? "" });
    } else options.act?.(id, action, detail);
  }

  /** The spec as it is drawn: what is open large is as high as it can be. @param {Cell} cell @returns {PanelSpec} */
  function drawn(cell) {
    const { big, cmp } = app.route();
    const compare = cmp === "1d" || cmp === "1w" ? { compare: /** @type {"1d"|"1w"} */ (cmp) } : {};
    return { ...cell.spec, ...(cell.spec.compare ? {} : compare), ...(big === cell.spec.id ? { height: "XL" } : {}) };
  }

  /** @param {Cell} cell @param {PanelRange} now */
  function queriesOf(cell, now) {
    const width = cell.element.clientWidth || 480;
    return Object.keys(cell.answers).length > 0
      ? cell.panel.queries(now, width) : panelQueries(drawn(cell), now, width);
  }

  /** What the answers of a cell are of. @param {any[]} queries */
  function keyOf(queries) {
    const route = app.route();
    return JSON.stringify([route.from, route.until, queries]);
  }

  async function request() {
    const route = app.route();
    const now = range();
    const near = [...cells.values()].filter((cell) => cell.isNear && cell.element.offsetParent !== null);
    /** @type {Map<string, {cell: Cell, left: number}>} */
    const owners = new Map();
    const queries = [];
    for (const cell of near) {
      const asks = queriesOf(cell, now);
      const key = keyOf(asks);
      if (key === cell.asked) continue;
      cell.asked = key;
      cell.panel.update(drawn(cell), now, null, marks);
      const owner = { cell, left: asks.length };
      for (const query of asks) owners.set(query.id, owner);
      queries.push(...asks);
    }
    if (queries.length === 0) return;
    running?.abort();
    const mine = new AbortController();
    running = mine;
    /** @type {Map<Cell, Record<string, Answer>>} */
    const fresh = new Map();
    try {
      await app.batch.run({ from: route.from, until: route.until, queries }, {
        signal: mine.signal,
        onAnswer(answer) {
          const owner = owners.get(answer.id);
          if (owner === undefined || mine.signal.aborted) return;
          const answers = fresh.get(owner.cell) ?? {};
          answers[answer.id] = answer;
          fresh.set(owner.cell, answers);
          if (--owner.left > 0) return;
          owner.cell.answers = answers;
          draw(owner.cell);
        },
      });
    } catch (error) {
      const isMine = running === mine;
      for (const { cell, left } of new Set(owners.values())) {
        if (left <= 0) continue;
        cell.asked = "";
        if (isAbort(error) || !isMine) continue;
        const text = error instanceof Error ? error.message : String(error);
        const status = /** @type {any} */ (error)?.status ?? 0;
        // while the server is away the old picture stays
        if (status !== 0 || Object.keys(cell.answers).length === 0) {
          cell.answers = { [cell.spec.id]: { id: cell.spec.id, status, error: text } };
        }
        draw(cell);
      }
      if (isAbort(error)) requestSoon();
      return;
    } finally {
      if (running === mine) running = null;
    }
    // an answer may have told a panel to ask for more: the host's presence where there are gaps
    const again = [...fresh.keys()].some((cell) => {
      const known = new Set(Object.keys(cell.answers));
      return cell.panel.queries(now, cell.element.clientWidth).some((query) => !known.has(query.id));
    });
    if (again) requestMore([...fresh.keys()], now);
  }

  /** @param {Cell[]} some @param {PanelRange} now */
  async function requestMore(some, now) {
    const queries = [];
    const owners = new Map();
    for (const cell of some) {
      const all = cell.panel.queries(now, cell.element.clientWidth);
      for (const query of all) {
        if (query.id in cell.answers) continue;
        queries.push(query);
        owners.set(query.id, cell);
      }
      cell.asked = keyOf(all);
    }
    if (queries.length === 0) return;
    const mine = running ?? new AbortController();
    running = mine;
    const route = app.route();
    try {
      await app.batch.run({ from: route.from, until: route.until, queries }, {
        signal: mine.signal,
        onAnswer(answer) {
          const cell = owners.get(answer.id);
          if (cell === undefined || mine.signal.aborted) return;
          cell.answers = { ...cell.answers, [answer.id]: answer };
        },
      });
      for (const cell of new Set(owners.values())) draw(cell);
    } catch (error) {
      if (!isAbort(error)) for (const cell of new Set(owners.values())) draw(cell);
    } finally {
      if (running === mine) running = null;
    }
  }

  const requestSoon = oncePerFrame(() => void request());

  /** @param {Cell} cell */
  function draw(cell) {
    cell.panel.update(drawn(cell), range(), cell.answers, marks);
  }

  async function readMarks() {
    const route = app.route();
    const key = `${route.from} ${route.until}`;
    const now = range();
    marksOf = key;
    const found = await loadMarks(app, now.from, now.until);
    if (marksOf !== key || JSON.stringify(found) === JSON.stringify(marks)) return;
    marks = found;
    for (const cell of cells.values()) if (Object.keys(cell.answers).length > 0) draw(cell);
  }

  /** @param {string} id @param {PanelSpec} spec @returns {Cell} */
  function makeCell(id, spec) {
    const cellElement = document.createElement("section");
    cellElement.className = "panel-cell";
    cellElement.addEventListener("focusin", () => { current = id; });
    cellElement.addEventListener("pointerdown", () => { current = id; });
    const cell = {
      element: cellElement, spec, answers: {}, asked: "", isNear: false,
      panel: createPanel(cellElement, { host: shared, pool: app.pool }),
    };
    observer.observe(cellElement);
    return cell;
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

  /** @param {Element} parent @param {Element[]} wanted */
  function arrange(parent, wanted) {
    for (const child of [...parent.children]) if (!wanted.includes(child)) child.remove();
    wanted.forEach((child, i) => {
      if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
    });
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
          order.push(cell.element);
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
      if (marksOf !== `${route.from} ${route.until}`) void readMarks();
    },
    /** Asks for everything in view again. */
    refresh() {
      if (running !== null) return;
      for (const cell of cells.values()) cell.asked = "";
      requestSoon();
      void readMarks();
    },
    /** @param {string} name @param {KeyboardEvent} event @returns {boolean} */
    key(name, event) {
      if (name === "j" || name === "k") {
        move(name === "j" ? 1 : -1);
        return true;
      }
      if (name === "Esc" && app.route().big !== "") {
        app.go({ big: "" });
        return true;
      }
      const first = groups[0]?.panels[0]?.id ?? "";
      const cell = cells.get(cells.has(current) ? current : first);
      return cell?.panel.key(name, event) ?? false;
    },
    current: () => current,
    /** @param {string} id */
    focus(id) {
      current = id;
      const cell = cells.get(id);
      cell?.element.scrollIntoView({ block: "nearest" });
      cell?.panel.focus();
    },
    destroy() {
      running?.abort();
      observer.disconnect();
      for (const cell of cells.values()) cell.panel.destroy();
      cells.clear();
      element.textContent = "";
    },
  };
}
