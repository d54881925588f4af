import assert from "node:assert/strict";
import {test} from "node:test";
import {emptyRuns, medianCount, merged, total} from "../../src/model/buckets.js";

/** Numbers that do not depend on anything but the seed. @param {number} seed */
function random(seed) {
  let state = seed;
  return () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32;
}

/** The columns of samples in slots. @param {number[][]} slots */
function columnsOf(slots) {
  /** @param {(samples: number[]) => number} of */
  const column = (of) => slots.map((samples) => samples.length ? of(samples) : null);
  /** @param {number[]} samples */
  const sum = (samples) => samples.reduce((all, one) => all + one, 0);
  /** @param {number[]} samples */
  const sd = (samples) => Math.sqrt(sum(samples.map((one) => (one - sum(samples) / samples.length) ** 2)) / (samples.length - 1));
  return {
    count: column((samples) => samples.length), sum: column(sum), avg: column((samples) => sum(samples) / samples.length), min: column((samples) => Math.min(...samples)),
    max: column((samples) => Math.max(...samples)), stddev: slots.map((samples) => samples.length > 1 ? sd(samples) : null),
  };
}

/** @param {number} next @param {number} want @param {string} what */
const near = (next, want, what) => assert.ok(Math.abs(next - want) <= 1e-9 * Math.max(1, Math.abs(want)), `${what}: ${next} and ${want}`);

test("the total of slots is that of all their samples, at every step", () => {
  const next = random(7);
  const samples = Array.from({length: 600}, () => Array.from({length: Math.floor(next() * 4)}, () => Math.round(next() * 1e6) / 100 + 1e6));
  const all = columnsOf([samples.flat()]);
  for (const step of [1, 2, 5, 10, 60, 600]) {
    const slots = Array.from({length: 600 / step}, (_, slot) => samples.slice(slot * step, (slot + 1) * step).flat());
    const bucket = total(columnsOf(slots));
    assert.equal(bucket.count, all.count[0]);
    assert.equal(bucket.min, all.min[0]);
    assert.equal(bucket.max, all.max[0]);
    near(bucket.sum ?? NaN, all.sum[0] ?? NaN, `sum at ${step}`);
    near(bucket.avg ?? NaN, all.avg[0] ?? NaN, `avg at ${step}`);
    near(bucket.stddev ?? NaN, all.stddev[0] ?? NaN, `stddev at ${step}`);
  }
});

test("series merge as if their samples had come to one", () => {
  const next = random(3);
  const series = Array.from({length: 5}, () => Array.from({length: 20}, () => Array.from({length: Math.floor(next() * 3)}, () => Math.round(next() * 1000))));
  const one = merged(series.map(columnsOf), 20);
  const want = columnsOf(Array.from({length: 20}, (_, slot) => series.flatMap((slots) => slots[slot])));
  assert.deepEqual(one.count, want.count);
  assert.deepEqual(one.min, want.min);
  assert.deepEqual(one.max, want.max);
  one.avg.forEach((value, slot) => value === null ? assert.equal(want.avg[slot], null) : near(value, want.avg[slot] ?? NaN, `avg of ${slot}`));
});

test("without deviations there is none of the total", () => {
  assert.equal(total({avg: [1, 2], count: [2, 2]}).stddev, null);
  assert.equal(total({avg: [1, 3], count: [1, 1]}).stddev, Math.SQRT2);
  assert.deepEqual(total({avg: [null]}), {count: 0, sum: null, avg: null, min: null, max: null, stddev: null});
});

test("runs without samples", () => {
  assert.deepEqual(emptyRuns([null, 1, null, null, 2, null]), [{first: 0, end: 1}, {first: 2, end: 4}, {first: 5, end: 6}]);
  assert.equal(medianCount([null, 1, 5, 9, null]), 5);
  assert.equal(medianCount([]), 0);
});
