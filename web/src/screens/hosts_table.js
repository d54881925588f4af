// Hosts as a table: a row a host, cells that say by number, glyph and tint how it is. Only rows in view are elements.

import { html, nothing, render } from "lit-html";
import { age, clock, count, kNone, number } from "../model/format.js";
import { spoken } from "../model/range.js";
import { glyph, kGlyphs } from "../parts/badge.js";
import { hostText } from "../parts/name.js";
import { spark } from "../parts/spark.js";
import { createVirtualList } from "../parts/virtual_list.js";
import { formatFragment } from "../state/url.js";
import { hiddenGroups, kColumns, kGroupLabels } from "./hosts_model.js";

/** @typedef {import("./hosts_model.js").HostRow} HostRow */
/** @typedef {{label: string, rows: HostRow[]}} HostGroup */

const kRowHeight = 30;
/** Widths of the columns in px; the host has what is left. @type {Record<string, number>} */
const kWidths = {
  "cpu.u": 76, "cpu.s": 70, "memory.u": 66, "memory.s": 62, "memory.e": 46, "disk.u": 66, "disk.s": 70, "disk.e": 52, "network.u": 84, "network.s": 46,
  "network.e": 52, "tcp.s": 64, "tcp.p99": 62,
};
const kHostWidth = 150;
const kLastWidths = [62, 52, 116];  // lag, series, sparkline

/** The address of a host, with the range that is seen. @param {import("../app.js").App} app @param {string} host @param {string} [section] */
export function hostAddress(app, host, section = "") {
  const { from, until, live, tz } = app.route();
  const own = Object.assign(Object.create(null), section ? { o: [section] } : {});
  return formatFragment({ screen: "host", arg: host, from, until, live, tz, cmp: "", at: "", k: "", big: "", own });
}

/**
 * A value as its column shows it: with as many decimals in each row, so that digits stand below each other.
 * @param {number|null} value
 * @param {import("./hosts_model.js").Column} column
 */
function shownValue(value, column) {
  const { text, unit } = number(value, column.unit, { digits: 2 });
  if (value === null) return { shown: kNone, unit: "" };
  if (column.bar) return { shown: String(Math.round(value)), unit };
  if (value !== 0 && (column.unit === "percent" || column.unit === "per_second") && Math.abs(value) < 10) {
    return { shown: value >= 0.05 ? value.toFixed(1) : column.limit === "errors" ? "<0.1" : "0.0", unit };
  }
  return { shown: /^\d$/.test(text) && value !== 0 ? `${text}.0` : text, unit };
}

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 */
export function createHostTable(element, app) {
  const card = document.createElement("div");
  card.className = "card hosts-table";
  card.setAttribute("role", "table");
  card.setAttribute("aria-label", "Hosts");
  const head = document.createElement("div");
  const body = document.createElement("div");
  head.className = "hosts-head";
  head.setAttribute("role", "rowgroup");
  body.className = "hosts-rows";
  body.setAttribute("role", "rowgroup");
  card.append(head, body);
  element.append(card);

  /** @type {({label: string, size: number}|HostRow)[]} */
  let lines = [];
  let order = "worst";
  /** Indices of the columns that are shown. @type {number[]} */
  let shownColumns = [];
  const headPart = document.createElement("div");
  headPart.className = "hosts-head-inner";
  head.append(headPart);

  /** @param {HostRow} row @param {number} i */
  function cell(row, i) {
    const column = kColumns[i];
    const { value, grade } = row.cells[i];
    const { shown, unit } = shownValue(value, column);
    const isStrange = grade === "warn" || grade === "bad";
    const words = value === null ? `${column.title}: no value`
      : `${kGroupLabels[column.group]} ${column.title}: ${shown} ${unit}${isStrange ? `, ${grade}` : ""}`;
    return html`<a role="cell" tabindex="-1" class="cell ${column.id.replace(".", "-")} ${isStrange ? grade : value === null || value === 0 ? "none" : ""}"
      href=${hostAddress(app, row.host.host, column.group)} title=${words} aria-label=${words}>${isStrange
        ? html`<span class="sign" aria-hidden="true">${kGlyphs[grade]}</span>` : nothing}<span class="value num">${shown}</span><span
        class="unit">${value === null || value === 0 ? "" : unit}</span>${column.bar && value !== null
        ? html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width=${Math.max(0, Math.min(100, value)).toFixed(1)} height="1"></rect></svg>` : nothing}</a>`;
  }

  /** @param {HostRow} row */
  function away(row) {
    const { last_s: last, agent } = row.host;
    const since = last > 0 ? `for ${age(Math.max(0, app.clock.now() - last))}, since ${clock(last, app.zone())}` : "";
    return html`<a role="cell" class="away" tabindex="-1" href=${hostAddress(app, row.host.host)}>away ${since}${agent === null
      ? "" : agent.connected ? "; its agent is connected" : "; its agent keeps a spool until it is back"}</a>`;
  }

  /** @param {number} index */
  function line(index) {
    const one = lines[index];
    if (!("host" in one)) {
      return html`<div class="row group" role="row"><span role="cell"><b>${one.label}</b> <span class="muted num">${count(one.size)}</span></span></div>`;
    }
    const { host, lag } = one;
    const { text, unit } = number(lag.value, "s", { digits: 2 });
    const tags = Object.entries(host.tags).map(([key, value]) => `${key}=${value}`).join(" ");
    return html`<div class="row ${one.grade}" role="row">
      <a role="rowheader" class="cell host" href=${hostAddress(app, host.host)} title=${tags}>${glyph(one.grade)}${hostText(host.host)}</a>
      ${host.up ? shownColumns.map((i) => cell(one, i)) : away(one)}
      <span role="cell" class="cell lag ${lag.grade === "ok" ? "" : lag.grade || "none"}" title="how far the agent is behind">${lag.grade === "warn" || lag.grade === "bad"
        ? html`<span class="sign" aria-hidden="true">${kGlyphs[lag.grade]}</span>` : nothing}<span class="value num">${text}</span><span class="unit">${unit}</span></span>
      <span role="cell" class="cell series num muted" title="series">${count(host.series)}</span>
      <a role="cell" class="cell spark-cell" tabindex="-1" href=${hostAddress(app, host.host, "cpu")} title="CPU busy over the range"
        aria-label="CPU busy over the range">${spark(one.spark, { width: 104, height: 22, min: 0, max: 100, tone: one.cells[0].grade === "ok" ? "" : one.cells[0].grade })}</a>
    </div>`;
  }

  const list = createVirtualList({
    body, scroller: null, rowHeight: kRowHeight, row: line,
    key: (i) => {
      const one = lines[i];
      return "host" in one ? `h ${one.host.host}` : `g ${one.label}`;
    },
  });

  /** @param {string} id */
  function sortBy(id) {
    app.goOwn({ s: order === id ? `-${id}` : id });
  }

  /** @param {string} id @param {unknown} label @param {string} title @param {string} [more] */
  function heading(id, label, title, more = "") {
    const is = order.replace(/^-/, "") === id;
    const way = order.startsWith("-") === (id !== "name") ? "ascending" : "descending";
    return html`<span role="columnheader" class="cell ${more}" aria-sort=${is ? way : nothing}><button title="${title}: sort" class=${is ? "sorted" : ""}
      @click=${() => sortBy(id)}>${label}${is ? html`<i aria-hidden="true">${way === "ascending" ? "↑" : "↓"}</i>` : nothing}</button></span>`;
  }

  return {
    /** @param {HostGroup[]} groups @param {string} sort */
    update(groups, sort) {
      order = sort;
      const hidden = hiddenGroups(app.route());
      shownColumns = kColumns.flatMap((column, i) => hidden.has(column.group) ? [] : [i]);
      const widths = [...shownColumns.map((i) => kWidths[kColumns[i].id]), ...kLastWidths];
      card.style.setProperty("--columns", `minmax(${kHostWidth}px, 1fr) ${widths.map((width) => `${width}px`).join(" ")}`);
      card.style.setProperty("--width", `${widths.reduce((sum, width) => sum + width, kHostWidth + 20)}px`);
      lines = groups.flatMap((group) => group.label === "" ? group.rows : [{ label: group.label, size: group.rows.length }, ...group.rows]);
      const spans = Object.keys(kGroupLabels).filter((group) => !hidden.has(group))
        .map((group) => ({ group, size: group === "agent" ? 1 : kColumns.filter((one) => one.group === group).length }));
      draw(spans);
      list.update(lines.length);
    },
    /** Moves the focus to the next host. @param {number} step */
    move(step) {
      const links = /** @type {HTMLElement[]} */ ([...body.querySelectorAll("a.host")]).sort((a, b) =>
        a.getBoundingClientRect().top - b.getBoundingClientRect().top);
      const row = document.activeElement?.closest(".row");
      const at = links.findIndex((link) => link.closest(".row") === row);
      links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + step))]?.focus();
    },
    /** Moves the focus along the row that has it. @param {number} step @returns {boolean} false if none has it */
    along(step) {
      const row = document.activeElement?.closest(".hosts-rows .row");
      if (!row || !body.contains(row)) return false;
      const links = /** @type {HTMLElement[]} */ ([...row.querySelectorAll("a")]);
      const at = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
      links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
      return true;
    },
    destroy() {
      list.destroy();
      card.remove();
    },
  };

  /** @param {{group: string, size: number}[]} spans */
  function draw(spans) {
    const { from } = app.route();
    render(html`
      <div class="row groups" role="row" aria-hidden="true"><span class="cell host"></span>${spans.map(({ group, size }) => html`<span
        class="cell over size-${size} ${group}">${kGroupLabels[group]}</span>`)}<span class="cell series"></span><span class="cell spark-cell"></span></div>
      <div class="row letters" role="row">${heading("name", "host", "name of the host", "host")}
        ${shownColumns.map((i) => kColumns[i]).map((column) => heading(column.id, column.label, `${kGroupLabels[column.group]} ${column.title}`, column.id.replace(".", "-")))}
        ${heading("lag", "lag", "how far the agent is behind", "lag")}${heading("series", "series", "number of series", "series")}
        <span role="columnheader" class="cell spark-cell">CPU ${from.startsWith("-") ? `last ${spoken(from.slice(1))}` : "in the range"}</span></div>`, headPart);
  }
}
