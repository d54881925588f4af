// The tree of names, level by level from the server. Rows in view only; the ARIA pattern of a tree with one focus and
// aria-activedescendant.

import { html, nothing } from "lit-html";
import { count, visible } from "../model/format.js";
import { kindIcon } from "./badge.js";
import { icon } from "./icon.js";
import { createVirtualList } from "./virtual_list.js";

/**
 * A visible line of the tree.
 * @typedef {object} Line
 * @property {string} key
 * @property {number} depth
 * @property {string} part
 * @property {string} name the series that a press opens, or the prefix of what is below
 * @property {string} prefix what its children are asked with; empty: it has none
 * @property {number} series
 * @property {string} kind empty: it is no series
 * @property {"line"|"more"|"wait"|"fault"} type
 * @property {string} [after] of `more`: where the next page begins
 */

/** @typedef {{lines: Line[], next: string|null, fault: string}} Level */

const kRowHeight = 26;

/**
 * The lines of one level. A part that is a series and a branch has both in one line; series with tags have a line that
 * opens.
 * @param {string} prefix
 * @param {number} depth
 * @param {import("../data/names.js").TreeChild[]} children
 * @returns {Line[]}
 */
export function linesOf(prefix, depth, children) {
  /** @type {Line[]} */
  const lines = [];
  for (const child of children) {
    const name = prefix + child.part;
    const base = { depth, part: child.part, name, series: child.series, type: /** @type {const} */ ("line") };
    if (child.branch) {
      lines.push({ ...base, key: `${name}.`, prefix: `${name}.`, kind: child.tags ? "" : child.kind ?? "" });
    }
    if (child.tags) {
      const part = child.branch ? `${child.part};` : child.part;
      lines.push({ ...base, part, key: `${name};`, prefix: `${name};`, kind: child.kind ?? "" });
    }
    if (!child.branch && !child.tags) lines.push({ ...base, key: name, prefix: "", kind: child.kind ?? "gauge" });
  }
  return lines;
}

/**
 * @param {HTMLElement} scroller
 * @param {object} needs
 * @param {import("../app.js").App} needs.app
 * @param {(name: string, more: boolean) => void} needs.onSeries
 * @param {(line: Line, anchor: Element) => void} needs.onMenu
 */
export function createNameTree(scroller, { app, onSeries, onMenu }) {
  const body = document.createElement("div");
  body.className = "tree";
  body.setAttribute("role", "tree");
  body.setAttribute("aria-label", "Names");
  body.tabIndex = 0;
  scroller.append(body);

  /** @type {Map<string, Level>} */
  const levels = new Map();
  /** @type {Set<string>} */
  const open = new Set();
  /** @type {Line[]} */
  let lines = [];
  let here = 0;

  /** @param {string} prefix @param {number} depth @param {Line[]} into */
  function walk(prefix, depth, into) {
    const level = levels.get(prefix);
    /** @param {"more"|"wait"|"fault"} type @param {string} part */
    const special = (type, part) => into.push({
      key: `${prefix}\n${type}`, depth, part, name: "", prefix, series: 0, kind: "", type, after: level?.next ?? "",
    });
    if (level === undefined) {
      special("wait", "…");
      return;
    }
    for (const line of level.lines) {
      into.push(line);
      if (line.prefix !== "" && open.has(line.prefix)) walk(line.prefix, depth + 1, into);
    }
    if (level.fault !== "") special("fault", level.fault);
    else if (level.next !== null) special("more", "more…");
  }

  const list = createVirtualList({
    body, scroller, rowHeight: kRowHeight,
    key: (i) => lines[i].key,
    row: (i) => {
      const line = lines[i];
      const isOpen = open.has(line.prefix);
      return html`<div class="row ${i === here ? "here" : ""}" role="treeitem" id="tree-${i}" aria-level=${line.depth + 1}
          aria-expanded=${line.prefix !== "" && line.type === "line" ? String(isOpen) : nothing}
          aria-selected=${String(i === here)}
          @click=${(/** @type {MouseEvent} */ event) => { here = i; act(line, event.shiftKey, event); }}
          @contextmenu=${(/** @type {MouseEvent} */ event) => {
            if (line.type !== "line") return;
            event.preventDefault();
            onMenu(line, /** @type {Element} */ (event.currentTarget));
          }}>
        ${Array.from({ length: line.depth }, () => html`<i class="indent"></i>`)}
        <span class="twist">${line.type === "line" && line.prefix !== "" ? icon("right") : nothing}</span>
        ${line.kind !== "" ? kindIcon(line.kind) : nothing}
        <bdi class="part name ${line.type === "line" ? "" : "muted"}" title=${visible(line.name)}>${visible(line.part)}</bdi>
        ${line.prefix !== "" && line.type === "line" ? html`<span class="count num">${count(line.series)}</span>` : nothing}
        ${line.type === "line" ? html`<button class="row-menu" tabindex="-1" aria-label="What to do with ${line.name}" aria-haspopup="menu" aria-expanded="false"
          @click=${(/** @type {Event} */ event) => { event.stopPropagation(); here = i; onMenu(line, /** @type {Element} */ (event.currentTarget)); }}>${icon("more")}</button>` : nothing}
      </div>`;
    },
  });

  function draw() {
    lines = [];
    walk("", 0, lines);
    here = Math.max(0, Math.min(here, lines.length - 1));
    body.setAttribute("aria-activedescendant", `tree-${here}`);
    list.update(lines.length);
  }

  /** @param {string} prefix @param {number} depth @param {string} [after] */
  async function load(prefix, depth, after) {
    const before = after ? levels.get(prefix)?.lines ?? [] : [];
    try {
      const answer = await app.names.tree(prefix, { after });
      levels.set(prefix, {
        lines: [...before, ...linesOf(prefix, depth, answer.children)], next: answer.next, fault: "",
      });
    } catch (error) {
      levels.set(prefix, { lines: before, next: null, fault: error instanceof Error ? error.message : String(error) });
    }
    draw();
  }

  /** @param {Line} line @param {boolean} more @param {MouseEvent} [event] */
  function act(line, more, event) {
    if (line.type === "more") load(line.prefix, line.depth, line.after);
    else if (line.type === "fault") load(line.prefix, line.depth);
    else if (line.type === "line") {
      const onTwist = event?.target instanceof Element && event.target.closest(".twist") !== null;
      if (line.prefix !== "" && (line.kind === "" || onTwist)) toggle(line);
      else if (line.kind !== "") onSeries(line.name, more);
    }
    draw();
  }

  /** @param {Line} line @param {boolean} [wanted] */
  function toggle(line, wanted = !open.has(line.prefix)) {
    if (wanted) {
      open.add(line.prefix);
      if (!levels.has(line.prefix)) load(line.prefix, line.depth + 1);
    } else open.delete(line.prefix);
    draw();
  }

  body.addEventListener("keydown", (event) => {
    const line = lines[here];
    if (line === undefined) return;
    let next = here;
    if (event.key === "ArrowDown") next = here + 1;
    else if (event.key === "ArrowUp") next = here - 1;
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = lines.length - 1;
    else if (event.key === "PageDown") next = here + 15;
    else if (event.key === "PageUp") next = here - 15;
    else if (event.key === "ArrowRight") {
      if (line.prefix !== "" && line.type === "line" && !open.has(line.prefix)) toggle(line, true);
      else next = here + 1;
    } else if (event.key === "ArrowLeft") {
      if (line.type === "line" && open.has(line.prefix)) toggle(line, false);
      else {
        while (next > 0 && lines[next].depth >= line.depth) --next;
      }
    } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      const row = document.getElementById(`tree-${here}`);
      if (row && line.type === "line") onMenu(line, row);
    } else if (event.key === "Enter" || event.key === " ") {
      if (line.kind === "" && line.prefix !== "" && line.type === "line") toggle(line);
      else act(line, event.shiftKey);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    here = Math.max(0, Math.min(next, lines.length - 1));
    draw();
    list.reveal(here);
  });

  load("", 0);

  return {
    /** Opens all levels above a prefix, as `host.cpu.`. @param {string} prefix */
    async show(prefix) {
      const cuts = [];
      for (let i = 0; i < prefix.length; ++i) {
        if (prefix[i] === "." || prefix[i] === ";") cuts.push(prefix.slice(0, i + 1));
        if (prefix[i] === ";") break;
      }
      for (const [depth, cut] of cuts.entries()) {
        open.add(cut);
        if (!levels.has(cut)) await load(cut, depth + 1);
      }
      const at = lines.findIndex((line) => line.key === prefix);
      if (at >= 0) {
        here = at;
        draw();
        list.reveal(at);
      }
    },
    opened: () => [...open],
    destroy: () => list.destroy(),
  };
}
