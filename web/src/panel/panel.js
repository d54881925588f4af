// One panel: its frame and controls around a plot, a heatmap or a table. A screen makes it with createPanel, asks
// panelQueries what to request for it, and passes the answers to update. The panel itself requests nothing.

import {html, nothing, render} from "lit-html";
import {Palette} from "../model/colors.js";
import {count, shortened, span, step as stepText, text, visible} from "../model/format.js";
import {nameOf, split} from "../model/labels.js";
import {changed} from "../model/range.js";
import {slotAt} from "../model/step.js";
import {kChoices, pathOf} from "../model/units.js";
import {dataTable} from "./data_table.js";
import {command, csv, curl, png} from "./export.js";
import {densities, selected, usedStops} from "./heatmap.js";
import {histogram} from "./histogram.js";
import {interact} from "./interact.js";
import {lane, placed} from "./lane.js";
import {chips, table} from "./legend.js";
import {percentiles, Plot} from "./plot.js";
import {kHeights, queriesOf, viewOf} from "./queries.js";
import {readout, sentence, spoken} from "./readout.js";
import {sceneOf} from "./scene.js";

/**
 * What a panel shows. Every field but `id` has a default, so that a URL or a dashboard keeps only what differs.
 * @typedef {object} PanelSpec
 * @property {string} id unique on the screen; ids of its queries begin with it
 * @property {string} [title] heading; by default the name of its series
 * @property {string[]} [series] names as they are stored, or globs as `g:GLOB`; globs stay globs, so new series join
 * @property {string} [expr] PromQL text in place of `series`
 * @property {View} [view] default: `heatmap` of one distribution, else `lines`
 * @property {string[]} [stats] of lines: the first one is drawn; default `avg`, of events and counters `rate`
 * @property {"mm"|"sd"|"off"} [band] min..max (default), one standard deviation, or none
 * @property {"lin"|"log"|"asinh"} [scale] of the values; default `lin`, of heatmaps `log`
 * @property {[number, number]} [limits] of the value axis in the unit of the samples; default: what is drawn
 * @property {string} [unit] a unit of model/units.js; default `auto`: the answer's, else the name's ending
 * @property {"S"|"M"|"L"|"XL"} [height] default `M`
 * @property {"none"|"1d"|"1w"} [compare] overlays the range one day or week before, by wall clock of the zone
 * @property {string[]} [hidden] names that the legend has switched off
 * @property {"max"|"avg"|"last"} [top] what chooses the 20 lines of many series; default `max`
 * @property {string[]} [order] labels of a stack from below; others follow
 * @property {string} [note] a sentence below the title, for example why there are no data
 */

/** @typedef {"lines"|"stack"|"heatmap"|"table"|"histogram"} View */

/**
 * The time that is shown, resolved to unix seconds by the server's clock.
 * @typedef {object} PanelRange
 * @property {number} from inclusive
 * @property {number} until exclusive
 * @property {number} now the server's time, to tell the slot that is still open
 * @property {string} zone IANA name, or `UTC`
 * @property {boolean} [live] the answer is refreshed each few seconds; live regions are then silent
 */

/**
 * One query of a batch, as POST /api/v1/query takes it. Relative times are the batch's own.
 * @typedef {object} BatchQuery
 * @property {string} id
 * @property {"series"|"heatmap"} kind
 * @property {string[]} [series]
 * @property {string} [expr]
 * @property {string[]} [stats] absent for expressions that have one value
 * @property {number} [step] in place of max_points
 * @property {number} [from] only if it differs from the range, as for a comparison
 * @property {number} [until]
 * @property {number} max_points
 * @property {number} [grouping]
 */

/**
 * One answer of the batch; `status` is 200, or `error` says why not.
 * @typedef {object} Answer
 * @property {string} id
 * @property {number} status
 * @property {string} [error]
 * @property {number} [from]
 * @property {number} [until]
 * @property {number} [step]
 * @property {number|null} [tier]
 * @property {[number, number]} [covers]
 * @property {any[]} [series]
 * @property {number[][]} [buckets] of heatmaps
 * @property {number[][]} [counts] of heatmaps
 * @property {string[]} [missing]
 * @property {string[]} [warnings]
 * @property {string[]} [infos]
 */

/** Answers by the id of their query. @typedef {Record<string, Answer>} Answers */

/**
 * An event or a loss on the time axis. `kind` `loss` is drawn as a triangle, others as a diamond.
 * @typedef {object} Mark
 * @property {"loss"|"event"} kind
 * @property {number} time
 * @property {number|null} [until]
 * @property {string} title one line of text
 */

/**
 * What panels need of the screen around them; all panels of a screen share one.
 * @typedef {object} PanelHost
 * @property {() => number|null} crosshair time in unix seconds
 * @property {(time: number|null) => void} setCrosshair
 * @property {() => number|null} pinned where a click or a key has fixed the crosshair
 * @property {(time: number|null) => void} pin
 * @property {(heard: (time: number|null) => void) => (() => void)} onCrosshair returns what ends it
 * @property {(from: number, until: number, done: boolean) => void} setRange `done` is false while a move goes on
 * @property {(heard: (from: number, until: number) => void) => (() => void)} onRange a move of any panel; returns what ends it
 * @property {() => void} back the range before
 * @property {(id: string, change: Partial<PanelSpec>) => void} change the user has changed the panel
 * @property {(id: string, action: PanelAction, detail?: any) => void} act what only the screen can do
 * @property {(anchor: Element, items: MenuItem[]) => void} menu opens a menu at the anchor
 */

/**
 * `changes` has {from, until}, `save` {name, type, content: string|Blob}, `copy` a text.
 * @typedef {"open"|"close"|"link"|"fixed-link"|"dashboard"|"duplicate"|"up"|"down"|"left"|"right"|"remove"|"changes"|"save"|"copy"|"retry"} PanelAction
 */

/** @typedef {{label: string, key?: string, checked?: boolean, separator?: boolean, run?: () => void}} MenuItem */

/**
 * @typedef {object} Panel
 * @property {(range: PanelRange, width?: number) => BatchQuery[]} queries what it asks now, with what answers have told; those of
 *   the first time are panelQueries'
 * @property {(spec: PanelSpec, range: PanelRange, answers: Answers|null, marks?: Mark[]) => void} update draws; null keeps the
 *   picture, dimmed, while a request runs
 * @property {(key: string, event?: KeyboardEvent) => boolean} key acts on a key of the keyboard map; false if it is not a panel's
 * @property {() => void} focus
 * @property {() => void} destroy gives its plot back to the pool
 */

/**
 * The queries that a panel of this width needs, all of one batch, before it has had an answer.
 * @param {PanelSpec} spec
 * @param {PanelRange} range
 * @param {number} width of the panel in CSS px
 * @returns {BatchQuery[]}
 */
export function panelQueries(spec, range, width) {
  return queriesOf(spec, range, width, {kinds: new Set(), hosts: [], series: 0, gaps: false, powers: 0});
}

/**
 * @param {HTMLElement} element is filled by the panel, and empty after destroy
 * @param {{host: PanelHost, pool: import("./pool.js").PlotPool, palette?: Palette}} needs a palette that panels share gives a
 *   name the same colour in all of them
 * @returns {Panel}
 */
export function createPanel(element, needs) {
  return new PanelView(element, needs);
}

let panels = 0;
const kSpokenApart = 1000;

/** @implements {Panel} */
class PanelView {
  #element;
  #host;
  #pool;
  #palette;
  #id = `panel-${++panels}`;
  /** @type {PanelSpec} */
  #spec = {id: ""};
  /** @type {PanelRange} */
  #range = {from: 0, until: 1, now: 0, zone: "UTC"};
  /** @type {Answers} */
  #answers = {};
  /** @type {Mark[]} */
  #marks = [];
  /** @type {import("./scene.js").Scene|null} */
  #scene = null;
  /** @type {import("./queries.js").Learnt} */
  #learnt = {kinds: new Set(), hosts: [], series: 0, gaps: false, powers: 0};
  #loading = false;
  #visible = false;
  /** The line that the readout is of. @type {string|null} */
  #focused = null;
  /** Where the pointer is. @type {{left: number, top: number}|null} */
  #pointer = null;
  #sort = {column: "", down: true};
  #top = 0;
  /** @type {ReturnType<typeof selected>|null} */
  #selection = null;
  /** One end of a selection by keys. @type {number|null} */
  #mark = null;
  #said = 0;
  #frame = 0;
  /** @type {(() => void)[]} */
  #ends = [];
  #head = document.createElement("header");
  #body = document.createElement("div");
  #target = document.createElement("div");
  #cross = document.createElement("div");
  #over = document.createElement("div");
  #foot = document.createElement("div");
  #live = document.createElement("p");
  #picture = document.createElement("img");
  #plot;
  #resize;

  /** @param {HTMLElement} element @param {{host: PanelHost, pool: import("./pool.js").PlotPool, palette?: Palette}} needs */
  constructor(element, {host, pool, palette}) {
    this.#element = element;
    this.#host = host;
    this.#pool = pool;
    this.#palette = palette ?? new Palette();
    this.#head.className = "panel-head";
    this.#body.className = "panel-body";
    this.#target.className = "panel-plot";
    this.#cross.className = "panel-cross";
    this.#over.className = "panel-over";
    this.#foot.className = "panel-foot";
    this.#live.className = "visually-hidden";
    this.#live.setAttribute("aria-live", "polite");
    this.#picture.className = "panel-picture";
    this.#picture.alt = "";
    this.#picture.hidden = true;
    this.#body.tabIndex = 0;
    this.#body.setAttribute("role", "img");
    this.#body.append(this.#target, this.#picture, this.#cross);
    element.classList.add("panel");
    element.setAttribute("role", "region");
    element.setAttribute("aria-labelledby", this.#id);
    element.append(this.#head, this.#body, this.#over, this.#foot, this.#live);
    const owner = {
      seen: (/** @type {boolean} */ isVisible) => this.#seen(isVisible), evicted: () => this.#evicted(), restyled: () => this.#restyled(),
    };
    this.#plot = new Plot(pool, owner, this.#target);
    pool.watch(element, owner);
    this.#resize = new ResizeObserver(() => this.#draw());
    this.#resize.observe(this.#target);
    this.#ends.push(
      host.onCrosshair(() => this.#drawCrosshair()), host.onRange((from, until) => this.#moved(from, until)), interact(this.#body, this.#moves()),
      () => this.#resize.disconnect(), () => pool.unwatch(element));
    this.#body.addEventListener("keydown", (event) => {
      if (event.altKey || event.metaKey || event.ctrlKey || !/^(Arrow|Home|End|Enter|Escape|[[\]+-])/.test(event.key)) return;
      if (!this.key(event.key, event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** @param {PanelRange} range @param {number} [width] */
  queries(range, width = this.#element.clientWidth) {
    return queriesOf(this.#spec, range, width, this.#learnt);
  }

  /** @param {PanelSpec} spec @param {PanelRange} range @param {Answers|null} answers @param {Mark[]} [marks] */
  update(spec, range, answers, marks) {
    if (spec.series?.join() !== this.#spec.series?.join() || spec.expr !== this.#spec.expr) {
      this.#learnt = {kinds: new Set(), hosts: [], series: 0, gaps: false, powers: 0};
      this.#answers = {};
      this.#selection = null;
    }
    this.#spec = spec;
    this.#range = range;
    if (marks) this.#marks = marks;
    this.#loading = answers === null;
    if (answers) {
      this.#answers = {...this.#answers, ...answers};
      const main = answers[spec.id];
      if (main && main.status < 400) this.#learn(main);
    }
    if (answers || this.#scene) this.#scene = sceneOf(spec, range, this.#answers, this.#palette, this.#marks) ?? (answers ? null : this.#scene);
    if (this.#scene) this.#learnt.gaps = this.#scene.gaps.length > 0;
    this.#draw();
  }

  /** @param {Answer} answer */
  #learn(answer) {
    const all = answer.series ?? [];
    const names = all.map((series) => typeof series === "string" ? series : nameOf(series));
    this.#learnt.series = all.length;
    this.#learnt.kinds = new Set(answer.counts ? ["distribution"] : all.map((series) => series.kind ?? "value"));
    this.#learnt.hosts = [...new Set(names.map((name) => split(name).tags.get("host") ?? ""))].filter((host) => host);
    if (answer.buckets?.length) {
      const edges = answer.buckets.filter(([low]) => low > 0);
      if (edges.length) this.#learnt.powers = Math.max(1, Math.log2(edges[edges.length - 1][1] / edges[0][0]));
    }
  }

  focus() {
    this.#body.focus();
  }

  destroy() {
    for (const end of this.#ends) end();
    cancelAnimationFrame(this.#frame);
    this.#forgetPicture();
    this.#plot.destroy();
    this.#element.replaceChildren();
    this.#element.classList.remove("panel");
  }

  /** @param {boolean} isVisible */
  #seen(isVisible) {
    this.#visible = isVisible;
    if (isVisible) this.#draw();
  }

  /** The plot goes to another panel; its last picture stays. */
  #evicted() {
    const canvas = this.#plot.canvas;
    this.#plot.forget();
    this.#target.replaceChildren();
    if (!canvas) return;
    this.#picture.width = this.#target.clientWidth;
    canvas.toBlob((blob) => {
      if (!blob || this.#plot.canvas) return;
      this.#forgetPicture();
      this.#picture.src = URL.createObjectURL(blob);
      this.#picture.hidden = false;
    });
  }

  #forgetPicture() {
    if (this.#picture.src) URL.revokeObjectURL(this.#picture.src);
    this.#picture.removeAttribute("src");
    this.#picture.hidden = true;
  }

  #restyled() {
    if (this.#plot.canvas) this.#plot.redraw();
    this.#drawCrosshair();
  }

  /** @param {number} from @param {number} until */
  #moved(from, until) {
    if (!this.#scene || !this.#plot.canvas) return;
    this.#plot.move(from, until);
    this.#drawCrosshair();
    this.#drawFoot();
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    const scene = this.#scene;
    const view = this.#view();
    const isTable = this.#spec.view === "table";
    this.#element.classList.toggle("loading", this.#loading);
    this.#element.dataset.height = this.#spec.height ?? "M";
    this.#element.dataset.view = view;
    this.#body.hidden = isTable;
    this.#drawHead();
    if (scene && !isTable) {
      const width = this.#target.clientWidth;
      const height = kHeights[this.#spec.height ?? "M"] ?? kHeights.M;
      if (this.#visible && width > 60) {
        this.#forgetPicture();
        this.#plot.show(scene, {from: this.#range.from, until: this.#range.until}, {width, height});
      }
      this.#body.setAttribute("aria-label", sentence(this.#title(), scene));
    } else if (!isTable) {
      this.#plot.destroy();
      this.#body.setAttribute("aria-label", this.#title());
    }
    this.#drawOver();
    this.#drawCrosshair();
  }

  #view() {
    return this.#spec.view === "table" ? "table" : viewOf(this.#spec, this.#learnt);
  }

  #title() {
    if (this.#spec.title) return this.#spec.title;
    const names = this.#scene?.lines.map((line) => line.name) ?? [];
    if (names.length === 1) return visible(names[0]);
    const paths = new Set(names.map(pathOf));
    if (paths.size === 1) return visible([...paths][0]);
    return visible(this.#spec.expr ?? this.#spec.series?.join(", ") ?? this.#spec.id);
  }

  /** Step, samples a point, tier, and what is missing. */
  #badges() {
    const scene = this.#scene;
    if (!scene) return [];
    /** @type {{text: string, title: string, tone: string}[]} */
    const badges = [];
    const samples = scene.samples > 0 ? ` × ${text(scene.samples, "none", {digits: 3})}` : "";
    const isRate = scene.lines.some((line) => line.kind === "event" || line.kind === "counter");
    badges.push({
      text: stepText(scene.step) + (isRate ? "" : samples), tone: "",
      title: `A point is ${stepText(scene.step)}${samples && !isRate ? `, of ${count(scene.samples)} samples (median)` : ""}; read from slots of ${scene.tier ? stepText(scene.tier) : "?"}`,
    });
    if (scene.tier && scene.tier > 10 && scene.tier !== scene.step) badges.push({text: `tier ${stepText(scene.tier)}`, title: "The stored slots that were read", tone: ""});
    if (this.#range.live) badges.push({text: "live", title: "The open slot is refreshed as samples come", tone: "ok"});
    const width = Math.max(0, ...(this.#answers[this.#spec.id]?.series ?? []).map((/** @type {any} */ series) => Number(series?.width) || 0));
    const isPercentile = scene.heat || scene.lines.some((line) => /^p\d/.test(line.stat));
    if (isPercentile) badges.push({text: `± ${text(width ? width * 100 : 1.6, "percent", {digits: 3})}`, title: "How near percentiles are to a sample", tone: ""});
    if (scene.warnings.length) badges.push({text: "joined", title: scene.warnings.map(visible).join("\n"), tone: "warn"});
    if (scene.missing.length) badges.push({text: "partly", title: `Not there: ${scene.missing.map(visible).join(", ")}`, tone: "warn"});
    return badges;
  }

  #drawHead() {
    const title = this.#title();
    const isBig = this.#spec.height === "XL";
    render(html`
      <h3 id=${this.#id} title=${title}><bdi>${this.#spec.title ? visible(title) : shortened(title, 64)}</bdi></h3>
      <p class="panel-badges num">${this.#badges().map((badge) => html`<span class="badge ${badge.tone}" title=${badge.title}>${badge.text}</span>`)}</p>
      <div class="panel-tools">
        <button type="button" class="tool" aria-label="${isBig ? "Close" : "Open large"}: ${title}" title="${isBig ? "Close (Esc)" : "Open large (Enter)"}"
          @click=${() => this.#host.act(this.#spec.id, isBig ? "close" : "open")}>${isBig ? "✕" : "⤢"}</button>
        <button type="button" class="tool" aria-haspopup="menu" aria-label="Menu of ${title}" title="Menu"
          @click=${(/** @type {Event} */ event) => this.#host.menu(/** @type {Element} */ (event.currentTarget), this.#menu())}>⋯</button>
      </div>`, this.#head);
  }

  /** What stands in place of a plot, and the table. */
  #drawOver() {
    const answer = this.#answers[this.#spec.id];
    const scene = this.#scene;
    const isEmpty = scene && scene.lines.every((line) => line.all.count === 0) && !scene.rest;
    let state;
    if (answer && answer.status >= 400 && !this.#loading) {
      state = html`<div class="panel-state bad" role="alert"><p>✕ ${visible(answer.error ?? "The server refused this.")}</p>
        <button type="button" class="button" @click=${() => this.#host.act(this.#spec.id, "retry")}>again</button></div>`;
    } else if (!scene) state = this.#loading ? html`<div class="panel-state first" aria-hidden="true"></div>` : this.#empty();
    else if (isEmpty || scene.lines.length === 0) state = this.#empty();
    else if (this.#spec.view === "table") state = dataTable(scene, this.#title(), {top: this.#top, scrolled: (top) => { this.#top = top; this.#drawOver(); }});
    else state = nothing;
    this.#body.classList.toggle("empty", state !== nothing);
    render(state, this.#over);
  }

  #empty() {
    const missing = this.#scene?.missing.length || !this.#scene?.lines.length;
    const words = this.#spec.note ?? (missing ? "no such series yet" : `no samples ${span(this.#range.from, this.#range.until, this.#range.zone)}`);
    return html`<div class="panel-state"><p>${visible(words)}</p></div>`;
  }

  /** The line that the readout is of: that under the pointer, else the one with focus, else the first. */
  #line() {
    const scene = this.#scene;
    if (!scene) return undefined;
    const shown = scene.lines.filter((line) => !line.hidden);
    const time = this.#host.crosshair();
    if (this.#pointer && time !== null && shown.length > 1 && scene.view !== "stack") {
      const slot = slotAt(scene, time);
      let best;
      let least = Infinity;
      for (const line of shown) {
        const value = line.values[slot];
        const y = value === null || value === undefined ? null : this.#plot.y(value);
        const distance = y === null ? Infinity : Math.abs(y - this.#pointer.top);
        if (distance < least) {
          least = distance;
          best = line;
        }
      }
      if (best) return best;
    }
    return shown.find((line) => line.name === this.#focused) ?? shown[0] ?? scene.rest ?? undefined;
  }

  #drawCrosshair() {
    const scene = this.#scene;
    const time = this.#host.crosshair();
    const box = this.#plot.box;
    const view = this.#plot.view;
    const isShown = scene !== null && time !== null && time >= view.from && time < view.until && this.#spec.view !== "table";
    this.#cross.hidden = !isShown;
    if (scene && isShown && time !== null) {
      const slot = slotAt(scene, time);
      const from = Math.max(0, this.#plot.x(scene.from + slot * scene.step));
      const until = Math.min(box.width, this.#plot.x(scene.from + (slot + 1) * scene.step));
      const inside = time >= scene.from && time < scene.until;
      const middle = inside ? (from + until) / 2 : this.#plot.x(time);
      const marks = scene.heat ? percentiles(scene).map(({stat}) => ({value: /** @type {any} */ (scene.lines[0].columns)[stat][slot], paint: 0}))
        : scene.view === "stack" ? [] : scene.lines.filter((line) => !line.hidden).map((line) => ({value: line.values[slot], paint: line.paint.index}));
      const style = this.#cross.style;
      style.left = `${box.left}px`;
      style.top = `${box.top}px`;
      style.width = `${box.width}px`;
      style.height = `${box.height}px`;
      const pieces = [part("cross-slot", {left: from, width: Math.max(0, until - from)}), part("cross-line", {left: Math.round(middle)})];
      if (this.#host.pinned() === time) pieces[1].classList.add("pinned");
      for (const {value, paint} of inside ? marks : []) {
        const y = value === null || value === undefined ? null : this.#plot.y(value);
        if (y !== null && y >= 0 && y <= box.height) pieces.push(part(`cross-dot paint-${paint}`, {left: Math.round(middle), top: Math.round(y)}));
      }
      const selecting = this.#cross.querySelector(".cross-select");
      if (selecting) pieces.push(/** @type {HTMLDivElement} */ (selecting));
      if (this.#mark !== null) {
        const start = this.#plot.x(this.#mark);
        pieces.push(part("cross-select", {left: Math.min(start, middle), width: Math.abs(middle - start)}));
      }
      this.#cross.replaceChildren(...pieces);
    }
    this.#drawFoot();
  }

  #drawFoot() {
    const scene = this.#scene;
    if (!scene || scene.lines.length === 0) {
      render(nothing, this.#foot);
      return;
    }
    const time = this.#host.crosshair();
    const line = this.#line();
    const isLarge = this.#spec.height === "L" || this.#spec.height === "XL";
    const value = this.#pointer && scene.heat && this.#plot.canvas ? this.#plot.valueAt(this.#pointer.top) : null;
    const box = this.#plot.box;
    const marks = placed(this.#marks, (at) => this.#plot.x(at), box.width);
    const acts = {
      toggle: (/** @type {string} */ name) => this.#toggle(name), alone: (/** @type {string} */ name) => this.#alone(name),
      emphasize: (/** @type {string|null} */ name) => { this.#focused = name ?? this.#focused; this.#plot.emphasize(name); },
      sort: (/** @type {string} */ column) => {
        this.#sort = {column, down: this.#sort.column === column ? !this.#sort.down : column !== "name"};
        this.#drawFoot();
      },
    };
    const many = scene.lines.length > 1 || scene.rest || scene.before.length;
    let legend;
    if (scene.heat) legend = this.#scaleOfTints(scene);
    else if (isLarge) legend = table(scene, time, acts, this.#sort, this.#title());
    else legend = many ? chips(scene, time, acts) : nothing;
    render(html`${lane(marks, box.left, scene.zone, (mark) => this.#host.pin(mark.time))}
      ${this.#spec.height === "XL" ? this.#controls() : nothing}
      ${readout(scene, time, line, value)}${legend}
      ${this.#selection ? histogram(this.#selection, scene, {close: () => { this.#selection = null; this.#drawFoot(); },
        changes: () => this.#host.act(this.#spec.id, "changes", {from: this.#selection?.from, until: this.#selection?.until})}) : nothing}`, this.#foot);
  }

  /** What tints and lines of a heatmap mean. @param {import("./scene.js").Scene} scene */
  #scaleOfTints(scene) {
    const {most} = densities(scene);
    void most;
    const stops = usedStops(this.#pool.colors().heat);
    const largest = scene.heat?.largest ?? 0;
    return html`<p class="panel-tints num"><span>1</span><span class="ramp" aria-hidden="true">${stops.map((_, i) => html`<i class="heat-${i + 2}"></i>`)}</span><span>${text(largest, "none", {digits: 3})} samples in a cell</span>
      ${percentiles(scene).map(({stat}) => html`<span class="line-key"><i class="key-${stat.replace(".", "")}" aria-hidden="true"></i>${stat}</span>`)}</p>`;
  }

  /** The row of controls below a large panel. */
  #controls() {
    const spec = this.#spec;
    const view = this.#view();
    /** @param {string} name @param {string} key @param {string} value @param {[string, string][]} choices @param {(value: any) => void} chosen */
    const choice = (name, key, value, choices, chosen) => html`<label class="control"><span>${name}${key ? html` <kbd>${key}</kbd>` : nothing}</span>
      <select @change=${(/** @type {Event} */ event) => chosen(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
      ${choices.map(([id, label]) => html`<option value=${id} ?selected=${id === value}>${label}</option>`)}</select></label>`;
    const isDistribution = this.#learnt.kinds.has("distribution");
    return html`<div class="panel-controls" role="group" aria-label="Controls of ${this.#title()}">
      ${choice("band", "b", spec.band ?? "mm", [["mm", "min..max"], ["sd", "± sd"], ["off", "off"]], (band) => this.#change({band}))}
      ${choice("scale", "l", spec.scale ?? (view === "heatmap" ? "log" : "lin"), [["lin", "linear"], ["log", "log"], ["asinh", "asinh"]], (scale) => this.#change({scale}))}
      ${choice("view", "v", view, [["lines", "lines"], ["stack", "stack"], ...(isDistribution ? /** @type {[string, string][]} */ ([["heatmap", "heatmap"]]) : []), ["table", "table"]], (chosen) => this.#change({view: chosen}))}
      ${choice("unit", "", spec.unit ?? "auto", kChoices.map(({id, label}) => /** @type {[string, string]} */ ([id, label])), (unit) => this.#change({unit}))}
      ${choice("compare", "w", spec.compare ?? "none", [["none", "nothing"], ["1d", "a day before"], ["1w", "a week before"]], (compare) => this.#change({compare}))}
      ${this.#learnt.series > 20 ? choice("top 20 by", "", spec.top ?? "max", [["max", "max"], ["avg", "avg"], ["last", "last"]], (top) => this.#change({top})) : nothing}</div>`;
  }

  /** @param {Partial<PanelSpec>} change */
  #change(change) {
    this.#host.change(this.#spec.id, change);
  }

  /** @param {string} name */
  #toggle(name) {
    const hidden = new Set(this.#spec.hidden ?? []);
    if (!hidden.delete(name)) hidden.add(name);
    this.#change({hidden: [...hidden]});
  }

  /** Only this line; once more, all. @param {string} name */
  #alone(name) {
    const others = [...new Set((this.#scene?.lines ?? []).map((line) => line.name))].filter((other) => other !== name);
    const isAlone = others.length > 0 && others.every((other) => (this.#spec.hidden ?? []).includes(other));
    this.#change({hidden: isAlone ? [] : others});
  }

  /** @returns {MenuItem[]} */
  #menu() {
    const spec = this.#spec;
    const id = spec.id;
    const scene = this.#scene;
    const view = this.#view();
    /** @param {PanelAction} action @param {any} [detail] */
    const act = (action, detail) => () => this.#host.act(id, action, detail);
    const file = this.#title().replace(/[^\w.-]+/g, "_").slice(0, 80) || "panel";
    /** @type {MenuItem[]} */
    const items = [
      {label: "Open large", key: "Enter", run: act("open")},
      {label: "Table", key: "T", checked: spec.view === "table", run: () => this.#change({view: spec.view === "table" ? undefined : "table"})},
      {label: "Stack", key: "v", checked: view === "stack", run: () => this.#change({view: view === "stack" ? "lines" : "stack"})},
    ];
    if (this.#learnt.kinds.has("distribution")) {
      items.push({label: "Heatmap", key: "v", checked: view === "heatmap", run: () => this.#change({view: view === "heatmap" ? "lines" : "heatmap"})});
    }
    items.push({label: "", separator: true}, {label: "Band min..max", key: "b", checked: (spec.band ?? "mm") === "mm", run: () => this.#change({band: "mm"})},
      {label: "Band ± sd", key: "b", checked: spec.band === "sd", run: () => this.#change({band: "sd"})},
      {label: "No band", key: "b", checked: spec.band === "off", run: () => this.#change({band: "off"})},
      {label: "Logarithmic scale", key: "l", checked: scene?.scale === "log", run: () => this.#change({scale: scene?.scale === "log" ? "lin" : "log"})},
      {label: "Compare with a day before", key: "w", checked: spec.compare === "1d", run: () => this.#change({compare: spec.compare === "1d" ? "none" : "1d"})},
      {label: "Compare with a week before", key: "w", checked: spec.compare === "1w", run: () => this.#change({compare: spec.compare === "1w" ? "none" : "1w"})},
      {label: "", separator: true});
    if (scene) {
      items.push({label: "Save as CSV", run: act("save", {name: `${file}.csv`, type: "text/csv", content: csv(scene)})}, {label: "Save as PNG", run: () => void this.#savePng(file)},
        {label: "Save as JSON", run: act("save", {name: `${file}.json`, type: "application/json", content: JSON.stringify(this.#answers[id], null, 1)})});
    }
    const query = this.queries(this.#range)[0];
    items.push({label: "Copy as curl", run: act("copy", curl(query, this.#range, location.origin))},
      {label: "Copy as statmill query", run: act("copy", command(query, this.#range, location.origin))},
      {label: "Copy link, moving", key: "y", run: act("link")}, {label: "Copy link, fixed times", key: "Y", run: act("fixed-link")},
      {label: "What changed here", key: "x", run: act("changes", {from: this.#range.from, until: this.#range.until})},
      {label: "", separator: true}, {label: "Add to a dashboard", run: act("dashboard")}, {label: "Duplicate", run: act("duplicate")},
      {label: "Move up", run: act("up")}, {label: "Move down", run: act("down")}, {label: "Remove", run: act("remove")});
    return items;
  }

  /** @param {string} file */
  async #savePng(file) {
    const canvas = this.#plot.canvas;
    const scene = this.#scene;
    if (!canvas || !scene) return;
    const colors = this.#pool.colors();
    const legend = scene.heat ? [] : scene.lines.filter((line) => !line.hidden).map((line) => ({label: line.label, color: colors.series[line.paint.index - 1] ?? colors.edge}));
    const words = {title: this.#title(), range: span(scene.from, scene.until, scene.zone), badge: this.#badges().map((badge) => badge.text).join("   "), legend: legend.length > 1 ? legend : []};
    const content = await png(canvas, words, colors);
    if (content) this.#host.act(this.#spec.id, "save", {name: `${file}.png`, type: "image/png", content});
  }

  /** @returns {import("./interact.js").Moves} */
  #moves() {
    const panel = this;
    return {
      box: () => this.#plot.box,
      get boxes() { return panel.#scene?.heat !== null && panel.#scene !== null; },
      hover: (left, top) => {
        this.#pointer = left === null || top === null ? null : {left, top};
        this.#host.setCrosshair(left === null || !this.#plot.canvas ? null : this.#plot.timeAt(left));
        // The same slot at another height: the crosshair stays, the cell and the nearest line change.
        this.#drawFoot();
      },
      pin: (left) => {
        const time = this.#plot.timeAt(left);
        const pinned = this.#host.pinned();
        const near = pinned !== null && this.#scene && Math.abs(this.#plot.x(pinned) - left) < 4;
        this.#host.pin(near ? null : time);
        this.#body.focus({preventScroll: true});
      },
      selecting: (selection) => this.#drawSelection(selection),
      selected: ({left, right, top, bottom}) => {
        const from = this.#plot.timeAt(left);
        const until = this.#plot.timeAt(right);
        if (top !== null && bottom !== null && this.#scene) {
          this.#selection = selected(this.#scene, {from, until, low: this.#plot.valueAt(bottom), high: this.#plot.valueAt(top)});
          this.#drawFoot();
        } else this.#zoom(from, until);
      },
      move: (scale, at, shift, done) => {
        const {from, until} = this.#plot.view;
        const middle = this.#plot.timeAt(at);
        const next = changed({from, until}, {scale, at: middle});
        const moved = shift / Math.max(1, this.#plot.box.width) * (next.until - next.from);
        this.#host.setRange(next.from - moved, next.until - moved, done);
      },
      values: (top, bottom) => this.#change({limits: top === bottom ? undefined : [this.#plot.valueAt(bottom), this.#plot.valueAt(top)]}),
      back: () => this.#host.back(),
    };
  }

  /** To whole slots, and never to less than three of the finest. @param {number} from @param {number} until */
  #zoom(from, until) {
    const least = 10;
    const middle = (from + until) / 2;
    const half = Math.max(until - from, least) / 2;
    this.#host.setRange(Math.floor(middle - half), Math.ceil(middle + half), true);
  }

  /** @param {{left: number, right: number, top: number|null, bottom: number|null}|null} selection */
  #drawSelection(selection) {
    this.#cross.querySelector(".cross-select")?.remove();
    if (!selection) return;
    const {left, right, top, bottom} = selection;
    this.#cross.hidden = false;
    this.#cross.append(part("cross-select", {left, width: right - left, ...(top !== null && bottom !== null ? {top, height: bottom - top} : {})}));
  }

  /** @param {string} key @param {KeyboardEvent} [event] */
  key(key, event) {
    const scene = this.#scene;
    const shift = event?.shiftKey ?? false;
    const {from, until} = this.#range;
    const length = until - from;
    /** @type {Record<string, () => void>} */
    const acts = {
      b: () => this.#change({band: /** @type {any} */ ({mm: "sd", sd: "off", off: "mm"}[this.#spec.band ?? "mm"])}),
      l: () => this.#change({scale: /** @type {any} */ ({lin: "log", log: "asinh", asinh: "lin"}[scene?.scale ?? "lin"])}),
      v: () => {
        const views = ["lines", "stack", ...(this.#learnt.kinds.has("distribution") && !this.#spec.expr ? ["heatmap"] : []), "table"];
        this.#change({view: /** @type {any} */ (views[(views.indexOf(this.#view()) + 1) % views.length])});
      },
      T: () => this.#change({view: this.#spec.view === "table" ? undefined : "table"}),
      w: () => this.#change({compare: /** @type {any} */ ({none: "1d", "1d": "1w", "1w": "none"}[this.#spec.compare ?? "none"])}),
      x: () => this.#host.act(this.#spec.id, "changes", {from, until}),
      ArrowLeft: () => this.#step(shift ? -10 : -1), ArrowRight: () => this.#step(shift ? 10 : 1),
      Home: () => this.#pinSlot(0), End: () => this.#pinSlot(Infinity),
      ArrowUp: () => this.#focusLine(-1), ArrowDown: () => this.#focusLine(1),
      "[": () => this.#select(), "]": () => this.#select(),
      "+": () => this.#zoomBy(0.5), "-": () => this.#zoomBy(2),
      a: () => this.#host.setRange(from - length / 2, until - length / 2, true), d: () => this.#host.setRange(from + length / 2, until + length / 2, true),
      0: () => this.#host.back(),
      Enter: () => this.#enter(), Escape: () => this.#escape(),
    };
    if (!Object.hasOwn(acts, key)) return false;
    if (key === "Escape" && this.#mark === null && !this.#selection && this.#host.pinned() === null && this.#spec.height !== "XL") return false;
    acts[key]();
    return true;
  }

  #enter() {
    const end = this.#host.crosshair();
    if (this.#mark !== null && end !== null && end !== this.#mark) {
      const from = Math.min(this.#mark, end);
      this.#zoom(from, Math.max(this.#mark, end));
      this.#mark = null;
    } else this.#host.act(this.#spec.id, "open");
  }

  #escape() {
    if (this.#mark !== null) this.#mark = null;
    else if (this.#selection) this.#selection = null;
    else if (this.#host.pinned() !== null) this.#host.pin(null);
    else this.#host.act(this.#spec.id, "close");
    this.#drawCrosshair();
  }

  /** One end of a selection is where the crosshair is. */
  #select() {
    this.#mark = this.#host.crosshair() ?? this.#range.from;
    this.#say(`selection starts at ${spoken(this.#scene ?? /** @type {any} */ ({from: 0, until: 1, step: 1, lines: []}), this.#mark, undefined)}`);
    this.#drawCrosshair();
  }

  /** @param {number} scale */
  #zoomBy(scale) {
    const at = this.#host.crosshair() ?? (this.#range.from + this.#range.until) / 2;
    const next = changed(this.#range, {scale, at});
    this.#host.setRange(Math.floor(next.from), Math.ceil(next.until), true);
  }

  /** @param {number} slots */
  #step(slots) {
    const scene = this.#scene;
    if (!scene) return;
    const at = this.#host.crosshair();
    const start = at === null ? (slots < 0 ? scene.slots : -1) : slotAt(scene, at);
    this.#pinSlot(start + slots);
  }

  /** @param {number} slot */
  #pinSlot(slot) {
    const scene = this.#scene;
    if (!scene) return;
    const first = Math.max(0, Math.floor((this.#range.from - scene.from) / scene.step));
    const end = Math.min(scene.slots - 1, Math.ceil((Math.min(this.#range.until, scene.now) - scene.from) / scene.step) - 1);
    const time = scene.from + (Math.max(first, Math.min(end, slot)) + 0.5) * scene.step;
    this.#host.pin(time);
    this.#say(spoken(scene, time, this.#line()));
  }

  /** @param {number} by */
  #focusLine(by) {
    const shown = this.#scene?.lines.filter((line) => !line.hidden) ?? [];
    if (shown.length < 2) return;
    const now = Math.max(0, shown.findIndex((line) => line.name === this.#focused));
    const line = shown[(now + by + shown.length) % shown.length];
    this.#focused = line.name;
    this.#plot.emphasize(line.name);
    this.#drawCrosshair();
    const time = this.#host.crosshair();
    this.#say(time === null || !this.#scene ? line.label : spoken(this.#scene, time, line));
  }

  /** Not more than once a second. @param {string} words */
  #say(words) {
    clearTimeout(this.#said);
    this.#said = window.setTimeout(() => { this.#live.textContent = words; }, this.#live.textContent ? kSpokenApart : 0);
  }
}

/** @param {string} name of its class @param {Record<string, number>} place in CSS px */
function part(name, place) {
  const element = document.createElement("div");
  element.className = name;
  for (const [side, value] of Object.entries(place)) element.style.setProperty(side, `${value}px`);
  return element;
}
