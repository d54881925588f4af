import assert from "node:assert/strict";
import {test} from "node:test";
import {age, axis, clock, count, number, shortened, span, step, text, time, visible} from "../../src/model/format.js";
import {unit, unitOf} from "../../src/model/units.js";

/** Thin spaces as plain ones. @param {string} shown */
const plain = (shown) => shown.replaceAll("\u202F", " ");

test("numbers have four significant digits and the prefix of their unit", () => {
  /** @type {[number|null, string, string, string][]} */
  const golden = [
    [1204331, "shop.orders", "gauge", "1.204 M"], [9100, "shop.orders", "event", "9.1 k/s"], [19084083.2, "host.net.bytes", "event", "18.2 MiB/s"],
    [1240000, "host.block.latency_ns", "distribution", "1.24 ms"], [1.25e9, "host.cpu.time_ns", "event", "1.25 cores"], [9.7e8, "host.block.busy_ns", "event", "97 %"],
    [2.5e8, "host.psi.stalled_ns", "event", "25 %"], [37.24, "host.cpu.busy_percent", "gauge", "37.24 %"], [0, "a_bytes", "gauge", "0 B"], [null, "a", "gauge", "–"],
    [999950, "a", "gauge", "1 M"], [-1536, "a_bytes", "gauge", "−1.5 KiB"], [90e9, "a_ns", "gauge", "1.5 min"], [80e9, "a_ns", "gauge", "80 s"], [450, "a_us", "distribution", "450 µs"],
    [0.05, "a", "event", "0.05 /s"], [86400 * 3, "uptime_seconds", "gauge", "3 d"],
  ];
  for (const [value, name, kind, shown] of golden) assert.equal(plain(text(value, unitOf(name, kind))), shown, `${value} of ${name}`);
});

test("a number and its unit come apart", () => {
  assert.deepEqual(number(18.2 * 1048576, "bytes_per_second"), {text: "18.2", unit: "MiB/s"});
  assert.deepEqual(number(undefined, "bytes"), {text: "–", unit: ""});
  assert.deepEqual(number(Infinity, "none"), {text: "∞", unit: ""});
});

test("counts are whole and grouped", () => {
  assert.equal(plain(count(12431)), "12 431");
  assert.equal(plain(count(1234)), "1234");
  assert.equal(plain(count(123456789)), "123 456 789");
  assert.equal(count(null), "–");
});

test("labels of an axis have one prefix and as many digits as tell them apart", () => {
  assert.deepEqual(axis([0, 524288, 1048576], unit("bytes")).map(plain), ["0", "0.5 MiB", "1 MiB"]);
  assert.deepEqual(axis([36.0001, 36.0002], unit("none")), ["36.0001", "36.0002"]);
  assert.deepEqual(axis([1e3, 1e6, 1e9], unit("ns"), true).map(plain), ["1 µs", "1 ms", "1 s"]);
});

test("ages have at most two units", () => {
  /** @type {[number, string][]} */
  const golden = [[0, "0 s"], [0.4, "400 ms"], [12, "12 s"], [360, "6 min"], [90, "1 min 30 s"], [3600, "1 h"], [3700, "1 h 1 min"], [1051200, "12 d 4 h"], [5400, "1 h 30 min"]];
  for (const [seconds, shown] of golden) assert.equal(plain(age(seconds)), shown, String(seconds));
  assert.equal(plain(step(604800)), "1 w");
  assert.equal(plain(step(300)), "5 min");
});

test("times are those of the zone, and both of a doubled hour have their offset", () => {
  const first = Date.UTC(2026, 9, 25, 0, 30) / 1000;
  assert.equal(time(first, "Europe/Berlin"), "2026-10-25 02:30:00 +02");
  assert.equal(time(first + 3600, "Europe/Berlin"), "2026-10-25 02:30:00 +01");
  assert.equal(clock(first + 7200, "Europe/Berlin"), "03:30:00");
  assert.equal(time(first, "UTC"), "2026-10-25 00:30:00");
  assert.equal(span(first, first + 86400, "UTC"), "2026-10-25 00:30–2026-10-26 00:30");
  assert.equal(span(first, first + 20, "UTC"), "2026-10-25 00:30:00–00:30:20");
});

test("characters that are invisible or turn text around are seen", () => {
  assert.equal(visible("a\u202Eb\u2066c\u200B\u0085d\u{E0041}"), "a‹U+202E›b‹U+2066›c‹U+200B›‹U+0085›d‹U+E0041›");
  assert.equal(visible("<img src=x> 😀 é"), "<img src=x> 😀 é");
});

test("long names lose their middle, whole characters at a time", () => {
  assert.equal(shortened("host.web1.sched.runqueue_wait_ns", 20), "host.w…queue_wait_ns");
  assert.equal(shortened("short", 20), "short");
  assert.equal(Array.from(shortened("😀".repeat(30), 10)).length, 10);
});
