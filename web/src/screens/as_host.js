// "As on …": the panels of Explore with another host, or another part of the names, in all of their names.

import { html } from "lit-html";
import { count } from "../model/format.js";
import { literal } from "../model/use.js";
import { icon } from "../parts/icon.js";
import { openDialog } from "../parts/dialog.js";

/** @typedef {import("../panel/panel.js").PanelSpec} PanelSpec */
/** @typedef {{tag: string, value: string}} Part what can be replaced: the value of a tag, or, with an empty tag, a part of a path */

const kChoicesMax = 500;
const kStops = ";*?{}[]";

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** All names of a panel: series, globs as `g:…`, the expression. @param {PanelSpec} panel */
const textsOf = (panel) => [...(panel.series ?? []), ...(panel.expr ? [panel.expr] : [])];

/**
 * What the names of panels have in them: hosts first, then other tags, then parts of paths.
 * @param {PanelSpec[]} panels
 * @returns {Part[]}
 */
export function partsOf(panels) {
  /** @type {Map<string, Part>} */
  const found = new Map();
  const add = (/** @type {string} */ tag, /** @type {string} */ value) => {
    if (value !== "") found.set(`${tag}=${value}`, { tag, value });
  };
  for (const panel of panels) {
    if (panel.expr) for (const [, tag, value] of panel.expr.matchAll(/([A-Za-z_]\w*)\s*=~?\s*"([^"\\]+)"/g)) if (tag !== "__name__") add(tag, value);
    for (const name of panel.series ?? []) {
      const plain = name.replace(/^g:/, "");
      const end = plain.search(/[;{]/);
      for (const [, tag, value] of plain.matchAll(/(?:[;*}])([\w.-]+)=([^;*?{}[\]]+)/g)) add(tag, value);
      for (const part of plain.slice(0, end < 0 ? undefined : end).split(".")) if (!/[*?[\]]/.test(part)) add("", part);
    }
  }
  const rank = (/** @type {Part} */ part) => part.tag === "host" ? 0 : part.tag !== "" ? 1 : 2;
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}

/**
 * A name, glob or expression with another value for a part.
 * @param {string} text @param {Part} part @param {string} by
 */
export function withPart(text, { tag, value }, by) {
  const isExpression = text.includes("(") || text.includes("\"");
  const as = text.startsWith("g:") ? literal(by) : by;
  if (tag !== "") {
    const how = isExpression ? new RegExp(`(\\b${escaped(tag)}\\s*=~?\\s*")${escaped(value)}(?=")`, "g")
      : new RegExp(`([;*}]${escaped(tag)}=)${escaped(value)}(?=$|[${escaped(kStops)}])`, "g");
    return text.replace(how, (_, begin) => begin + as);
  }
  if (isExpression) return text.replace(new RegExp(`([."])${escaped(value)}(?=[."])`, "g"), (_, begin) => begin + as);
  const end = text.search(/[;{]/);
  const path = end < 0 ? text : text.slice(0, end);
  return path.replace(new RegExp(`(^g:|^|\\.)${escaped(value)}(?=$|\\.)`, "g"), (_, begin) => begin + as) + text.slice(path.length);
}

/** @param {PanelSpec} panel @param {Part} part @param {string} by @returns {PanelSpec} */
export function asOn(panel, part, by) {
  const next = { ...panel };
  if (panel.series) next.series = panel.series.map((name) => withPart(name, part, by));
  if (panel.expr) next.expr = withPart(panel.expr, part, by);
  if (panel.hidden) next.hidden = panel.hidden.map((name) => withPart(name, part, by));
  if (panel.title) next.title = panel.title.replaceAll(part.value, by);
  return next;
}

/**
 * @param {import("../app.js").App} app
 * @param {PanelSpec[]} panels
 * @param {(next: PanelSpec[], isMore: boolean) => void} done `isMore`: the panels stay, and these come after them
 */
export function openAsHost(app, panels, done) {
  const parts = partsOf(panels);
  let chosen = 0;
  let by = "";
  /** @type {string[]} */
  let choices = [];

  async function load() {
    const { tag, value } = parts[chosen];
    choices = [];
    dialog.update(body(), footer());
    try {
      if (tag !== "") choices = (await app.client.get(`/prometheus/api/v1/label/${encodeURIComponent(tag)}/values`, { limit: kChoicesMax })).data ?? [];
      else {
        const path = panels.flatMap((panel) => panel.series ?? []).map((name) => name.replace(/^g:/, "")).find((name) => `.${name}`.includes(`.${value}`)) ?? "";
        const before = path.split(/[;{]/, 1)[0].split(".");
        const prefix = before.slice(0, before.indexOf(value)).map((one) => `${one}.`).join("");
        choices = /[*?[]/.test(prefix) ? [] : (await app.names.tree(prefix)).children.map((/** @type {{part: string}} */ child) => child.part);
      }
    } catch {
      // any text can be typed
    }
    choices = choices.filter((one) => one !== value);
    dialog.update(body(), footer());
  }
  const next = () => panels.map((panel) => asOn(panel, parts[chosen], by.trim()));
  /** Names that would be others. */
  function changed() {
    const before = panels.flatMap(textsOf);
    const after = next().flatMap(textsOf);
    return { all: before.length, others: before.filter((text, i) => text !== after[i]).length };
  }
  /** @param {boolean} isMore */
  function finish(isMore) {
    if (by.trim() === "") return;
    dialog.close();
    done(next(), isMore);
  }
  function body() {
    const { all, others } = changed();
    return html`<form class="form" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); finish(false); }}>
      <label>Instead of<span class="select"><select @change=${(/** @type {Event} */ event) => { chosen = Number(/** @type {HTMLSelectElement} */ (event.target).value); void load(); }}>
        ${parts.map((part, i) => html`<option value=${i} ?selected=${i === chosen}>${part.tag === "" ? `${part.value} (part of the name)` : `${part.tag} ${part.value}`}</option>`)}</select>${icon("down")}</span></label>
      <label>Show<span class="field"><input autofocus list="as-host" autocomplete="off" spellcheck="false" .value=${by}
        @input=${(/** @type {Event} */ event) => { by = /** @type {HTMLInputElement} */ (event.target).value; dialog.update(body(), footer()); }}></span></label>
      <datalist id="as-host">${choices.map((one) => html`<option value=${one}></option>`)}</datalist>
      <p class="muted" role="status">${by.trim() === "" ? `${count(choices.length)} to choose from; type to find one.` : `${count(others)} of ${count(all)} names change.`}</p></form>`;
  }
  const footer = () => html`<button class="button" ?disabled=${by.trim() === ""} @click=${() => finish(true)}>Add next to these</button>
    <button class="button primary" ?disabled=${by.trim() === ""} @click=${() => finish(false)}>Show instead</button>`;
  if (parts.length === 0) {
    app.toast("These panels have no name with a host in it");
    return;
  }
  const dialog = openDialog({ title: "As on another host", body: body(), footer: footer() });
  void load();
}
