// Lines and bands. A value is drawn over its whole slot: as a step when slots are wide, else as a line through their middles.

/** Slots at least so wide, in CSS px, are steps. */
export const kStepWidth = 5;

/**
 * @typedef {object} Frame
 * @property {(time: number) => number} x time to canvas px
 * @property {(value: number) => number} y value to canvas px
 * @property {number} ratio canvas px of a CSS px
 * @property {number} from @property {number} step @property {number} slots of the values
 * @property {number} open index of the slot under way, or -1
 */

/**
 * Runs of slots that are drawn without a break: gaps up to the usual distance of samples are bridged.
 * @param {(number|null)[]} values @param {number} spacing
 * @returns {number[][]} slots of each run
 */
function runsOf(values, spacing) {
  /** @type {number[][]} */
  const runs = [];
  let before = -Infinity;
  for (let slot = 0; slot < values.length; ++slot) {
    const value = values[slot];
    if (value === null || value === undefined) continue;
    if (slot - before > (spacing > 1 ? spacing * 1.5 : 1)) runs.push([]);
    runs[runs.length - 1].push(slot);
    before = slot;
  }
  return runs;
}

/**
 * Slots that are narrower than a pixel as few that are not: an even number for each column of pixels.
 * @param {Frame} frame
 * @returns {number} slots that become one column; 1 if they are wide enough
 */
function crowd({x, from, step, ratio}) {
  const width = x(from + step) - x(from);
  return width >= 0.75 * ratio || width <= 0 ? 1 : Math.ceil(ratio / width);
}

/**
 * The least and the greatest value of each column of pixels, in the order in which they come.
 * @param {(number|null)[]} values @param {number} group slots of a column
 */
function extremes(values, group) {
  /** @type {(number|null)[]} */
  const result = [];
  for (let start = 0; start < values.length; start += group) {
    let low = -1;
    let high = -1;
    for (let slot = start; slot < Math.min(values.length, start + group); ++slot) {
      const value = values[slot];
      if (value === null || value === undefined) continue;
      if (low < 0 || value < /** @type {number} */ (values[low])) low = slot;
      if (high < 0 || value > /** @type {number} */ (values[high])) high = slot;
    }
    if (low < 0) result.push(null, null);
    else result.push(values[Math.min(low, high)], values[Math.max(low, high)]);
  }
  return result;
}

/** @param {(number|null)[]} values @param {number} group @param {(a: number, b: number) => number} of */
function folded(values, group, of) {
  /** @type {(number|null)[]} */
  const result = [];
  for (let start = 0; start < values.length; start += group) {
    /** @type {number|null} */
    let all = null;
    for (let slot = start; slot < Math.min(values.length, start + group); ++slot) {
      const value = values[slot];
      if (value !== null && value !== undefined) all = all === null ? value : of(all, value);
    }
    result.push(all);
  }
  return result;
}

/** @param {Frame} frame */
function isStepped({x, from, step, ratio}) {
  return x(from + step) - x(from) >= kStepWidth * ratio;
}

/**
 * Points of one run from its first slot's begin to its last one's end.
 * @param {Frame} frame @param {number[]} run @param {(slot: number) => number} value
 * @returns {[number, number][]}
 */
function pointsOf(frame, run, value) {
  const {x, y, from, step} = frame;
  /** @type {[number, number][]} */
  const points = [];
  if (isStepped(frame)) {
    for (const slot of run) {
      const level = y(value(slot));
      points.push([x(from + slot * step), level], [x(from + (slot + 1) * step), level]);
    }
    return points;
  }
  points.push([x(from + run[0] * step), y(value(run[0]))]);
  for (const slot of run) points.push([x(from + (slot + 0.5) * step), y(value(slot))]);
  points.push([x(from + (run[run.length - 1] + 1) * step), y(value(run[run.length - 1]))]);
  return points;
}

/** @param {CanvasRenderingContext2D} context @param {[number, number][]} points */
function trace(context, points) {
  points.forEach(([left, top], i) => i ? context.lineTo(left, top) : context.moveTo(left, top));
}

/**
 * @param {CanvasRenderingContext2D} context @param {Frame} given
 * @param {{values: (number|null)[], spacing: number, color: string, width: number, dash: number[], alpha?: number}} line
 */
export function drawLine(context, given, {values: all, spacing: apart, color, width, dash, alpha = 1}) {
  const group = crowd(given);
  const values = group > 1 ? extremes(all, group) : all;
  const frame = group > 1 ? {...given, step: given.step * group / 2, slots: values.length, open: given.open < 0 ? -1 : values.length - 1} : given;
  const spacing = group > 1 ? Math.ceil(apart / group) * 2 : apart;
  const solid = new Path2D();
  const opened = new Path2D();
  for (const run of runsOf(values, spacing)) {
    const points = pointsOf(frame, run, (slot) => /** @type {number} */ (values[slot]));
    const isOpen = run[run.length - 1] === frame.open;
    // The slot under way is the last two points of steps, and the last two of a line.
    const cut = isOpen ? points.length - 2 : points.length;
    points.forEach(([left, top], i) => {
      if (i < cut) i ? solid.lineTo(left, top) : solid.moveTo(left, top);
      else if (i === cut) {
        if (i === 0) opened.moveTo(left, top);
        else {
          opened.moveTo(points[i - 1][0], points[i - 1][1]);
          opened.lineTo(left, top);
        }
      } else opened.lineTo(left, top);
    });
  }
  context.save();
  context.strokeStyle = color;
  context.globalAlpha = alpha;
  context.lineWidth = width * frame.ratio;
  context.lineJoin = "round";
  context.lineCap = "butt";
  context.setLineDash(dash.map((length) => length * frame.ratio));
  context.stroke(solid);
  context.setLineDash([2 * frame.ratio, 2 * frame.ratio]);
  context.stroke(opened);
  context.restore();
}

/**
 * Points at any times, a hole where one has no value.
 * @param {CanvasRenderingContext2D} context @param {Frame} frame @param {[number, number|null][]} points @param {string} color
 */
export function drawPoints(context, frame, points, color) {
  context.save();
  context.beginPath();
  let isDown = false;
  for (const [time, value] of points) {
    if (value === null) isDown = false;
    else {
      if (isDown) context.lineTo(frame.x(time), frame.y(value));
      else context.moveTo(frame.x(time), frame.y(value));
      isDown = true;
    }
  }
  context.strokeStyle = color;
  context.globalAlpha = 0.55;
  context.lineWidth = frame.ratio;
  context.lineJoin = "round";
  context.stroke();
  context.restore();
}

/**
 * The area between two columns.
 * @param {CanvasRenderingContext2D} context @param {Frame} given
 * @param {{low: (number|null)[], high: (number|null)[], spacing: number, color: string, alpha: number}} band
 */
export function drawBand(context, given, {low: lows, high: highs, spacing: apart, color, alpha}) {
  const group = crowd(given);
  const low = group > 1 ? folded(lows, group, Math.min) : lows;
  const high = group > 1 ? folded(highs, group, Math.max) : highs;
  const frame = group > 1 ? {...given, step: given.step * group, slots: low.length, open: -1} : given;
  const spacing = group > 1 ? Math.ceil(apart / group) : apart;
  const present = low.map((value, slot) => value === null || value === undefined || high[slot] === null || high[slot] === undefined ? null : value);
  context.save();
  context.beginPath();
  for (const run of runsOf(present, spacing)) {
    const top = pointsOf(frame, run, (slot) => /** @type {number} */ (high[slot]));
    const bottom = pointsOf(frame, run, (slot) => /** @type {number} */ (low[slot]));
    // A band that is thinner than a pixel would vanish: it keeps half of one.
    top.forEach((point, i) => { if (bottom[i][1] - point[1] < frame.ratio / 2) point[1] = bottom[i][1] - frame.ratio / 2; });
    trace(context, [...top, ...bottom.reverse()]);
    context.closePath();
  }
  context.fillStyle = color;
  context.globalAlpha = alpha;
  context.fill();
  context.restore();
}

/**
 * Values of lines laid upon each other; a slot that has no sample counts as 0 where any other has one.
 * @param {(number|null)[][]} columns
 * @returns {{low: (number|null)[], high: (number|null)[]}[]}
 */
export function stacked(columns) {
  const slots = columns[0]?.length ?? 0;
  /** @type {number[]} */
  const base = new Array(slots).fill(0);
  const present = Array.from({length: slots}, (_, slot) => columns.some((column) => column[slot] !== null && column[slot] !== undefined));
  return columns.map((column) => {
    /** @type {(number|null)[]} */ const low = [];
    /** @type {(number|null)[]} */ const high = [];
    for (let slot = 0; slot < slots; ++slot) {
      low.push(present[slot] ? base[slot] : null);
      base[slot] += column[slot] ?? 0;
      high.push(present[slot] ? base[slot] : null);
    }
    return {low, high};
  });
}
