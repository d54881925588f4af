import assert from "node:assert/strict";
import {test} from "node:test";
import {labels, spacing, ticks} from "../../src/panel/time_axis.js";
import {compared, label, parseRange, resolve} from "../../src/model/range.js";
import {addDays, instantOf, isZone, offsetAt, offsetText, wallOf} from "../../src/model/zone.js";
import {time} from "../../src/model/format.js";

const kBerlin = "Europe/Berlin";
/** @param {number[]} of */
const utc = (...of) => Date.UTC(of[0], of[1] - 1, of[2], of[3] ?? 0, of[4] ?? 0, of[5] ?? 0) / 1000;

/** @param {number} from @param {number} until @param {number} count @param {string} zone */
function axis(from, until, count, zone) {
  const by = spacing(from, until, count);
  const at = ticks(from, until, by, zone);
  return {at, texts: labels(at, by, zone).map((text) => text.split("\n")[0]), days: labels(at, by, zone).map((text) => text.split("\n")[1] ?? "")};
}

test("the hour that comes twice has even ticks with unique labels", () => {
  const {at, texts} = axis(utc(2026, 10, 24, 23), utc(2026, 10, 25, 3), 9, kBerlin);
  assert.deepEqual(texts, ["01:00", "01:30", "02:00 +02", "02:30 +02", "02:00 +01", "02:30 +01", "03:00", "03:30", "04:00"]);
  assert.deepEqual(new Set(at.slice(1).map((time, i) => time - at[i])), new Set([1800]));
});

test("the hour that does not come has no tick", () => {
  const {at, texts} = axis(utc(2026, 3, 28, 23, 30), utc(2026, 3, 29, 3), 9, kBerlin);
  assert.deepEqual(texts, ["00:30", "01:00", "01:30", "03:00", "03:30", "04:00", "04:30", "05:00"]);
  assert.deepEqual(new Set(at.slice(1).map((time, i) => time - at[i])), new Set([1800]));
});

test("ticks of hours stay at round readings of the clock over a change", () => {
  assert.deepEqual(axis(utc(2026, 10, 24, 10), utc(2026, 10, 26), 8, kBerlin).texts, ["12:00", "18:00", "00:00", "06:00", "12:00", "18:00", "00:00"]);
  assert.deepEqual(axis(utc(2026, 3, 28, 5), utc(2026, 3, 30), 8, kBerlin).texts, ["06:00", "12:00", "18:00", "00:00", "06:00", "12:00", "18:00", "00:00"]);
});

test("days begin at midnight of the zone", () => {
  const {at, texts} = axis(utc(2026, 10, 20), utc(2026, 10, 28), 10, kBerlin);
  assert.deepEqual(texts.slice(0, 3), ["21 Oct", "22 Oct", "23 Oct"]);
  for (const time of at) assert.equal(wallOf(time, kBerlin).hour, 0);
});

test("months and years have their own ticks", () => {
  assert.deepEqual(axis(utc(2025, 10, 20), utc(2026, 10, 30), 8, kBerlin).texts, ["Nov", "Jan", "Mar", "May", "Jul", "Sep"]);
  assert.deepEqual(axis(utc(2019, 1, 1), utc(2026, 1, 1), 8, "UTC").texts, ["2019", "2020", "2021", "2022", "2023", "2024", "2025", "2026"]);
});

test("the date stands where it begins and where it changes", () => {
  assert.deepEqual(axis(utc(2026, 11, 19, 12), utc(2026, 11, 20, 12), 5, "UTC").days, ["Thu 19 Nov 2026", "", "Fri 20 Nov", "", ""]);
});

test("ticks of any range are bounded, ascending and unique", () => {
  for (const zone of ["UTC", kBerlin, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]) {
    for (let length = 10; length < 3e8; length *= 2.3) {
      const from = utc(2026, 3, 1) - length / 2;
      const {at, texts} = axis(from, from + length, 12, zone);
      assert.ok(at.length <= 14, `${zone} ${length}: ${at.length}`);
      assert.ok(at.length >= 2, `${zone} ${length}: ${at.length}`);
      assert.ok(at.every((time, i) => time >= from && time <= from + length && (i === 0 || time > at[i - 1])), `${zone} ${length}`);
      assert.equal(texts.length, at.length);
    }
  }
});

test("last week compares nine o'clock with nine o'clock", () => {
  const now = instantOf(2026, 10, 30, 9, 0, 0, kBerlin);
  assert.equal(time(compared(now, "1w", kBerlin), kBerlin), "2026-10-23 09:00:00");
  assert.equal(time(compared(instantOf(2026, 3, 31, 9, 0, 0, kBerlin), "1w", kBerlin), kBerlin), "2026-03-24 09:00:00");
  assert.equal(time(compared(instantOf(2026, 3, 30, 2, 30, 0, kBerlin), "1d", kBerlin), kBerlin), "2026-03-29 03:30:00");
});

test("instants and readings of the clock are inverse", () => {
  for (const zone of ["UTC", kBerlin, "America/St_Johns", "Pacific/Auckland"]) {
    for (let at = utc(2026, 1, 1); at < utc(2027, 1, 1); at += 86400 * 3 + 3600 * 5 + 61) {
      const wall = wallOf(at, zone);
      const back = instantOf(wall.year, wall.month, wall.day, wall.hour, wall.minute, wall.second, zone);
      assert.ok(back === at || offsetAt(back, zone) !== offsetAt(at, zone), `${zone} ${at}`);
    }
  }
  assert.equal(addDays(utc(2026, 1, 31, 12), 1, "UTC"), utc(2026, 2, 1, 12));
});

test("zones are known by name, offsets are short", () => {
  assert.ok(isZone("America/New_York"));
  assert.ok(!isZone("Mars/Olympus"));
  assert.equal(offsetText(20700), "+05:45");
  assert.equal(offsetText(-3600), "-01");
});

test("ranges as a person writes them", () => {
  const now = utc(2026, 11, 20, 15);
  /** @param {string} text */
  const seconds = (text) => {
    const range = parseRange(text, now, kBerlin);
    return range && [resolve(range.from, now), resolve(range.until, now)];
  };
  assert.deepEqual(parseRange("1y", now, kBerlin), {from: "-1y", until: "now"});
  assert.deepEqual(parseRange("now-6h/now-1h", now, kBerlin), {from: "-6h", until: "-1h"});
  assert.deepEqual(seconds("2026-11-20 14:00/15:30"), [utc(2026, 11, 20, 13), utc(2026, 11, 20, 14, 30)]);
  assert.deepEqual(seconds("14:00+90m"), [utc(2026, 11, 20, 13), utc(2026, 11, 20, 14, 30)]);
  assert.deepEqual(seconds("1795100000/1795103600"), [1795100000, 1795103600]);
  assert.deepEqual(seconds("2026-10-25"), [utc(2026, 10, 24, 22), utc(2026, 10, 25, 23)]);
  for (const wrong of ["", "junk", "6", "2026-13-01", "15:00/14:00", "1h/2x", "/", "-"]) {
    const range = parseRange(wrong, now, kBerlin);
    assert.ok(range === null || wrong === "6", wrong);
  }
  assert.equal(label("-1h", "now", now, "UTC").replaceAll("\u202F", " "), "last 1 h");
  assert.equal(label("1795186800", "1795190400", now, "UTC"), "2026-11-20 15:00–16:00");
});
