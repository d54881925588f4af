// The search of the frame: hosts, series and commands. It follows the ARIA pattern of a combobox: the focus stays in the
// field, arrows move the chosen row.

import { html, nothing, render } from "lit-html";
import { unitsOfBytes } from "../data/names.js";
import { age, count } from "../model/format.js";
import { icon } from "./icon.js";
import { kindIcon } from "./badge.js";
import { hostText, nameText } from "./name.js";

/** @typedef {{label: string, words: string, key?: string, run: () => void}} Command */

/**
 * @typedef {object} Row
 * @property {string} group
 * @property {unknown} content
 * @property {(more: boolean) => void} run `more`: with Shift, beside what is there
 */

const kWaitMs = 60;  // between the last key and the request

/**
 * @param {HTMLElement} element
 * @param {object} needs
 * @param {import("../app.js").App} needs.app
 * @param {() => Command[]} needs.commands
 * @param {(name: string, kind: string, more: boolean) => void} needs.onSeries
 * @param {(host: string) => void} needs.onHost
 * @param {() => void} needs.onClose
 */
export function createSearchBox(element, { app, commands, onSeries, onHost, onClose }) {
  const search = app.names.searcher();
  let text = "";
  let isOpen = false;
  let chosen = 0;
  /** @type {Row[]} */
  let rows = [];
  let note = "";
  /** @type {number|undefined} */
  let timer;

  /** @returns {HTMLInputElement|null} */
  const input = () => element.querySelector("input");

  /** @param {string} query @returns {Row[]} */
  function commandRows(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return commands()
      .filter((command) => words.every((word) => `${command.label} ${command.words}`.toLowerCase().includes(word)))
      .map((command) => ({
        group: "Commands",
        content: html`<span class="kind">${icon("right", "kind")}</span><span class="name">${command.label}</span>
          ${command.key ? html`<kbd>${command.key}</kbd>` : nothing}`,
        run: () => command.run(),
      }));
  }

  /** @param {string} query @returns {Row[]} */
  function hostRows(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return app.hosts.known()
      .filter((host) => words.every((word) => host.host.toLowerCase().includes(word)))
      .slice(0, 5)
      .map((host) => ({
        group: "Hosts",
        content: html`<span class="kind">${icon("hosts", "kind")}</span>${hostText(host.host)}
          <span class="side">${Object.values(host.tags).join(" · ")}</span>`,
        run: () => onHost(host.host),
      }));
  }

  /** Lines with this text that were refused: why a series is not there. @param {any[]} lines @returns {Row[]} */
  function refusedRows(lines) {
    if (lines.length === 0) return [];
    return [{
      group: "Refused",
      content: html`<span class="glyph warn">▲</span><span class="name">${count(lines.length)} refused ${lines.length === 1 ? "line has" : "lines have"} this
        text: ${lines[0].reason}, from ${lines[0].from}</span>`,
      run: () => app.go({ screen: "status", arg: "refused" }),
    }];
  }

  async function ask() {
    const query = text.trim();
    if (query === "" || query.startsWith(">")) return;
    try {
      const found = await search(query, { limit: 20 });
      if (found === null || text.trim() !== query) return;
      const now = app.clock.now();
      rows = [
        ...hostRows(query),
        ...found.series.map((one) => ({
          group: "Series",
          content: html`${kindIcon(one.kind)}${nameText(one.name, unitsOfBytes(one.name, one.hits ?? []))}
            <span class="side num">${one.last_s ? `${age(Math.max(0, now - one.last_s))} ago` : ""}</span>`,
          run: (/** @type {boolean} */ more) => onSeries(one.name, one.kind, more),
        })),
        ...commandRows(query).slice(0, 3),
      ];
      rows.push(...refusedRows(found.refused ?? []));
      note = `${found.total_is === "at least" ? "at least " : ""}${count(found.total)} of ${count(app.server.get().status?.series)} series in ${Math.max(1, Math.round(found.ms))} ms`;
      chosen = 0;
    } catch (error) {
      note = error instanceof Error ? error.message : String(error);
    }
    draw();
  }

  function listen() {
    clearTimeout(timer);
    const query = text.trim();
    note = "";
    if (query.startsWith(">")) rows = commandRows(query.slice(1));
    else if (query === "") rows = [...hostRows(""), ...commandRows("")].slice(0, 14);
    else {
      rows = [...hostRows(query), ...rows.filter((row) => row.group === "Series")];
      timer = window.setTimeout(ask, kWaitMs);
    }
    chosen = 0;
    isOpen = true;
    draw();
  }

  /** @param {Row|undefined} row @param {boolean} more */
  function run(row, more) {
    if (row === undefined) return;
    close();
    row.run(more);
  }

  function close() {
    isOpen = false;
    text = "";
    rows = [];
    clearTimeout(timer);
    draw();
    input()?.blur();
    onClose();
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.key === "ArrowDown") chosen = Math.min(rows.length - 1, chosen + 1);
    else if (event.key === "ArrowUp") chosen = Math.max(0, chosen - 1);
    else if (event.key === "Enter") {
      // what was typed last may not be answered yet: then the text goes to Explore
      if (rows.length > 0) run(rows[chosen], event.shiftKey);
      else if (text.trim() !== "") {
        const q = text.trim();
        close();
        app.go({ screen: "explore", own: { q: [q] } });
      }
      event.preventDefault();
      return;
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
      return;
    } else return;
    event.preventDefault();
    draw();
    element.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  function list() {
    if (!isOpen) return nothing;
    let group = "";
    return html`<div class="results" role="listbox" id="results" aria-label="Found">
      ${rows.length === 0 && text.trim() !== "" && note !== ""
        ? html`<p class="empty-note">Nothing has this text.</p>` : nothing}
      ${rows.map((row, i) => {
        const heading = row.group === group ? nothing : html`<div class="heading" role="presentation">${row.group}</div>`;
        group = row.group;
        return html`${heading}<div class="result" role="option" id="result-${i}" aria-selected=${String(i === chosen)}
          @pointerdown=${(/** @type {Event} */ event) => event.preventDefault()}
          @click=${(/** @type {MouseEvent} */ event) => run(row, event.shiftKey)}>${row.content}</div>`;
      })}
      <div class="foot"><span>${note}</span><span class="muted"><kbd>↵</kbd> open <kbd>⇧↵</kbd> add a panel <kbd>&gt;</kbd> commands</span></div>
    </div>`;
  }

  function draw() {
    render(html`
      <label class="field sunken search" role="presentation">${icon("search")}
        <input type="search" placeholder="Search hosts and series" aria-label="Search hosts, series, commands"
          role="combobox" autocomplete="off" spellcheck="false" aria-controls="results" aria-expanded=${String(isOpen)}
          aria-activedescendant=${isOpen && rows.length > 0 ? `result-${chosen}` : ""} .value=${text}
          @input=${(/** @type {Event} */ event) => { text = /** @type {HTMLInputElement} */ (event.target).value; listen(); }}
          @focus=${listen} @keydown=${key}
          @blur=${() => { isOpen = false; draw(); onClose(); }}>
        ${isOpen ? nothing : html`<kbd aria-hidden="true">/</kbd>`}
      </label>${list()}`, element);
  }
  draw();

  return {
    focus(first = "") {
      text = first;
      const field = input();
      field?.focus();
      if (first !== "") listen();
    },
  };
}
