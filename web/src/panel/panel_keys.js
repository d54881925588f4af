// The keys of a panel: crosshair by slots, selection, zoom, band, scale, view.

import {changed} from "../model/range.js";
import {slotAt} from "../model/step.js";
import {viewsOf} from "./controls.js";
import {spoken} from "./readout.js";

/** Names of keys as the keyboard map has them, and as events have them. @type {Record<string, string>} */
const kNames = {"←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", Esc: "Escape"};

/**
 * @typedef {object} Keyed what keys act on
 * @property {() => import("./scene.js").Scene|null} scene
 * @property {() => import("./panel.js").PanelSpec} spec
 * @property {() => import("./panel.js").View} view
 * @property {() => import("./panel.js").PanelRange} range
 * @property {() => void} openEvent what changed after the event nearest to the crosshair
 * @property {() => boolean} isDistribution
 * @property {() => import("./scene.js").Line|undefined} line that the readout is of
 * @property {(name: string) => void} emphasize
 * @property {import("./panel.js").PanelHost} host
 * @property {(change: Partial<import("./panel.js").PanelSpec>) => void} change
 * @property {(from: number, until: number) => void} zoom
 * @property {() => boolean} closeSelection false if there is none
 * @property {(time: number) => void} exemplars shows those of a slot of a heatmap
 * @property {() => void} draw
 * @property {(words: string) => void} say
 */

export class PanelKeys {
  #of;
  /** One end of a selection. @type {number|null} */
  mark = null;

  /** @param {Keyed} keyed */
  constructor(keyed) {
    this.#of = keyed;
  }

  /**
   * @param {string} name `ArrowLeft` or `←`, also with `Shift+`
   * @param {boolean} shift
   * @returns {boolean} false if it is no key of a panel
   */
  press(name, shift) {
    const of = this.#of;
    const isShifted = shift || name.startsWith("Shift+");
    const plain = name.replace(/^Shift\+/, "");
    const key = Object.hasOwn(kNames, plain) ? kNames[plain] : plain;
    const {from, until} = of.range();
    const length = until - from;
    const spec = of.spec();
    /** @type {Record<string, () => void>} */
    const acts = {
      b: () => of.change({band: /** @type {any} */ ({mm: "sd", sd: "off", off: "mm"}[spec.band ?? "mm"])}),
      l: () => of.change({scale: /** @type {any} */ ({lin: "log", log: "asinh", asinh: "lin"}[of.scene()?.scale ?? "lin"])}),
      v: () => {
        const views = viewsOf(of.isDistribution());
        of.change({view: views[(views.indexOf(of.view()) + 1) % views.length]});
      },
      T: () => of.change({view: spec.view === "table" ? undefined : "table"}),
      w: () => of.change({compare: /** @type {any} */ ({none: "1d", "1d": "1w", "1w": "none"}[spec.compare ?? "none"])}),
      u: () => of.change({unusual: !spec.unusual}),
      x: () => of.host.act(spec.id, "changes", {from, until}),
      X: () => of.openEvent(),
      i: () => { if (of.scene()?.heat && of.host.pinned() !== null) of.exemplars(/** @type {number} */ (of.host.pinned())); },
      ArrowLeft: () => this.#step(isShifted ? -10 : -1), ArrowRight: () => this.#step(isShifted ? 10 : 1),
      Home: () => this.#pin(0), End: () => this.#pin(Infinity),
      ArrowUp: () => this.#nextLine(-1), ArrowDown: () => this.#nextLine(1),
      "[": () => this.#select(), "]": () => this.#select(),
      "+": () => this.#zoomBy(0.5), "-": () => this.#zoomBy(2),
      a: () => of.host.setRange(from - length / 2, until - length / 2, true), d: () => of.host.setRange(from + length / 2, until + length / 2, true),
      0: () => of.host.back(),
      Enter: () => this.#enter(),
    };
    if (key === "Escape") return of.scene() !== null && this.#escape();
    if (!Object.hasOwn(acts, key)) return false;
    if (!of.scene() && !"0adwv".includes(key)) return false;
    acts[key]();
    return true;
  }

  /** Closes what is innermost: a selection that begins, the fixed crosshair, what is listed below, the large panel. */
  #escape() {
    const {host, spec, closeSelection, draw} = this.#of;
    if (this.mark !== null) this.mark = null;
    else if (host.pinned() !== null) host.pin(null);
    else if (!closeSelection()) {
      if (spec().height !== "XL") return false;
      host.act(spec().id, "close");
    }
    draw();
    return true;
  }

  #enter() {
    const start = this.mark;
    const end = this.#of.host.crosshair();
    this.mark = null;
    if (start !== null && end !== null && end !== start) this.#of.zoom(Math.min(start, end), Math.max(start, end));
    else this.#of.host.act(this.#of.spec().id, this.#of.spec().height === "XL" ? "close" : "open");
  }

  /** The first press begins a selection where the crosshair is, the next one begins anew. */
  #select() {
    const scene = this.#of.scene();
    if (!scene) return;
    this.mark = this.#of.host.crosshair() ?? this.#of.range().from;
    this.#of.say(`selection from ${spoken(scene, this.mark, undefined)}`);
    this.#of.draw();
  }

  /** @param {number} scale */
  #zoomBy(scale) {
    const range = this.#of.range();
    const at = this.#of.host.crosshair() ?? (range.from + range.until) / 2;
    const next = changed(range, {scale, at});
    this.#of.host.setRange(Math.floor(next.from), Math.ceil(next.until), true);
  }

  /** @param {number} slots */
  #step(slots) {
    const scene = this.#of.scene();
    if (!scene) return;
    const at = this.#of.host.crosshair();
    this.#pin((at === null ? (slots < 0 ? scene.slots : -1) : slotAt(scene, at)) + slots);
  }

  /** Pins the crosshair to a slot of the range, and says what is there. @param {number} slot */
  #pin(slot) {
    const scene = this.#of.scene();
    if (!scene) return;
    const range = this.#of.range();
    const first = Math.max(0, Math.floor((range.from - scene.from) / scene.step));
    const end = Math.min(scene.slots - 1, Math.ceil((Math.min(range.until, scene.now) - scene.from) / scene.step) - 1);
    // the middle of what the range shows of the slot: the open slot's own middle may be later than the range
    const from = scene.from + Math.max(first, Math.min(end, slot)) * scene.step;
    const time = (Math.max(range.from, from) + Math.min(range.until, from + scene.step)) / 2;
    this.#of.host.pin(time);
    this.#of.say(spoken(scene, time, this.#of.line()));
  }

  /** @param {number} by */
  #nextLine(by) {
    const scene = this.#of.scene();
    const shown = scene?.lines.filter((line) => !line.hidden) ?? [];
    if (!scene || shown.length < 2) return;
    const now = Math.max(0, shown.indexOf(/** @type {any} */ (this.#of.line())));
    const line = shown[(now + by + shown.length) % shown.length];
    this.#of.emphasize(line.name);
    const time = this.#of.host.crosshair();
    this.#of.say(time === null ? line.label : spoken(scene, time, line));
  }
}
