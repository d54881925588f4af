// What a panel knows: its spec and range, the answers, and the scene that is made of them.

import {Palette} from "../model/colors.js";
import {visible} from "../model/format.js";
import {nameOf, split} from "../model/labels.js";
import {pathOf} from "../model/units.js";
import {badgesOf} from "./badges.js";
import {selected} from "./heatmap.js";
import {mainAnswer, queriesOf, viewOf} from "./queries.js";
import {sceneOf} from "./scene.js";

/** @typedef {import("./types.js").PanelSpec} PanelSpec */
/** @typedef {import("./types.js").PanelRange} PanelRange */
/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Answers} Answers */
/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./queries.js").Learnt} Learnt */

/** @returns {Learnt} */
export const nothingLearnt = () => ({kinds: new Set(), hosts: [], series: 0, gaps: false});

export class PanelData {
  #given;
  #palette;
  /** Of the last answer. @type {Set<string>} */
  #names = new Set();
  /** @type {Learnt} */
  #learnt = nothingLearnt();
  /** @type {PanelSpec} */
  spec = {id: ""};
  /** @type {PanelRange} */
  range = {from: 0, until: 1, now: 0, zone: "UTC"};
  /** @type {Answers} */
  answers = {};
  /** @type {Mark[]} */
  marks = [];
  /** @type {import("./scene.js").Scene|null} */
  scene = null;
  isLoading = false;

  /** @param {Palette} [palette] */
  constructor(palette) {
    this.#given = palette;
    this.#palette = palette ?? new Palette();
  }

  /** @param {PanelRange} range @param {number} width CSS px @param {PanelSpec} [spec] that it is about to have */
  queries(range, width, spec = this.spec) {
    return queriesOf(spec, range, width, this.#learnt);
  }

  /** @param {PanelSpec} spec @param {PanelRange} range @param {Answers|null} answers null: they are asked @param {Mark[]} [marks] */
  update(spec, range, answers, marks) {
    if (spec.series?.join() !== this.spec.series?.join() || spec.expr !== this.spec.expr) {
      this.#learnt = nothingLearnt();
      this.answers = {};
    }
    this.spec = spec;
    this.range = range;
    if (marks) this.marks = marks;
    this.isLoading = answers === null;
    if (answers) {
      this.answers = {...this.answers, ...answers};
      const main = mainAnswer(spec, answers);
      if (main && main.status < 400) this.#learn(main);
    }
    if (answers || this.scene) this.scene = sceneOf(spec, range, this.answers, this.#palette, this.marks) ?? (answers ? null : this.scene);
    if (this.scene?.gaps.length) this.#learnt.gaps = true;
  }

  /** @param {Answer} answer */
  #learn(answer) {
    const all = answer.series ?? [];
    const names = all.map((series) => typeof series === "string" ? series : nameOf(series));
    this.#learnt.series = all.length;
    this.#learnt.kinds = new Set(answer.counts ? ["distribution"] : all.map((series) => series.kind ?? "value"));
    // Quite other series are another picture, with the first colours; those that join leave the others theirs.
    if (!names.some((name) => this.#names.has(name))) this.#palette = this.#given ?? new Palette();
    this.#names = new Set(names);
    this.#learnt.hosts = [...new Set(names.map((name) => split(name).tags.get("host") ?? ""))].filter((host) => host);
  }

  /** The answer that is drawn. */
  get answer() {
    return mainAnswer(this.spec, this.answers);
  }

  /** Nothing of the range has samples. */
  get isEmpty() {
    const scene = this.scene;
    return scene !== null && scene.lines.every((line) => line.all.count === 0) && !scene.rest;
  }

  get isDistribution() {
    return this.#learnt.kinds.has("distribution") && !this.spec.expr;
  }

  get view() {
    return this.spec.view === "table" ? "table" : viewOf(this.spec, this.#learnt);
  }

  get isLarge() {
    return this.spec.height === "L" || this.spec.height === "XL";
  }

  /** @returns {import("./controls.js").Shown} */
  get shown() {
    const scale = this.scene?.scale ?? this.spec.scale ?? (this.view === "heatmap" ? "log" : "lin");
    return {spec: this.spec, view: this.view, scale, isDistribution: this.isDistribution, isMany: this.#learnt.series > 20};
  }

  get badges() {
    const answer = /** @type {any} */ (this.answer);
    const within = [answer, ...(answer?.series ?? [])].map((part) => Number(part?.within) || 0);
    return badgesOf(this.isEmpty ? null : this.scene, {live: this.range.live ?? false, within: Math.max(...within), finest: this.range.finest});
  }

  get title() {
    if (this.spec.title) return this.spec.title;
    const names = this.scene?.lines.map((line) => line.name) ?? [];
    if (names.length === 1) return visible(names[0]);
    const paths = new Set(names.map(pathOf));
    if (paths.size === 1) return visible([...paths][0]);
    return visible(this.spec.expr ?? this.spec.series?.join(", ") ?? this.spec.id);
  }

  /** What the histogram is of: a box of the heatmap, or all of it; null without a histogram. */
  get selection() {
    const {scene, spec: {box, view}} = this;
    if (!scene) return null;
    if (box && scene.heat) return selected(scene, {from: box[0], until: box[1], low: box[2], high: box[3]});
    return view === "histogram" ? selected(scene, {from: scene.from, until: scene.until, low: -Infinity, high: Infinity}) : null;
  }

  /** What is hidden once a line is switched. @param {string} name */
  hiddenWith(name) {
    const hidden = new Set(this.spec.hidden ?? []);
    if (!hidden.delete(name)) hidden.add(name);
    return [...hidden];
  }

  /** What is hidden once only this line is shown; nothing if that is so already. @param {string} name */
  hiddenBut(name) {
    const others = [...new Set((this.scene?.lines ?? []).map((line) => line.name))].filter((other) => other !== name);
    const isAlone = others.length > 0 && others.every((other) => (this.spec.hidden ?? []).includes(other));
    return isAlone ? [] : others;
  }
}
