// Buckets add up: count, sum, min and max of several slots or several series are those of all their samples.

/**
 * Columns of one series, as the server answers them; null is a slot without samples.
 * @typedef {object} Columns
 * @property {(number|null)[]} [count]
 * @property {(number|null)[]} [sum]
 * @property {(number|null)[]} [avg]
 * @property {(number|null)[]} [min]
 * @property {(number|null)[]} [max]
 * @property {(number|null)[]} [stddev]
 * @property {(number|null)[]} [rate]
 */

/**
 * One bucket. `count` is samples, of events the slots that the rates are of.
 * @typedef {object} Bucket
 * @property {number} count
 * @property {number|null} sum
 * @property {number|null} avg
 * @property {number|null} min
 * @property {number|null} max
 * @property {number|null} stddev null if a part does not have it
 */

/** Adds buckets with compensated sums, so that the order does not change the last digits much. */
class Adder {
  count = 0;
  sum = 0;
  /** @type {number|null} */ min = null;
  /** @type {number|null} */ max = null;
  #mean = 0;
  #squares = 0;
  #lost = 0;
  #known = true;

  /**
   * @param {number} count @param {number|null|undefined} sum @param {number|null|undefined} avg
   * @param {number|null|undefined} min @param {number|null|undefined} max @param {number|null|undefined} stddev
   */
  add(count, sum, avg, min, max, stddev) {
    if (!count || avg === null || avg === undefined) return;
    const value = (sum ?? avg * count) - this.#lost;
    const total = this.sum + value;
    this.#lost = total - this.sum - value;
    this.sum = total;
    if (min !== null && min !== undefined && (this.min === null || min < this.min)) this.min = min;
    if (max !== null && max !== undefined && (this.max === null || max > this.max)) this.max = max;
    const all = this.count + count;
    const apart = avg - this.#mean;
    // The deviation of one sample is unknown to the server, and 0 to the sum of squares.
    const own = count === 1 ? 0 : stddev;
    if (own === null || own === undefined) this.#known = false;
    else this.#squares += own * own * (count - 1) + apart * apart * this.count * count / all;
    this.#mean += apart * count / all;
    this.count = all;
  }

  /** @returns {Bucket} */
  bucket() {
    if (this.count === 0) return {count: 0, sum: null, avg: null, min: null, max: null, stddev: null};
    return {
      count: this.count, sum: this.sum, avg: this.#mean, min: this.min, max: this.max,
      stddev: this.#known && this.count > 1 ? Math.sqrt(Math.max(0, this.#squares) / (this.count - 1)) : null,
    };
  }
}

/**
 * The bucket of all slots of a series.
 * @param {Columns} columns
 * @param {number} [first] index of the first slot @param {number} [end] index after the last
 * @returns {Bucket}
 */
export function total(columns, first = 0, end = columns.avg?.length ?? 0) {
  const adder = new Adder();
  for (let slot = first; slot < end; ++slot) addSlot(adder, columns, slot);
  return adder.bucket();
}

/** @param {Adder} adder @param {Columns} columns @param {number} slot */
function addSlot(adder, columns, slot) {
  const avg = columns.avg?.[slot];
  if (avg === null || avg === undefined) return;
  adder.add(columns.count?.[slot] ?? 1, columns.sum?.[slot], avg, columns.min?.[slot] ?? avg, columns.max?.[slot] ?? avg, columns.stddev?.[slot]);
}

/**
 * The columns of several series as one: exact, as if all samples had come to one series.
 * @param {Columns[]} all of the same slots
 * @param {number} slots
 * @returns {{count: (number|null)[], sum: (number|null)[], avg: (number|null)[], min: (number|null)[], max: (number|null)[], stddev: (number|null)[]}}
 */
export function merged(all, slots) {
  /** @type {ReturnType<typeof merged>} */
  const result = {count: [], sum: [], avg: [], min: [], max: [], stddev: []};
  for (let slot = 0; slot < slots; ++slot) {
    const adder = new Adder();
    for (const columns of all) addSlot(adder, columns, slot);
    const bucket = adder.bucket();
    result.count.push(bucket.count || null);
    result.sum.push(bucket.sum);
    result.avg.push(bucket.avg);
    result.min.push(bucket.min);
    result.max.push(bucket.max);
    result.stddev.push(bucket.stddev);
  }
  return result;
}

/** The last value that is not null, and where it is. @param {(number|null)[]|undefined} column @returns {{value: number|null, slot: number}} */
export function last(column) {
  for (let slot = (column?.length ?? 0) - 1; slot >= 0; --slot) {
    const value = column?.[slot];
    if (value !== null && value !== undefined) return {value, slot};
  }
  return {value: null, slot: -1};
}

/** The middle one of the counts, of slots that have any; 0 if none has. @param {(number|null)[]|undefined} counts */
export function medianCount(counts) {
  const present = (counts ?? []).filter((count) => count !== null && count > 0).map(Number).sort((a, b) => a - b);
  return present.length ? present[Math.floor((present.length - 1) / 2)] : 0;
}

/**
 * Runs of slots without a value.
 * @param {(number|null)[]} column
 * @returns {{first: number, end: number}[]} half-open
 */
export function emptyRuns(column) {
  /** @type {{first: number, end: number}[]} */
  const runs = [];
  for (let slot = 0; slot < column.length; ++slot) {
    if (column[slot] !== null && column[slot] !== undefined) continue;
    const lastRun = runs[runs.length - 1];
    if (lastRun && lastRun.end === slot) lastRun.end = slot + 1;
    else runs.push({first: slot, end: slot + 1});
  }
  return runs;
}
