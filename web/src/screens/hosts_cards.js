// Hosts on a phone: a card a host, with the worst of it in words.

import { html, nothing } from "lit-html";
import { age, kNone, text } from "../model/format.js";
import { glyph } from "../parts/badge.js";
import { hostText } from "../parts/name.js";
import { spark } from "../parts/spark.js";
import { createVirtualList } from "../parts/virtual_list.js";
import { kColumns, kGroupLabels } from "./hosts_model.js";
import { hostAddress } from "./hosts_table.js";

/** @typedef {import("./hosts_model.js").HostRow} HostRow */

const kRowHeight = 60;

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 */
export function createHostCards(element, app) {
  const body = document.createElement("div");
  body.className = "card hosts-cards";
  body.setAttribute("role", "list");
  element.append(body);
  /** @type {({label: string}|HostRow)[]} */
  let lines = [];

  /** @param {HostRow} row */
  function words(row) {
    if (!row.host.up) return html`<span class="bad">away for ${age(Math.max(0, app.clock.now() - row.host.last_s))}</span>`;
    if (row.worst >= 0) {
      const column = kColumns[row.worst];
      const cell = row.cells[row.worst];
      return html`<span class=${cell.grade}>${kGroupLabels[column.group]} ${column.short} <b class="num">${text(cell.value, column.unit, { digits: 3 })}</b></span>`;
    }
    const say = (/** @type {string} */ id) => {
      const { value } = row.cells[kColumns.findIndex((one) => one.id === id)];
      return value === null ? kNone : `${Math.round(value)} %`;
    };
    return html`<span class="muted">CPU ${say("cpu.u")} · mem ${say("memory.u")} · disk ${say("disk.u")}</span>`;
  }

  const list = createVirtualList({
    body, scroller: null, rowHeight: kRowHeight,
    key: (i) => { const one = lines[i]; return "host" in one ? one.host.host : `g ${one.label}`; },
    row: (i) => {
      const one = lines[i];
      if (!("host" in one)) return html`<div class="row group" role="listitem"><b>${one.label}</b></div>`;
      return html`<a class="row ${one.grade}" role="listitem" href=${hostAddress(app, one.host.host, one.worst >= 0 ? kColumns[one.worst].group : "")}>
        ${glyph(one.grade)}<span class="what">${hostText(one.host.host)}${words(one)}</span>
        ${one.spark.length > 0 ? spark(one.spark, { width: 72, height: 28, min: 0, max: 100 }) : nothing}</a>`;
    },
  });

  return {
    /** @param {{label: string, rows: HostRow[]}[]} groups */
    update(groups) {
      lines = groups.flatMap((group) => group.label === "" ? group.rows : [{ label: group.label }, ...group.rows]);
      list.update(lines.length);
    },
    destroy() {
      list.destroy();
      body.remove();
    },
  };
}
