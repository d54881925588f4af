// The elements of a panel and what they show: heading, plot, readout, legend.

import {nothing, render} from "lit-html";
import {Crosshair, nearestLine} from "./crosshair.js";
import {cellAt} from "./heatmap.js";
import {interact} from "./interact.js";
import {LastPicture} from "./last_picture.js";
import {PanelData} from "./panel_data.js";
import {PanelKeys} from "./panel_keys.js";
import {followingOf, movesOf, zoom} from "./panel_moves.js";
import {foot, heading} from "./panel_parts.js";
import {stateOf} from "./panel_state.js";
import {Plot} from "./plot.js";
import {kHeights} from "./queries.js";
import {sentence} from "./readout.js";
import {slotAt} from "../model/step.js";

/** @typedef {import("./types.js").PanelSpec} PanelSpec */
/** @typedef {import("./types.js").PanelRange} PanelRange */
/** @typedef {import("./types.js").Answers} Answers */
/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").PanelHost} PanelHost */
/** @typedef {import("./types.js").Panel} Panel */

let panels = 0;
const kSpokenApart = 1000;
const kWidthLeast = 60;  // CSS px of a plot

/** @param {string} className @param {string} [name] @returns {HTMLElement} */
function part(className, name = "div") {
  const element = document.createElement(name);
  element.className = className;
  return element;
}

/** @implements {Panel} */
export class PanelView {
  #element;
  #host;
  #pool;
  #data;
  #id = `panel-${++panels}`;
  #visible = false;
  /** The line that the readout is of. @type {string|null} */
  #focused = null;
  /** Where the pointer is. @type {{left: number, top: number}|null} */
  #pointer = null;
  /** The cell whose exemplars are shown, and their template. @type {{view: unknown}|null} */
  #exemplars = null;
  #sort = {column: "", down: true};
  #top = 0;
  #said = 0;
  #frame = 0;
  /** @type {(() => void)[]} */
  #ends = [];
  #head = part("panel-head", "header");
  #body = part("panel-body");
  #target = part("panel-plot");
  #layer = part("panel-cross");
  #over = part("panel-over");
  #foot = part("panel-foot");
  #live = part("visually-hidden", "p");
  #picture = new LastPicture();
  #plot;
  #crosshair;
  #keys;
  #following;

  /** @param {HTMLElement} element @param {{host: PanelHost, pool: import("./pool.js").PlotPool, palette?: import("../model/colors.js").Palette}} needs */
  constructor(element, {host, pool, palette}) {
    this.#element = element;
    this.#host = host;
    this.#pool = pool;
    this.#data = new PanelData(palette);
    this.#live.setAttribute("aria-live", "polite");
    this.#body.tabIndex = 0;
    this.#body.setAttribute("role", "img");
    this.#body.append(this.#target, this.#picture.element, this.#layer);
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
    this.#following = followingOf({plot: this.#plot, crosshair: this.#crosshair, foot: this.#foot, canMove: () => this.#visible && this.#data.scene !== null});
    pool.watch(element, owner);
    const resize = new ResizeObserver(() => this.#draw());
    resize.observe(this.#target);
    this.#ends.push(
      host.onCrosshair(() => this.#drawCrosshair()), host.onRange(this.#following), interact(this.#body, this.#moves()),
      () => resize.disconnect(), () => pool.unwatch(element));
    this.#body.addEventListener("keydown", (event) => {
      if (event.altKey || event.metaKey || event.ctrlKey || !/^(Arrow|Home|End|Enter|Escape|[[\]+-])/.test(event.key)) return;
      if (!this.key(event.key, event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** @param {PanelRange} range @param {number} [width] @param {PanelSpec} [spec] */
  queries(range, width = this.#element.clientWidth, spec = undefined) {
    return this.#data.queries(range, width, spec);
  }

  /** @param {PanelSpec} spec @param {PanelRange} range @param {Answers|null} answers @param {Mark[]} [marks] */
  update(spec, range, answers, marks) {
    this.#data.update(spec, range, answers, marks);
    this.#draw();
  }

  focus() {
    this.#body.focus();
  }

  destroy() {
    for (const end of this.#ends) end();
    cancelAnimationFrame(this.#frame);
    this.#picture.forget();
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
    this.#picture.keep(canvas, this.#target.clientWidth, () => !this.#plot.canvas);
  }

  #restyled() {
    if (this.#plot.canvas) this.#plot.redraw();
    this.#drawCrosshair();
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#drawNow());
  }

  #drawNow() {
    this.#following.end();
    const {scene, spec, range, view} = this.#data;
    const isTable = spec.view === "table";
    this.#element.classList.toggle("loading", this.#data.isLoading);
    this.#element.dataset.height = spec.height ?? "M";
    this.#element.dataset.view = view;
    this.#body.hidden = isTable;
    this.#drawHead();
    if (scene && !isTable) {
      const width = this.#target.clientWidth;
      const height = kHeights[spec.height ?? "M"] ?? kHeights.M;
      if (this.#visible && width > kWidthLeast) {
        this.#picture.forget();
        this.#plot.show(scene, {from: range.from, until: range.until}, {width, height});
      }
      this.#body.setAttribute("aria-label", sentence(this.#data.title, scene));
    } else if (!isTable) {
      this.#plot.destroy();
      this.#body.setAttribute("aria-label", this.#data.title);
    }
    this.#drawOver();
    this.#drawCrosshair();
  }

  #drawHead() {
    const {spec} = this.#data;
    render(heading(this.#data, this.#id, {
      open: () => this.#host.act(spec.id, spec.height === "XL" ? "close" : "open"),
      menu: (anchor) => this.#host.menu(anchor, {
        data: this.#data, plot: this.#plot, width: this.#element.clientWidth, pool: this.#pool, host: this.#host, change: (change) => this.#change(change),
      }),
    }), this.#head);
  }

  /** What stands in place of a plot, and the table. */
  #drawOver() {
    const {spec, range, answer, scene, isLoading, isEmpty, title} = this.#data;
    const state = stateOf({spec, range, answer, scene, isLoading, isEmpty, title, top: this.#top}, {
      retry: () => this.#host.act(spec.id, "retry"), go: (from, until) => this.#host.setRange(from, until, true),
      scrolled: (top) => {
        this.#top = top;
        this.#drawOver();
      },
    });
    this.#body.classList.toggle("empty", state !== nothing);
    render(state, this.#over);
  }

  /** The line that the readout is of: that under the pointer, else the one with focus, else the first. */
  #line() {
    const scene = this.#data.scene;
    if (!scene) return undefined;
    const time = this.#host.crosshair();
    const near = this.#pointer && time !== null ? nearestLine(scene, this.#plot, time, this.#pointer.top) : undefined;
    const shown = scene.lines.filter((line) => !line.hidden);
    return near ?? shown.find((line) => line.name === this.#focused) ?? shown[0] ?? scene.rest ?? undefined;
  }

  #drawCrosshair() {
    const time = this.#host.crosshair();
    const {spec, scene} = this.#data;
    this.#crosshair.draw(spec.view === "table" ? null : scene, {time, isPinned: time !== null && this.#host.pinned() === time, mark: this.#keys.mark});
    this.#drawFoot();
  }

  #drawFoot() {
    // Out of view nothing is read; it is drawn when it comes back.
    if (!this.#visible && this.#foot.hasChildNodes()) return;
    const {scene, spec} = this.#data;
    if (!scene || this.#data.isEmpty) {
      render(nothing, this.#foot);
      return;
    }
    const value = this.#pointer && scene.heat && this.#plot.canvas ? this.#plot.valueAt(this.#pointer.top) : null;
    const at = {time: this.#host.crosshair(), value, line: this.#line(), sort: this.#sort, heat: this.#pool.colors().heat, exemplars: scene.heat ? this.#exemplars?.view : null};
    render(foot(this.#data, this.#plot, at, {
      events: (marks) => this.#openEvents(marks), change: (change) => this.#change(change), zoom: (from, until) => zoom(this.#host, from, until),
      changes: ({from, until}) => this.#host.act(spec.id, "changes", {from, until}),
      legend: {
        toggle: (name) => this.#change({hidden: this.#data.hiddenWith(name)}), alone: (name) => this.#change({hidden: this.#data.hiddenBut(name)}),
        emphasize: (name) => { this.#focused = name ?? this.#focused; this.#plot.emphasize(name); },
        sort: (column) => {
          this.#sort = {column, down: this.#sort.column === column ? !this.#sort.down : column !== "name"};
          this.#drawFoot();
        },
      },
    }), this.#foot);
  }

  /** The event nearest to the crosshair, else the last one. */
  #openNearestEvent() {
    const at = this.#host.crosshair() ?? Infinity;
    const shown = this.#data.marks.filter((mark) => mark.time >= this.#data.range.from && mark.time < this.#data.range.until);
    const apart = (/** @type {Mark} */ mark) => at === Infinity ? -mark.time : Math.abs(mark.time - at);
    const nearest = shown.sort((a, b) => apart(a) - apart(b))[0];
    if (nearest) this.#openEvents(shown.filter((mark) => mark.time === nearest.time));
    else this.#say("no event in this range");
  }

  /** @param {Mark[]} marks of one place */
  #openEvents(marks) {
    this.#host.pin(marks[0].time);
    this.#host.act(this.#data.spec.id, "event", {marks});
  }

  /** Those of the cell that has the value, or of all of the slot. @param {number|null} time null: none @param {number} [value] */
  #showExemplars(time, value) {
    const {scene, spec} = this.#data;
    this.#exemplars = null;
    const slot = scene && time !== null ? slotAt(scene, time) : -1;
    const found = scene && value !== undefined ? cellAt(scene, slot, value) : null;
    if (scene && slot >= 0 && (value === undefined || found?.count)) {
      const from = scene.from + slot * scene.step;
      const shown = this.#exemplars = {view: /** @type {unknown} */ (null)};
      this.#host.act(spec.id, "exemplars", {
        scene, series: spec.series ?? [], from, until: from + scene.step, low: found?.low ?? -Infinity, high: found?.high ?? Infinity,
        close: () => this.#closeExemplars(),
        show: (/** @type {unknown} */ view, /** @type {string} */ words) => {
          shown.view = view;
          if (this.#exemplars !== shown) return;
          this.#drawFoot();
          if (words) this.#say(words);
        },
      });
    }
    this.#drawFoot();
  }

  #closeExemplars() {
    const had = this.#exemplars !== null;
    this.#exemplars = null;
    if (had) this.#drawFoot();
    return had;
  }

  /** @param {Partial<PanelSpec>} change */
  #change(change) {
    this.#host.change(this.#data.spec.id, change);
  }

  #moves() {
    return movesOf({
      data: this.#data, plot: this.#plot, host: this.#host, change: (change) => this.#change(change), focus: () => this.#body.focus({preventScroll: true}),
      point: (at) => {
        this.#pointer = at;
        // The same slot at another height: the crosshair stays, the cell and the nearest line change.
        this.#drawFoot();
      },
      cell: (time, value) => this.#showExemplars(time, value),
      select: (selection) => {
        this.#crosshair.select(selection);
        this.#drawCrosshair();
      },
    });
  }

  /** @param {string} name @param {KeyboardEvent} [event] */
  key(name, event) {
    return this.#keys.press(name, event?.shiftKey ?? false);
  }

  /** @returns {import("./panel_keys.js").Keyed} */
  #keyed() {
    const data = this.#data;
    return {
      scene: () => data.scene, spec: () => data.spec, view: () => data.view, range: () => data.range, host: this.#host,
      openEvent: () => this.#openNearestEvent(), isDistribution: () => data.isDistribution, line: () => this.#line(), change: (change) => this.#change(change),
      emphasize: (name) => {
        this.#focused = name;
        this.#plot.emphasize(name);
        this.#drawFoot();
      },
      zoom: (from, until) => zoom(this.#host, from, until), say: (words) => this.#say(words), draw: () => this.#drawCrosshair(),
      exemplars: (time) => this.#showExemplars(time),
      closeSelection: () => {
        if (this.#closeExemplars()) return true;
        const had = data.spec.box !== undefined;
        if (had) this.#change({box: undefined});
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
