// A scene on a canvas: axes by uPlot, hatch, bands, lines and cells by hand.

import {drawBand, drawLine, drawPoints, stacked} from "./bands.js";
import {drawGaps} from "./gaps.js";
import {drawHeat, heatRange, kZeroStrip} from "./heatmap.js";
import {labels, spacing, ticks} from "./time_axis.js";
import {asinhTicks, linearTicks, logTicks, tickLabels} from "./value_axis.js";
import {bandOf, percentiles, valueScale} from "./value_scale.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Line} Line */
/** @typedef {import("./pool.js").Colors} Colors */

const kFontSize = 11;
const kAxisWidth = 54;
/** Longer ranges have no room for seconds. */
const kSecondsSpan = 1200;

/** @typedef {import("./value_scale.js").ValueScale} ValueScale */

export class Plot {
  #pool;
  #owner;
  #target;
  /** @type {import("uplot")|null} */
  #plot = null;
  /** @type {Scene|null} */
  #scene = null;
  #view = {from: 0, until: 1};
  #size = {width: 0, height: 0};
  /** @type {ValueScale} */
  #value = {low: 0, high: 1, scale: "lin", linear: 1, count: 4};
  #made = "";
  /** @type {string|null} */
  #emphasis = null;
  /** Labels of values, and the width that they need. */
  #labels = {texts: "", width: 0};
  /** What is drawn while the range moves: all between the axes, as it was when that began. @type {{canvas: HTMLCanvasElement, from: number, until: number}|null} */
  #still = null;

  /**
   * @param {import("./pool.js").PlotPool} pool @param {import("./pool.js").Owner} owner
   * @param {HTMLElement} target
   */
  constructor(pool, owner, target) {
    this.#pool = pool;
    this.#owner = owner;
    this.#target = target;
  }

  /** The element over the plotting area, for pointers. @returns {HTMLElement|null} */
  get over() {
    return this.#plot?.over ?? null;
  }

  /** @returns {HTMLCanvasElement|null} */
  get canvas() {
    return this.#plot?.ctx.canvas ?? null;
  }

  get value() {
    return this.#value;
  }

  get view() {
    return this.#view;
  }

  /** The plotting area in CSS px, relative to the target. */
  get box() {
    const plot = this.#plot;
    if (!plot) return {left: kAxisWidth, top: 0, width: Math.max(1, this.#size.width - kAxisWidth), height: this.#size.height};
    const ratio = devicePixelRatio || 1;
    return {left: plot.bbox.left / ratio, top: plot.bbox.top / ratio, width: plot.bbox.width / ratio, height: plot.bbox.height / ratio};
  }

  /** CSS px from the left of the plotting area. @param {number} time */
  x(time) {
    return (time - this.#view.from) / (this.#view.until - this.#view.from) * this.box.width;
  }

  /** @param {number} left CSS px */
  timeAt(left) {
    return this.#view.from + left / Math.max(1, this.box.width) * (this.#view.until - this.#view.from);
  }

  /** CSS px from the top of the plotting area; null for what the axis cannot show. @param {number} value */
  y(value) {
    const {low, high, scale, linear} = this.#value;
    const strip = this.#strip();
    const height = this.box.height - strip;
    if (scale === "log") return value > 0 ? height * (1 - Math.log(value / low) / Math.log(high / low)) : strip ? height + strip / 2 : null;
    if (scale === "asinh") return height * (1 - (Math.asinh(value / linear) - Math.asinh(low / linear)) / (Math.asinh(high / linear) - Math.asinh(low / linear)));
    return height * (1 - (value - low) / (high - low));
  }

  /** @param {number} top CSS px */
  valueAt(top) {
    const {low, high, scale, linear} = this.#value;
    const strip = this.#strip();
    const height = this.box.height - strip;
    if (strip && top > height) return 0;
    const share = 1 - top / Math.max(1, height);
    if (scale === "log") return low * (high / low) ** share;
    if (scale === "asinh") {
      const from = Math.asinh(low / linear);
      return Math.sinh(from + share * (Math.asinh(high / linear) - from)) * linear;
    }
    return low + share * (high - low);
  }

  #strip() {
    return this.#scene?.heat && this.#value.scale === "log" && heatRange(this.#scene).zero ? kZeroStrip : 0;
  }

  /** @param {Scene} scene @param {{from: number, until: number}} view @param {{width: number, height: number}} size in CSS px */
  show(scene, view, size) {
    this.#scene = scene;
    this.#still = null;
    this.#view = {...view};
    this.#value = valueScale(scene, size.height);
    const key = `${scene.zone} ${scene.unit.id}`;
    if (!this.#plot || key !== this.#made) {
      this.#size = size;
      this.#make(key);
      return;
    }
    this.#pool.touch(this.#owner);
    if (size.width !== this.#size.width || size.height !== this.#size.height) {
      this.#size = size;
      this.#plot.setSize(size);
    }
    this.#apply();
  }

  /** Another range is shown without new data, from the next drawMoved on. @param {number} from @param {number} until */
  move(from, until) {
    this.#still ??= this.#stillOf();
    this.#view = {from, until};
  }

  /** Draws the range that a move has come to. Lines are not drawn anew: their picture is moved and stretched until show. */
  drawMoved() {
    this.#apply();
  }

  /** Only this line in full, others faded; null ends that. @param {string|null} name */
  emphasize(name) {
    if (this.#emphasis === name) return;
    this.#emphasis = name;
    this.#still = null;
    this.#plot?.redraw(false, false);
  }

  redraw() {
    this.#still = null;
    if (this.#scene) this.#make(this.#made);
  }

  destroy() {
    this.#pool.release(this.#owner);
    this.#plot = null;
    this.#still = null;
  }

  /** The pool has taken the plot. */
  forget() {
    this.#plot = null;
    this.#still = null;
  }

  #apply() {
    const plot = this.#plot;
    if (!plot) return;
    plot.batch(() => {
      plot.setScale("x", {min: this.#view.from, max: this.#view.until});
      plot.setScale("y", {min: 0, max: this.#value.high === this.#value.low ? 1 : plot.scales.y.max === 1 ? 1.0000001 : 1});
    });
  }

  /** @param {string} key */
  #make(key) {
    const colors = this.#pool.colors();
    const font = `${kFontSize}px ${colors.font}`;
    this.#made = key;
    /** @type {import("uplot").Options} */
    const options = {
      ...this.#size, padding: [10, kRightRoom, 0, 0], legend: {show: false}, cursor: {show: false}, pxAlign: 1,
      scales: {
        x: {time: false, auto: false, range: () => [this.#view.from, this.#view.until]},
        // Positions of values are this class's own; to uPlot the axis is a share of the height.
        y: {auto: false, range: () => [0, 1]},
      },
      series: [{}, {show: true, scale: "y", paths: () => null, points: {show: false}}],
      axes: [
        {
          scale: "x", size: 36, gap: 5, font, stroke: colors.muted, grid: {stroke: colors.grid, width: 1}, ticks: {stroke: colors.border, width: 1, size: 4},
          splits: () => this.#timeTicks().at, values: () => this.#timeTicks().texts,
        },
        {
          scale: "y", size: (plot, values, _, cycle) => this.#axisWidth(plot, values, cycle, colors.font), gap: 5, font, stroke: colors.muted, grid: {stroke: colors.grid, width: 1}, ticks: {show: false},
          splits: () => this.#valueTicks().map((tick) => this.#share(tick)),
          values: () => tickLabels(this.#valueTicks(), this.#scene?.unit ?? {id: "none", base: "si", factor: 1, suffix: ""}, this.#value.scale !== "lin"),
        },
      ],
      hooks: {drawClear: [() => this.#drawUnder()], draw: [() => this.#drawOver()]},
    };
    this.#plot = this.#pool.make(this.#owner, options, [[this.#view.from, this.#view.until], [0, 1]], this.#target);
  }

  /**
   * As wide as the labels need, in steps, so that panels above each other mostly agree.
   * @param {import("uplot")} plot @param {string[]} values @param {number} cycle of uPlot's layout @param {string} font family
   */
  #axisWidth(plot, values, cycle, font) {
    // Later rounds keep what the first one has found, so that the layout comes to rest.
    if (cycle > 1) return /** @type {any} */ (plot.axes[1])._size;
    const ratio = devicePixelRatio || 1;
    const texts = [ratio, ...values ?? []].join("\n");
    if (texts !== this.#labels.texts) {
      plot.ctx.save();
      plot.ctx.font = `${kFontSize * ratio}px ${font}`;
      const widest = Math.max(0, ...(values ?? []).map((text) => plot.ctx.measureText(text ?? "").width / ratio));
      plot.ctx.restore();
      this.#labels = {texts, width: Math.max(kAxisWidth, Math.ceil((widest + 12) / 6) * 6)};
    }
    return this.#labels.width;
  }

  #timeTicks() {
    const {from, until} = this.#view;
    const seconds = spacing(from, until, this.box.width / 84).unit === "second";
    const by = spacing(from, until, Math.max(2, this.box.width / (seconds ? (until - from) < 600 ? 92 : 74 : 84)));
    const at = ticks(from, until, by, this.#scene?.zone ?? "UTC");
    return {at, texts: fitted(labels(at, by, this.#scene?.zone ?? "UTC"), at.map((time) => this.x(time)), this.box.width)};
  }

  #valueTicks() {
    const {low, high, scale, linear, count} = this.#value;
    const unit = this.#scene?.unit ?? {id: "none", base: "si", factor: 1, suffix: ""};
    if (scale === "log") return logTicks(low, high, /** @type {import("../model/units.js").Unit} */ (unit), count);
    if (scale === "asinh") return asinhTicks(low, high, linear, count);
    return linearTicks(low, high, /** @type {import("../model/units.js").Unit} */ (unit), count).ticks;
  }

  /** @param {number} value as a share of the height */
  #share(value) {
    const y = this.y(value);
    return y === null ? -1 : 1 - y / Math.max(1, this.box.height);
  }

  #frame() {
    const plot = /** @type {import("uplot")} */ (this.#plot);
    const ratio = devicePixelRatio || 1;
    const box = plot.bbox;
    const span = this.#view.until - this.#view.from;
    return {
      context: plot.ctx, box, ratio,
      /** @param {number} time */
      x: (time) => box.left + (time - this.#view.from) / span * box.width,
      /** @param {number} value */
      y: (value) => box.top + (this.y(value) ?? this.box.height) * ratio,
    };
  }

  #drawUnder() {
    const scene = this.#scene;
    if (!this.#plot || !scene) return;
    const {context, box, ratio, x} = this.#frame();
    const colors = this.#pool.colors();
    context.fillStyle = colors.panel;
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    if (!this.#still) drawGaps(context, scene.gaps, {x, box, ratio, stroke: colors.border, fill: colors.panel});
    // What has not happened yet is sunken.
    const now = x(scene.now);
    if (now < box.left + box.width) {
      context.fillStyle = colors.sunken;
      context.globalAlpha = 0.5;
      context.fillRect(Math.max(box.left, now), box.top, box.left + box.width - Math.max(box.left, now), box.height);
      context.globalAlpha = 1;
    }
  }

  #drawOver() {
    const scene = this.#scene;
    if (!this.#plot || !scene) return;
    const {context, box, ratio, x} = this.#frame();
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.width, box.height);
    context.clip();
    if (this.#still) {
      const left = x(this.#still.from);
      context.drawImage(this.#still.canvas, left, box.top, x(this.#still.until) - left, box.height);
    } else this.#drawData(context);
    context.restore();
    context.strokeStyle = this.#pool.colors().border;
    context.lineWidth = ratio;
    context.beginPath();
    context.moveTo(box.left, Math.round(box.top + box.height) + ratio / 2);
    context.lineTo(box.left + box.width, Math.round(box.top + box.height) + ratio / 2);
    context.stroke();
  }

  /** All between the axes as a picture of its own, which is quick to move. */
  #stillOf() {
    const scene = this.#scene;
    if (!this.#plot || !scene) return null;
    const {box, ratio, x} = this.#frame();
    const colors = this.#pool.colors();
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(box.width));
    canvas.height = Math.max(1, Math.round(box.height));
    const context = canvas.getContext("2d");
    if (!context) return null;
    context.translate(-box.left, -box.top);
    drawGaps(context, scene.gaps, {x, box, ratio, stroke: colors.border, fill: colors.panel});
    this.#drawData(context);
    return {canvas, ...this.#view};
  }

  /** Cells or lines. @param {CanvasRenderingContext2D} context */
  #drawData(context) {
    const scene = /** @type {Scene} */ (this.#scene);
    const {box, ratio, x, y} = this.#frame();
    const colors = this.#pool.colors();
    const frame = {x, y, ratio, from: scene.from, step: scene.step, slots: scene.slots, open: scene.open};
    if (scene.heat) {
      drawHeat(context, scene, {x, y, box, ratio, isLog: this.#value.scale === "log", stops: colors.heat});
      this.#drawPercentiles(context, frame, colors);
    } else this.#drawLines(context, frame, colors);
    // A ribbon at the top where slots are unusual.
    context.fillStyle = colors.warn;
    for (const slot of new Set(scene.unusual.map((one) => one.slot))) {
      const left = x(scene.from + slot * scene.step);
      context.fillRect(left, box.top, Math.max(ratio * 2, x(scene.from + (slot + 1) * scene.step) - left), 3 * ratio);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./bands.js").Frame} frame @param {Colors} colors */
  #drawLines(context, frame, colors) {
    const scene = /** @type {Scene} */ (this.#scene);
    const shown = scene.lines.filter((line) => !line.hidden);
    /** @param {Line} line */
    const colorOf = (line) => line.paint.index ? colors.series[line.paint.index - 1] : colors.edge;
    /** @param {Line} line */
    const faded = (line) => this.#emphasis !== null && line.name !== this.#emphasis;
    if (scene.view === "stack") {
      const layers = stacked(shown.map((line) => line.values));
      shown.forEach((line, i) => drawBand(context, frame, {...layers[i], spacing: line.spacing, color: colorOf(line), alpha: faded(line) ? 0.15 : 0.55}));
      shown.forEach((line, i) => drawLine(context, frame, {values: layers[i].high, spacing: line.spacing, color: colorOf(line), width: 1, dash: [], alpha: faded(line) ? 0.3 : 1}));
      return;
    }
    if (scene.rest) {
      drawBand(context, frame, {low: scene.rest.columns.min ?? [], high: scene.rest.columns.max ?? [], spacing: scene.rest.spacing, color: colors.edge, alpha: 0.16});
      drawLine(context, frame, {values: scene.rest.values, spacing: scene.rest.spacing, color: colors.edge, width: 1.5, dash: []});
    }
    const drawnBands = new Set();
    // Many bands upon each other hide what they show: from the fourth line on only the emphasized one has its band.
    for (const line of shown) {
      if (drawnBands.has(line.name) || shown.length > 3 && line.name !== this.#emphasis || faded(line)) continue;
      drawnBands.add(line.name);
      const band = bandOf(line, scene.band);
      if (band) drawBand(context, frame, {...band, spacing: line.spacing, color: colorOf(line), alpha: scene.band === "sd" ? 0.3 : 0.18});
    }
    for (const line of scene.before) {
      if (!line.hidden) drawLine(context, frame, {values: line.values, spacing: line.spacing, color: colorOf(line), width: 1.25, dash: [1, 3], alpha: faded(line) ? 0.2 : 0.85});
    }
    if (this.#view.until - this.#view.from <= kSecondsSpan) for (const line of shown) if (!faded(line)) drawPoints(context, frame, line.seconds, colorOf(line));
    // Emphasized lines come last, so they lie above.
    for (const line of [...shown].sort((a, b) => Number(!faded(a)) - Number(!faded(b)))) {
      drawLine(context, frame, {values: line.values, spacing: line.spacing, color: colorOf(line), width: 1.5, dash: line.paint.dash, alpha: faded(line) ? 0.25 : 1});
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./bands.js").Frame} frame @param {Colors} colors */
  #drawPercentiles(context, frame, colors) {
    const scene = /** @type {Scene} */ (this.#scene);
    const columns = /** @type {Record<string, any>} */ (scene.lines[0]?.columns ?? {});
    const drawn = percentiles(scene);
    const ends = [];
    for (const {stat, dash, width} of drawn) {
      const values = (columns[stat] ?? []).map((/** @type {number|null} */ value) => value !== null && (value > 0 || this.#value.scale !== "log") ? value : null);
      drawLine(context, frame, {values, spacing: 1, color: colors.panel, width: width + 1.75, dash: [], alpha: 0.6});
      drawLine(context, frame, {values, spacing: 1, color: colors.heatLine, width, dash});
      let slot = values.length - 1;
      while (slot >= 0 && (values[slot] === null || frame.x(frame.from + slot * frame.step) > frame.x(this.#view.until))) --slot;
      if (slot >= 0) ends.push({stat, x: frame.x(Math.min(this.#view.until, frame.from + (slot + 1) * frame.step)), y: frame.y(values[slot])});
    }
    this.#drawNames(context, ends, colors);
  }

  /** Names of lines at their right ends, those that would lie upon each other left out. @param {CanvasRenderingContext2D} context @param {{stat: string, x: number, y: number}[]} ends @param {Colors} colors */
  #drawNames(context, ends, colors) {
    const ratio = devicePixelRatio || 1;
    context.font = `600 ${10 * ratio}px ${colors.font}`;
    context.textAlign = "right";
    context.textBaseline = "bottom";
    context.lineJoin = "round";
    let before = Infinity;
    const highest = this.#frame().box.top + 14 * ratio;
    for (const end of ends) {
      const {stat, x} = end;
      const y = Math.max(end.y, highest);
      if (before - y < 12 * ratio) continue;
      before = y;
      context.lineWidth = 3 * ratio;
      context.strokeStyle = colors.panel;
      context.strokeText(stat, x - 4 * ratio, y - 3 * ratio);
      context.fillStyle = colors.heatLine;
      context.fillText(stat, x - 4 * ratio, y - 3 * ratio);
    }
  }
}

/** Width of a date below a time, in CSS px, and half of a letter. */
const kDateWidth = 96;
const kHalfLetter = 3.2;
/** Room at the right of the plot, for half of a time of day. */
const kRightRoom = 18;

/**
 * Labels without what would be cut at the right, and without the dates that would lie upon the next one.
 * @param {string[]} texts @param {number[]} lefts of the ticks @param {number} width of the plot
 */
function fitted(texts, lefts, width) {
  let next = Infinity;
  const result = [...texts];
  for (let i = texts.length - 1; i >= 0; --i) {
    const [first, date] = texts[i].split("\n");
    const isCut = (/** @type {string} */ text) => lefts[i] + text.length * kHalfLetter > width + kRightRoom;
    if (isCut(first)) result[i] = "";
    else if (date !== undefined && (isCut(date) || next - lefts[i] < kDateWidth)) result[i] = first;
    else if (date !== undefined) next = lefts[i];
  }
  return result;
}
