// Hosts as a map: a square a host, a quarter each for CPU, memory, disk and network. Thousands fit on one screen.

import { html, render } from "lit-html";
import { count } from "../model/format.js";
import { kGradeWords } from "../parts/badge.js";
import { gradeOf, kColumns, kGroupLabels } from "./hosts_model.js";
import { hostAddress } from "./hosts_table.js";

/** @typedef {import("./hosts_model.js").HostRow} HostRow */

const kQuarters = ["cpu", "memory", "disk", "network"];
const kSmallFrom = 600;  // hosts above which squares are small

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 */
export function createHostMap(element, app) {
  const card = document.createElement("div");
  card.className = "card hosts-map";
  element.append(card);

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

  return {
    /** @param {{label: string, rows: HostRow[]}[]} groups */
    update(groups) {
      const total = groups.reduce((sum, group) => sum + group.rows.length, 0);
      card.classList.toggle("small", total > kSmallFrom);
      render(html`
        ${groups.map((group) => html`<section>${group.label === "" ? null : html`<h2>${group.label} <span class="muted num">${count(group.rows.length)}</span></h2>`}
          <div class="squares">${group.rows.map(square)}</div></section>`)}
        <div class="map-legend"><span class="square sample"><i class="ok use-1"></i><i class="ok use-1"></i><i class="ok use-1"></i><i class="ok use-1"></i></span>
          <span>CPU · memory<br>disk · network</span>
          <span class="key"><i class="ok use-0"></i><i class="ok use-1"></i><i class="ok use-2"></i><i class="ok use-3"></i> fine, by use</span>
          <span class="key"><i class="warn"></i> worth a look</span><span class="key"><i class="bad"></i> bad</span>
          <span class="key"><i class="away"></i> away</span></div>`, card);
    },
    destroy: () => card.remove(),
  };
}
