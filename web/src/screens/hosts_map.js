// Hosts as a map: a square a host, a quarter each for CPU, memory, disk and network. Thousands fit on one screen.

import { html, render } from "lit-html";
import { count } from "../model/format.js";
import { kGradeWords } from "../parts/badge.js";
import { createVirtualList } from "../parts/virtual_list.js";
import { gradeOf, kColumns, kGroupLabels } from "./hosts_model.js";
import { hostAddress } from "./hosts_table.js";

/** @typedef {import("./hosts_model.js").HostRow} HostRow */

const kQuarters = ["cpu", "memory", "disk", "network"];
const kSmallFrom = 600;  // hosts above which squares are small
const kLarge = 39;       // px from one square to the next, as in screens.css
const kSmall = 27;

/** @typedef {{label: string, size: number}|{label: "", rows: HostRow[]}} Line */

/**
 * Headings of groups, and rows of as many squares as fit.
 * @param {{label: string, rows: HostRow[]}[]} groups
 * @param {number} across
 * @returns {Line[]}
 */
export function linesOfMap(groups, across) {
  /** @type {Line[]} */
  const lines = [];
  for (const group of groups) {
    if (group.label !== "") lines.push({ label: group.label, size: group.rows.length });
    for (let i = 0; i < group.rows.length; i += across) lines.push({ label: "", rows: group.rows.slice(i, i + across) });
  }
  return lines;
}

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 */
export function createHostMap(element, app) {
  const card = document.createElement("div");
  const body = document.createElement("div");
  const legend = document.createElement("div");
  card.className = "card hosts-map";
  body.className = "map-lines";
  card.append(body, legend);
  element.append(card);
  /** @type {Line[]} */
  let lines = [];
  /** @type {{label: string, rows: HostRow[]}[]} */
  let shown = [];
  let size = kLarge;

  /** Fine quarters are shaded by utilisation, in four steps. @param {HostRow} row @param {string} group */
  function quarter(row, group) {
    const grade = gradeOf(row, group);
    if (!row.host.up) return "away";
    if (grade === "") return "none";
    if (grade !== "ok") return grade;
    const column = kColumns.findIndex((one) => one.group === group && one.bar);
    const value = column < 0 ? 0 : row.cells[column].value ?? 0;
    return `ok use-${Math.min(3, Math.floor(value / 25))}`;
  }

  /** @param {HostRow} row */
  function square(row) {
    const words = row.host.up
      ? kQuarters.map((group) => `${kGroupLabels[group]} ${kGradeWords[gradeOf(row, group) || "ok"]}`).join(", ") : "away";
    return html`<a class="square ${row.host.up ? row.grade : "away"}" href=${hostAddress(app, row.host.host)} title="${row.host.host}: ${words}"
      aria-label="${row.host.host}: ${words}">${kQuarters.map((group) => html`<i class=${quarter(row, group)}></i>`)}</a>`;
  }

  /** @param {number} i */
  function line(i) {
    const one = lines[i];
    if (!("rows" in one)) return html`<div class="row"><h2>${one.label} <span class="muted num">${count(one.size)}</span></h2></div>`;
    return html`<div class="row squares">${one.rows.map(square)}</div>`;
  }

  /** @type {ReturnType<typeof createVirtualList>|null} */
  let list = null;

  function lay() {
    const total = shown.reduce((sum, group) => sum + group.rows.length, 0);
    const wanted = total > kSmallFrom ? kSmall : kLarge;
    if (list === null || wanted !== size) {
      list?.destroy();
      size = wanted;
      list = createVirtualList({ body, scroller: null, rowHeight: size, row: line });
    }
    card.classList.toggle("small", size === kSmall);
    lines = linesOfMap(shown, Math.max(1, Math.floor((body.clientWidth + 5) / size)));
    list.update(lines.length);
  }
  const observer = new ResizeObserver(lay);
  observer.observe(card);

  return {
    /** @param {{label: string, rows: HostRow[]}[]} groups */
    update(groups) {
      shown = groups;
      lay();
      render(html`<div class="map-legend"><span class="square sample"><i class="ok use-1"></i><i class="ok use-1"></i><i class="ok use-1"></i><i class="ok use-1"></i></span>
        <span>CPU · memory<br>disk · network</span>
        <span class="key"><i class="ok use-0"></i><i class="ok use-1"></i><i class="ok use-2"></i><i class="ok use-3"></i> fine, by use</span>
        <span class="key"><i class="warn"></i> worth a look</span><span class="key"><i class="bad"></i> bad</span>
        <span class="key"><i class="away"></i> away</span></div>`, legend);
    },
    destroy() {
      observer.disconnect();
      list?.destroy();
      card.remove();
    },
  };
}
