// The elements of a panel and what they show: heading, plot, readout, legend.

import {html, nothing, render} from "lit-html";
import {Palette} from "../model/colors.js";
import {shortened, span, visible} from "../model/format.js";
import {nameOf, split} from "../model/labels.js";
import {changed} from "../model/range.js";
import {pathOf} from "../model/units.js";
import {badgesOf, chance, tintScale} from "./badges.js";
import {controls, menuItems} from "./controls.js";
import {Crosshair, nearestLine} from "./crosshair.js";
import {command, csv, curl, png} from "./export.js";
import {selected} from "./heatmap.js";
import {histogram} from "./histogram.js";
import {interact} from "./interact.js";
import {lane, placed} from "./lane.js";
import {chips, table} from "./legend.js";
import {PanelKeys} from "./panel_keys.js";
import {stateOf} from "./panel_state.js";
import {Plot} from "./plot.js";
import {kHeights, mainAnswer, queriesOf, viewOf} from "./queries.js";
import {readout, sentence} from "./readout.js";
import {sceneOf} from "./scene.js";

/** @typedef {import("./types.js").PanelSpec} PanelSpec */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").PanelRange} PanelRange */
/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Answers} Answers */
/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").PanelHost} PanelHost */
/** @typedef {import("./types.js").Panel} Panel */

/** An icon of the page's sprite. @param {string} name */
const icon = (name) => html`<svg class="icon" aria-hidden="true"><use href="#i-${name}"></use></svg>`;

let panels = 0;
const kSpokenApart = 1000;

/** @implements {Panel} */
export class PanelView {
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
  #said = 0;
  #frame = 0;
  /** @type {(() => void)[]} */
  #ends = [];
  #head = document.createElement("header");
  #body = document.createElement("div");
  #target = document.createElement("div");
  #layer = document.createElement("div");
  #over = document.createElement("div");
  #foot = document.createElement("div");
  #live = document.createElement("p");
  #picture = document.createElement("img");
  #plot;
  #crosshair;
  #keys;
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
    this.#layer.className = "panel-cross";
    this.#over.className = "panel-over";
    this.#foot.className = "panel-foot";
    this.#live.className = "visually-hidden";
    this.#live.setAttribute("aria-live", "polite");
    this.#picture.className = "panel-picture";
    this.#picture.alt = "";
    this.#picture.hidden = true;
    this.#body.tabIndex = 0;
    this.#body.setAttribute("role", "img");
    this.#body.append(this.#target, this.#picture, this.#layer);
    element.classList.add("panel");
    element.setAttribute("role", "region");
    element.setAttribute("aria-labelledby", this.#id);
    element.append(this.#head, this.#body, this.#over, this.#foot, this.#live);
    const owner = {
      seen: (/** @type {boolean} */ isVisible) => this.#seen(isVisible), evicted: () => this.#evicted(), restyled: () => this.#restyled(),
    };
    this.#plot = new Plot(pool, owner, this.#target);
    this.#crosshair = new Crosshair(this.#layer, this.#plot);
    this.#keys = new PanelKeys(this.#keyed());
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
      const main = mainAnswer(spec, answers);
      if (main && main.status < 400) this.#learn(main);
    }
    if (answers || this.#scene) this.#scene = sceneOf(spec, range, this.#answers, this.#palette, this.#marks) ?? (answers ? null : this.#scene);
    if (this.#scene?.gaps.length) this.#learnt.gaps = true;
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

  get #isDistribution() {
    return this.#learnt.kinds.has("distribution") && !this.#spec.expr;
  }

  /** @returns {import("./controls.js").Shown} */
  #shown() {
    const view = this.#view();
    const scale = this.#scene?.scale ?? this.#spec.scale ?? (view === "heatmap" ? "log" : "lin");
    return {spec: this.#spec, view, scale, isDistribution: this.#isDistribution, isMany: this.#learnt.series > 20};
  }

  #badges() {
    const answer = /** @type {any} */ (this.#answer());
    const within = [answer, ...(answer?.series ?? [])].map((part) => Number(part?.within) || 0);
    return badgesOf(this.#isEmpty() ? null : this.#scene, {live: this.#range.live ?? false, within: Math.max(...within)});
  }

  #title() {
    if (this.#spec.title) return this.#spec.title;
    const names = this.#scene?.lines.map((line) => line.name) ?? [];
    if (names.length === 1) return visible(names[0]);
    const paths = new Set(names.map(pathOf));
    if (paths.size === 1) return visible([...paths][0]);
    return visible(this.#spec.expr ?? this.#spec.series?.join(", ") ?? this.#spec.id);
  }

  #drawHead() {
    const title = this.#title();
    const isBig = this.#spec.height === "XL";
    render(html`
      <h3 id=${this.#id} title=${title}><bdi>${this.#spec.title ? visible(title) : shortened(title, 64)}</bdi></h3>
      <p class="panel-badges num">${this.#badges().map((badge) => html`<span class="panel-badge ${badge.tone}" title=${badge.title}>${badge.text}</span>`)}</p>
      <div class="panel-tools">
        <button type="button" class="tool" aria-label="${isBig ? "Close" : "Open large"}: ${title}" title="${isBig ? "Close (Esc)" : "Open large (Enter)"}"
          @click=${() => this.#host.act(this.#spec.id, isBig ? "close" : "open")}>${icon(isBig ? "close" : "expand")}</button>
        <button type="button" class="tool" aria-haspopup="menu" aria-label="Menu of ${title}" title="Menu"
          @click=${(/** @type {Event} */ event) => this.#host.menu(/** @type {Element} */ (event.currentTarget), this.#menu())}>${icon("more")}</button>
      </div>`, this.#head);
  }

  /** What stands in place of a plot, and the table. */
  #drawOver() {
    const state = stateOf({
      spec: this.#spec, range: this.#range, answer: this.#answer(), scene: this.#scene, isLoading: this.#loading,
      isEmpty: this.#isEmpty(), title: this.#title(), top: this.#top,
    }, {
      retry: () => this.#host.act(this.#spec.id, "retry"), go: (from, until) => this.#host.setRange(from, until, true),
      scrolled: (top) => {
        this.#top = top;
        this.#drawOver();
      },
    });
    this.#body.classList.toggle("empty", state !== nothing);
    render(state, this.#over);
  }

  #answer() {
    return mainAnswer(this.#spec, this.#answers);
  }

  /** Nothing of the range has samples. */
  #isEmpty() {
    const scene = this.#scene;
    return scene !== null && scene.lines.every((line) => line.all.count === 0) && !scene.rest;
  }

  /** The line that the readout is of: that under the pointer, else the one with focus, else the first. */
  #line() {
    const scene = this.#scene;
    if (!scene) return undefined;
    const time = this.#host.crosshair();
    const near = this.#pointer && time !== null ? nearestLine(scene, this.#plot, time, this.#pointer.top) : undefined;
    const shown = scene.lines.filter((line) => !line.hidden);
    return near ?? shown.find((line) => line.name === this.#focused) ?? shown[0] ?? scene.rest ?? undefined;
  }

  #drawCrosshair() {
    const time = this.#host.crosshair();
    const pinned = this.#host.pinned();
    this.#crosshair.draw(this.#spec.view === "table" ? null : this.#scene, {time, isPinned: time !== null && pinned === time, mark: this.#keys.mark});
    this.#drawFoot();
  }

  #drawFoot() {
    // Out of view nothing is read; it is drawn when it comes back.
    if (!this.#visible && this.#foot.hasChildNodes()) return;
    const scene = this.#scene;
    if (!scene || this.#isEmpty()) {
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
    if (scene.heat) legend = tintScale(scene, this.#pool.colors().heat);
    else if (isLarge) legend = table(scene, time, acts, this.#sort, this.#title());
    else legend = many ? chips(scene, time, acts) : nothing;
    render(html`${lane(marks, box.left, scene.zone, (mark) => this.#host.pin(mark.time))}
      ${this.#spec.height === "XL" ? controls(this.#shown(), this.#title(), (change) => this.#change(change)) : nothing}
      ${readout(scene, time, line, value, (from, until) => this.#zoom(from, until))}${legend}
      ${this.#spec.height === "XL" && this.#isDistribution ? chance(scene, this.#spec.calls ?? 10, (calls) => this.#change({calls})) : nothing}
      ${this.#selection || this.#spec.view === "histogram" ? histogram(this.#selection ?? selected(scene, {from: scene.from, until: scene.until, low: -Infinity, high: Infinity}), scene, {close: () => { this.#selection = null; this.#drawFoot(); },
        changes: () => this.#host.act(this.#spec.id, "changes", {from: this.#selection?.from, until: this.#selection?.until})}) : nothing}`, this.#foot);
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

  #menu() {
    const scene = this.#scene;
    const id = this.#spec.id;
    const file = this.#title().replace(/[^\w.-]+/g, "_").slice(0, 80) || "panel";
    /** @param {string} ending @param {string} type @param {() => string} content */
    const save = (ending, type, content) => scene ? () => this.#host.act(id, "save", {name: `${file}.${ending}`, type, content: content()}) : null;
    const query = this.queries(this.#range)[0];
    return menuItems(this.#shown(), (change) => this.#change(change), (action, detail) => this.#host.act(id, action, detail), {
      can: this.#host.can, csv: save("csv", "text/csv", () => csv(/** @type {any} */ (scene))), json: save("json", "application/json", () => JSON.stringify(this.#answer(), null, 1)),
      png: this.#plot.canvas ? () => void this.#savePng(file) : null, curl: curl(query, this.#range, location.origin), command: command(query, this.#range, location.origin),
    }, this.#range);
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
    this.#crosshair.select(selection);
    this.#drawCrosshair();
  }

  /** @param {string} name @param {KeyboardEvent} [event] */
  key(name, event) {
    return this.#keys.press(name, event?.shiftKey ?? false);
  }

  /** @returns {import("./panel_keys.js").Keyed} */
  #keyed() {
    return {
      scene: () => this.#scene, spec: () => this.#spec, view: () => this.#view(), range: () => this.#range, host: this.#host,
      isDistribution: () => this.#isDistribution, line: () => this.#line(), change: (change) => this.#change(change),
      emphasize: (name) => {
        this.#focused = name;
        this.#plot.emphasize(name);
        this.#drawFoot();
      },
      zoom: (from, until) => this.#zoom(from, until), say: (words) => this.#say(words), draw: () => this.#drawCrosshair(),
      closeSelection: () => {
        const had = this.#selection !== null;
        this.#selection = null;
        return had;
      },
    };
  }

  /** Not more than once a second. @param {string} words */
  #say(words) {
    clearTimeout(this.#said);
    this.#said = window.setTimeout(() => { this.#live.textContent = words; }, this.#live.textContent ? kSpokenApart : 0);
  }
}
