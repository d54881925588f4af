import assert from "node:assert/strict";
import { test } from "node:test";
import { createLiveSlots, kSlotsMax, statsOf, withLive } from "../../src/data/live_slots.js";

const answer = (more = {}) => ({
  id: "p0", status: 200, from: 1000, until: 1060, step: 20, tier: 10,
  series: [{ name: "a", kind: "gauge", avg: [1, 2, 3], min: [1, 2, 3], max: [1, 2, 3], count: [2, 2, 1], p99: [1, 2, 3] }], ...more,
});

test("a slot is computed anew from its stored slots, and the answer grows with time", () => {
  const live = createLiveSlots();
  live.add([{ name: "a", t: 1040, sum: 10, count: 2, min: 4, max: 6 }, { name: "a", t: 1050, sum: 2, count: 1, min: 2, max: 2 },
    { name: "a", t: 1060, sum: 9, count: 1, min: 9, max: 9 }], 1065, 10);
  const joined = withLive(answer(), live, 1065);
  assert.deepEqual(joined.series[0].avg, [1, 2, 4, 9]);
  assert.deepEqual(joined.series[0].min, [1, 2, 2, 9]);
  assert.deepEqual(joined.series[0].count, [2, 2, 3, 1]);
  assert.deepEqual(joined.series[0].p99, [1, 2, 3, null]);
  assert.equal(joined.until, 1080);
});

test("slots that began before the stream knows all of them stay as they were", () => {
  const live = createLiveSlots();
  live.add([{ name: "a", t: 1030, sum: 100, count: 1, min: 100, max: 100 }], 1095, 10);
  assert.equal(live.knownFrom, 1030);
  assert.deepEqual(withLive(answer(), live, 1095), answer());
});

test("nothing new is the same object; heatmaps and steps that do not fit are left alone", () => {
  const live = createLiveSlots();
  const same = answer();
  assert.equal(withLive(same, live, 1065), same);
  live.add([{ name: "a", t: 1060, sum: 1, count: 1, min: 1, max: 1 }], 1065, 10);
  for (const other of [answer({ step: 25 }), answer({ counts: [[1]] }), answer({ tier: null })]) assert.equal(withLive(other, live, 1065), other);
});

test("rates of a coarser tier are those of its own slots; seconds are finer than what the stream tells", () => {
  const live = createLiveSlots();
  live.add([1200, 1210, 1220].map((t, i) => ({ name: "a", t, sum: 10 * i })), 1225, 10);
  live.add([{ name: "a", t: 1290, sum: 300 }], 1300, 10);
  const coarse = { id: "p0", status: 200, from: 1200, until: 1300, step: 100, tier: 50, series: [{ name: "a", kind: "counter", avg: [7], min: [7], max: [7], sum: [7], count: [7] }] };
  const [joined] = withLive(coarse, live, 1300).series;
  assert.deepEqual([joined.sum, joined.min, joined.max, joined.count], [[330], [30 / 50], [300 / 50], [2]]);
  const seconds = answer({ step: 1, tier: 1, until: 1003 });
  assert.equal(withLive(seconds, live, 1225), seconds);
});

test("the rate of an open slot is of the time that has passed", () => {
  const at = { begin: 1000, step: 20, tier: 10, now: 1004 };
  assert.deepEqual(statsOf("event", [{ t: 1000, sum: 400 }], at), { sum: 400, rate: 100, avg: 100, min: 100, max: 100, count: 1 });
  const later = statsOf("event", [{ t: 1000, sum: 1000 }], { ...at, now: 1020 });
  assert.equal(later.rate, 50);
  assert.equal(later.min, 0);
  assert.equal(statsOf("counter", [{ t: 1000, sum: 1000 }], { ...at, now: 1020 }).rate, 100);
});

test("few slots are kept of each series, and what went is not known any more", () => {
  const live = createLiveSlots();
  for (let i = 0; i < 100; ++i) live.add([{ name: "a", t: 1000 + i * 10, sum: 1, count: 1, min: 1, max: 1 }], 1000 + i * 10, 10);
  assert.equal(live.of("a").size, kSlotsMax);
  assert.ok(live.knownFrom >= 1000 + 99 * 10 - kSlotsMax * 10);
  live.clear();
  assert.equal(live.knownFrom, Infinity);
});
