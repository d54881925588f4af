import assert from "node:assert/strict";
import {test} from "node:test";
import {kKept, Seconds} from "../../src/model/seconds.js";

test("the difference of two open slots is the second between", () => {
  const seconds = new Seconds();
  seconds.add("cpu", "gauge", {t: 0, sum: 10, count: 1}, 1);
  seconds.add("cpu", "gauge", {t: 0, sum: 40, count: 3}, 2);
  seconds.add("cpu", "gauge", {t: 0, sum: 40, count: 3}, 3);
  seconds.add("cpu", "gauge", {t: 10, sum: 7, count: 1}, 11);
  assert.deepEqual(seconds.of("cpu"), [[2, 15], [3, null], [11, 7]]);
});

test("rates of events are by the time that has passed, also over the begin of a slot", () => {
  const seconds = new Seconds();
  seconds.add("hits", "event", {t: 0, sum: 800}, 8);
  seconds.add("hits", "event", {t: 0, sum: 900}, 9);
  seconds.add("hits", "event", {t: 10, sum: 100}, 11);
  seconds.add("hits", "event", {t: 10, sum: 200}, 12);
  assert.deepEqual(seconds.of("hits"), [[9, 100], [11, 100], [12, 100]]);
});

test("late and repeated slots change nothing, old seconds go", () => {
  const seconds = new Seconds();
  for (let now = 1; now <= kKept + 100; ++now) seconds.add("a", "gauge", {t: Math.floor(now / 10) * 10, sum: now % 10 + 1, count: now % 10 + 1}, now);
  const points = seconds.of("a");
  assert.ok(points.length <= kKept + 1);
  assert.ok(points.every(([, value]) => value === 1));
  seconds.add("a", "gauge", {t: 0, sum: 5, count: 1}, kKept + 101);
  seconds.add("a", "gauge", {t: 990, sum: 100, count: 11}, 5);
  assert.equal(seconds.of("a").length, points.length);
  seconds.clear();
  assert.deepEqual(seconds.of("a"), []);
});
