import assert from "node:assert/strict";
import {test} from "node:test";
import {command, csv, curl} from "../../src/panel/export.js";
import {elsewhere} from "../../src/panel/panel_state.js";
import {queriesOf} from "../../src/panel/queries.js";
import {sceneOf} from "../../src/panel/scene.js";
import {selected} from "../../src/panel/heatmap.js";
import {sentence} from "../../src/panel/readout.js";
import {drawLine, stacked} from "../../src/panel/bands.js";
import {linearTicks, logTicks, niceLimits} from "../../src/panel/value_axis.js";
import {Palette} from "../../src/model/colors.js";
import {unit} from "../../src/model/units.js";
import {badgesOf} from "../../src/panel/badges.js";
import {spacing} from "../../src/panel/time_axis.js";
import {changed, kPresets, kShortest} from "../../src/model/range.js";
import {finestSlot, grouping, isOfHosts, maxPoints, openSlot, roundStep} from "../../src/model/step.js";

const kRange = {from: 0, until: 100, now: 95, zone: "UTC"};

/** @param {any} answer @param {any} [spec] @param {any} [more] @param {any[]} [marks] */
const scene = (answer, spec = {}, more = {}, marks = []) => {
  const found = sceneOf({id: "p", ...spec}, kRange, {p: {id: "p", status: 200, from: 0, until: 100, step: 10, tier: 10, ...answer}, ...more}, new Palette(), marks);
  assert.ok(found);
  return found;
};

test("the open slot is the one that now is in", () => {
  assert.equal(openSlot({from: 0, until: 100, step: 10}, 95), 9);
  assert.equal(openSlot({from: 0, until: 100, step: 10}, 100), -1);
  assert.equal(scene({series: [{name: "a", kind: "gauge", avg: Array(10).fill(1)}]}).open, 9);
});

test("a gap is longer than two slots, and has a reason", () => {
  const avg = [1, 1, null, null, 1, null, null, null, 1, 1];
  const answer = {series: [{name: "a;host=web7", kind: "gauge", avg, count: avg}]};
  const plain = scene(answer);
  assert.deepEqual(plain.gaps.map(({from, until, reason}) => ({from, until, reason})), [{from: 50, until: 80, reason: "no samples"}]);
  const up = {"p~up": {id: "p~up", status: 200, from: 0, until: 100, step: 10, series: [{name: "host.up;host=web7", kind: "counter", count: avg}]}};
  assert.equal(scene(answer, {}, up).gaps[0].reason, "host silent (agent away)");
  const mark = {kind: "loss", time: 60, until: 70, title: "web7 lost 400 lines: spool_full", host: "web7"};
  assert.equal(scene(answer, {}, up, [mark]).gaps[0].reason, "web7 lost 400 lines: spool_full");
  assert.equal(scene(answer, {}, up, [{...mark, host: "web8"}]).gaps[0].reason, "host silent (agent away)");
});

test("before the first sample of all lines, and past their retention, there is a reason", () => {
  const avg = [null, null, null, null, 1, 1, 1, 1, 1, 1];
  const reason = (/** @type {any[]} */ ...abouts) => scene({series: abouts.map((about, i) => ({name: `a${i}`, kind: "gauge", avg, ...about}))}).gaps[0].reason;
  assert.equal(reason({since: 40}), "before the first sample");
  assert.equal(reason({since: 39}), "no samples");
  assert.equal(reason({since: 40}, {since: 10}), "no samples");
  assert.equal(reason({since: 40}, {since: 50}), "before the first sample");
  assert.equal(reason({since: -500, kept_from: 33}), "older than retention", "it ends within the slot before");
  assert.equal(reason({since: -500, kept_from: 29}), "no samples");
  assert.equal(reason({since: -500, kept_from: 33}, {since: -500, kept_from: 0}), "no samples");
  const heat = scene({series: ["a"], buckets: [[1, 2]], counts: [[null, null, null, null, 5, 5, 5, 5, 5, 5]], count: [0, 0, 0, 0, 5, 5, 5, 5, 5, 5].map((n) => n || null), since: 40, last: 90, kept_from: -9});
  assert.equal(heat.gaps[0].reason, "before the first sample");
});

test("a range without samples says where they are", () => {
  const range = {from: 3600, until: 7200, now: 200_000, zone: "UTC"};
  const of = (/** @type {any[]} */ ...series) => elsewhere(/** @type {any} */ ({id: "p", status: 200, series}), range);
  assert.equal(of({name: "a"}), null);
  assert.deepEqual(of({since: 0, last: 1800, kept_from: -1}), {words: "the last one was 00:30", at: 1800});
  assert.deepEqual(of({since: 0, last: 1800, kept_from: -1}, {since: 0, last: 3000, kept_from: -1}), {words: "the last one was 00:50", at: 3000});
  assert.deepEqual(of({since: 0, last: 100_000, kept_from: -1}), {words: "the last one was 1970-01-02 03:46", at: 100_000});
  assert.deepEqual(of({since: 7200, last: 100_000, kept_from: -1}), {words: "the first one was 02:00", at: 7200});
  assert.deepEqual(of({since: 0, last: 100_000, kept_from: 50_000}), {words: "that is older than retention, which begins 13:53", at: null});
  assert.deepEqual(of({since: 0, last: 1800, kept_from: 50_000}), {words: "the last one was 00:30, which is older than retention", at: null});
  assert.deepEqual(elsewhere(/** @type {any} */ ({counts: [], since: 0, last: 1800, kept_from: -1}), range), {words: "the last one was 00:30", at: 1800});
});

test("what is drawn is asked from when to when it has samples", () => {
  const learnt = {kinds: new Set(["gauge"]), hosts: [], series: 1, gaps: false};
  const asked = queriesOf({id: "p", series: ["a"], compare: "1d"}, kRange, 600, learnt);
  assert.deepEqual(asked.map((one) => [one.id, one.about]), [["p", true], ["p~cmp", undefined], ["p~all", undefined]]);
  assert.equal(queriesOf({id: "p", expr: "sum(a)"}, kRange, 600, learnt)[0].about, undefined);
});

test("series that are sent each minute have no gaps between their samples", () => {
  assert.deepEqual(scene({series: [{name: "a", kind: "gauge", avg: [1, null, null, 1, null, null, 1, null, null, 1]}]}).gaps, []);
  const old = [{name: "a", kind: "gauge", avg: [1, 1, 1, 1, 1, 1, null, null, null, null]}];
  assert.equal(scene({series: old}).gaps.length, 1);
  assert.deepEqual(scene({series: old, at: 62}).gaps, [], "what came after the answer was asked is not known");
});

test("seconds that are on their way are neither a fall of the rate nor a gap; ten of them that lack are", () => {
  const count = Array.from({length: 60}, (_, i) => i < 57 ? 1 : null);
  const second = {from: 1000, until: 1060, step: 1, tier: 1};
  const at = {from: 1000, until: 1060, now: 1060, zone: "UTC"};
  /** @param {string} kind @param {any[]} avg */
  const of = (kind, avg) => /** @type {any} */ (sceneOf({id: "p"}, at, {p: {id: "p", status: 200, ...second, series: [{name: "a;host=b", kind, avg, count}]}}, new Palette(), []));
  const gauge = of("gauge", count);
  assert.deepEqual(gauge.gaps, []);
  assert.equal(of("gauge", count.map((value, i) => i < 47 ? value : null)).gaps.length, 1);
  const rates = of("event", Array.from({length: 60}, (_, i) => i < 57 ? 5 : 0));
  assert.deepEqual(rates.lines[0].values.slice(55), [5, 5, null, null, null]);
  const later = sceneOf({id: "p"}, {...at, until: 1100, now: 1095}, {p: {id: "p", status: 200, ...second, at: 1060, series: [{name: "a", kind: "event", avg: count.map((value) => value ?? 0), count}]}}, new Palette(), []);
  assert.deepEqual(later?.lines[0].values.slice(56), [1, null, null, null], "what was under way when it was asked has not become whole by itself");
  assert.equal(badgesOf(gauge, {live: false, within: 0})[0].text.replaceAll("\u202F", " "), "1 s × 1");
  assert.equal(badgesOf(gauge, {live: false, within: 0}).length, 1, "the finest tier needs no badge of its own");
});

test("what tiles slots finer than the stored ones ends where the stored slot under way begins", () => {
  const value = Array.from({length: 40}, (_, i) => i);
  const answer = {id: "p", status: 200, from: 1001, until: 1041, step: 1, tier: 10, series: [{labels: {n: "1"}, value}]};
  /** @param {string} expr @param {number} tier @param {number} [now] */
  const lastOf = (expr, tier, now = 1036) => {
    const scene = sceneOf({id: "p", expr}, {from: 1000, until: 1040, now, zone: "UTC"}, {p: /** @type {any} */ ({...answer, tier})}, new Palette(), []);
    return scene?.lines[0].values.filter((one) => one !== null).length;
  };
  assert.equal(lastOf("rate(a[$step])", 10), 30);
  assert.equal(lastOf("rate(a[$step])", 1), 36);
  assert.equal(lastOf("a", 10), 40);
  assert.equal(lastOf("rate(a[$step])", 60, 1070), 20, "of a range that has ended, too");
  assert.equal(lastOf("rate(a[$step])", 10, 1070), 40);
});

test("ranges go down to a few seconds, by the menu to a minute; expressions keep to slots that every series has", () => {
  assert.equal(kPresets[0], "1m");
  const near = changed({from: 100, until: 160}, {scale: 0.001});
  assert.equal(Math.round(near.until - near.from), kShortest);
  assert.ok(kShortest <= 10);
  assert.deepEqual(spacing(0, 10, 12), {unit: "second", count: 1});
  assert.equal(finestSlot("1s:6h,10s:10d"), 1);
  assert.equal(finestSlot("10s:10d,5m:1y,1h:6y"), 10);
  assert.equal(finestSlot(undefined), 10);
  assert.equal(finestSlot("1s:6h,10s:10d,5m:1y", 5 * 3600), 1);
  assert.equal(finestSlot("1s:6h,10s:10d,5m:1y", 7 * 3600), 10);
  assert.equal(finestSlot("1s:6h,10s:10d,5m:1y", 20 * 86400), 300);
  assert.equal(roundStep(0, 60, 300, 10), 10);
  assert.equal(roundStep(0, 60, 300, 1), 1);
});

test("expressions over series of hosts have steps of seconds where hosts keep them", () => {
  const range = {from: 1000, until: 1120, now: 1120, zone: "UTC", finest: 10, hostFinest: 1};
  const step = (/** @type {string} */ expr) => queriesOf({id: "p", expr}, /** @type {any} */ (range), 400, {powers: 0})[0].step;
  assert.equal(step(`sum(rate({"host.cpu.time_ns",mode!="idle"}[$step]))`), 1);
  assert.equal(step(`avg({"host.load.1m"})`), 1);
  assert.equal(step(`avg({"host.load.1m"}) + avg({"shop.load"})`), undefined);
  assert.equal(step(`rate({"shop.orders"}[$step])`), 10);
  assert.ok(isOfHosts(`topk(5, { "host.cgroup.tasks"})`) && !isOfHosts("1 + 1"));
});

test("of many series twenty are lines and the rest one exact band", () => {
  const series = Array.from({length: 30}, (_, i) => ({name: `s${i}`, kind: "gauge", avg: Array(10).fill(i), min: Array(10).fill(i - 1), max: Array(10).fill(i + 1), count: Array(10).fill(2)}));
  const found = scene({series});
  assert.equal(found.lines.length, 20);
  assert.equal(found.restCount, 10);
  assert.equal(found.rest?.all.min, -1);
  assert.equal(found.rest?.all.max, 10);
  assert.equal(found.rest?.values[0], 4.5);
  assert.ok(found.lines.every((line) => Number(line.name.slice(1)) >= 10));
});

test("stacked layers add up, gaps of one count as nothing where others have samples", () => {
  assert.deepEqual(stacked([[1, null, null], [2, 2, null]]), [{low: [0, 0, null], high: [1, 0, null]}, {low: [1, 0, null], high: [3, 2, null]}]);
});

test("the histogram of a box has the samples of its cells", () => {
  const found = scene({series: ["a"], buckets: [[1, 2], [2, 4], [8, 16]], counts: [[1, 2, 3], [4, 5, 6], [7, 8, 9]], count: [12, 15, 18], step: 10, until: 30});
  const box = selected(found, {from: 5, until: 15, low: 1.5, high: 5});
  assert.equal(box.count, 1 + 2 + 4 + 5);
  assert.deepEqual([box.from, box.until], [0, 20]);
});

test("values of an expression are drawn over the slot that ends at their time", () => {
  const found = scene({series: [{labels: {mode: "user"}, value: [1, "NaN", 3]}], from: 10, until: 40, step: 10}, {expr: "x"});
  assert.deepEqual([found.from, found.until], [0, 30]);
  assert.deepEqual(found.lines[0].values, [1, null, 3]);
});

test("a comparison lies where the clock shows the same", () => {
  const at = Date.UTC(2026, 9, 25, 12) / 1000;
  const before = {"p~cmp": {id: "p~cmp", status: 200, from: at - 90000, until: at - 90000 + 30, step: 10, series: [{name: "a", kind: "gauge", avg: [5, 6, 7]}]}};
  const found = sceneOf({id: "p", compare: "1d"}, {from: at, until: at + 30, now: at + 60, zone: "Europe/Berlin"},
    {p: {id: "p", status: 200, from: at, until: at + 30, step: 10, tier: 10, series: [{name: "a", kind: "gauge", avg: [1, 2, 3]}]}, ...before}, new Palette(), []);
  assert.deepEqual(found?.before[0].values, [5, 6, 7]);
});

test("one sentence has last, average, extremes and gaps", () => {
  const avg = [1, 2, 9, 4, null, null, null, null, 3, 2];
  const words = sentence("busy", scene({series: [{name: "a_percent", kind: "gauge", avg, min: avg, max: avg, count: avg.map((value) => value && 1)}]}));
  assert.equal(words, "busy, 1 min 40 s: now 2 %, average 3.5 %, lowest 1 %, highest 9 % at 00:00:20; one gap of 40 s: no samples");
});

test("CSV quotes fields, and no spreadsheet runs a name", () => {
  const text = csv(scene({series: [{name: "=cmd|'/c calc'!a,\"b\"", kind: "gauge", avg: [-1.5, null]}], until: 20}));
  assert.deepEqual(text.split("\r\n"), ["time,local,\"'=cmd|'/c calc'!a,\"\"b\"\":avg\"", "0,1970-01-01 00:00:00,-1.5", "10,1970-01-01 00:00:10,", ""]);
});

test("commands quote names for a shell", () => {
  const query = {id: "p", kind: /** @type {"series"} */ ("series"), series: ["a'b;c=d", "x*"], stats: ["avg"], max_points: 60};
  assert.equal(curl(query, kRange, "http://h:1"), "curl -sG http://h:1/api/v1/query --data-urlencode 'series=a'\\''b;c=d' --data-urlencode 'series=x*' --data-urlencode 'from=0' --data-urlencode 'until=100' --data-urlencode 'max_points=60' --data-urlencode 'stats=avg'");
  assert.equal(command({id: "p", kind: "series", expr: "sum(a)", max_points: 60}, kRange, "http://h:1"), "statmill query --server http://h:1 --from 0 --until 100 --expr 'sum(a)'");
});

test("ticks are round in the unit that is shown", () => {
  assert.deepEqual(linearTicks(0, 3.2 * 1048576, unit("bytes"), 4).ticks.map((tick) => tick / 1048576), [0, 1, 2, 3]);
  assert.deepEqual(linearTicks(0, 3600 * 1e9, unit("ns"), 4).ticks.map((tick) => tick / 60e9), [0, 15, 30, 45, 60]);
  assert.deepEqual(niceLimits(0.2, 9.1, unit("none"), 5), [0, 10]);
  assert.deepEqual(logTicks(1e3, 1e9, unit("ns"), 4), [1e3, 1e5, 1e7, 1e9]);
});

test("points suit the width, rows have two pixels", () => {
  assert.equal(maxPoints(1200), 600);
  assert.equal(maxPoints(10), 60);
  assert.equal(maxPoints(1e5), 1000);
  assert.deepEqual([86, 154, 254, 414].map(grouping), [1, 2, 2, 3]);
});

test("a slot is unusual three deviations from the same hour of four weeks", () => {
  const week = 7 * 86400;
  const at = 10 * week;
  const weeks = Object.fromEntries([1, 2, 3, 4].map((back) => [`p~u${back}`, {id: `p~u${back}`, status: 200, from: at - back * week, until: at - back * week + 3600, step: 3600,
    series: [{name: "a", kind: "gauge", avg: [10], stddev: [1], count: [60]}]}]));
  const answers = {p: {id: "p", status: 200, from: at, until: at + 40, step: 10, tier: 10, series: [{name: "a", kind: "gauge", avg: [10, 12.9, 13.2, 6]}]}, ...weeks};
  const found = sceneOf({id: "p", unusual: true}, {from: at, until: at + 40, now: at + 100, zone: "UTC"}, answers, new Palette(), []);
  assert.deepEqual(found?.unusual.map(({slot}) => slot), [2, 3]);
  assert.ok((found?.unusual[0].by ?? 0) > 3 && (found?.unusual[1].by ?? 0) < -3);
});

test("more slots than pixels keep the extremes of each column", () => {
  /** @type {[number, number][]} */
  const points = [];
  const path = {moveTo: (/** @type {number} */ x, /** @type {number} */ y) => points.push([x, y]), lineTo: (/** @type {number} */ x, /** @type {number} */ y) => points.push([x, y])};
  const context = new Proxy({}, {get: () => () => undefined, set: () => true});
  globalThis.Path2D = /** @type {any} */ (function () { return path; });
  const values = Array.from({length: 10000}, (_, i) => i === 4321 ? 99 : 10);
  drawLine(/** @type {any} */ (context), {x: (time) => time / 100, y: (value) => value, ratio: 1, from: 0, step: 1, slots: 10000, open: -1},
    {values, spacing: 1, color: "", width: 1, dash: []});
  assert.ok(points.length < 300, String(points.length));
  assert.ok(points.some(([x, y]) => y === 99 && Math.abs(x - 43) <= 1));
});

test("a host that is there and sends no sample of a distribution has no gap", () => {
  const count = [1, null, null, null, null, null, null, null, null, 1];
  const answer = {series: ["a_ns;host=web7"], buckets: [[1, 2]], counts: [count.map((value) => value ?? 0)], count};
  /** @param {(number|null)[]} seen */
  const up = (seen) => ({"p~up": {id: "p~up", status: 200, from: 0, until: 100, step: 10, series: [{name: "host.up;host=web7", kind: "counter", count: seen}]}});
  assert.deepEqual(scene(answer, {view: "heatmap"}, up(Array(10).fill(1))).gaps, []);
  assert.equal(scene(answer, {view: "heatmap"}, up(count)).gaps[0].reason, "host silent (agent away)");
  assert.equal(scene(answer, {view: "heatmap"}).gaps[0].reason, "no samples");
});

test("a slot that has just begun has no rate yet, but gauges are drawn", () => {
  const columns = () => ({name: "a", avg: [4, 4, 4, 0], count: [1, 1, 1, 0]});
  for (const [kind, age, last] of /** @type {[string, number, number|null][]} */ ([["event", 2, null], ["event", 5, 0], ["gauge", 2, 0], ["counter", 1, null]])) {
    const answer = {id: "p", status: 200, from: 0, until: 40, step: 10, tier: 10, series: [{...columns(), kind}]};
    const found = sceneOf({id: "p"}, {from: 0, until: 40, now: 30 + age, zone: "UTC"}, {p: answer}, new Palette(), []);
    assert.equal(found?.lines[0].values[3] ?? null, last, `${kind} ${age}`);
  }
});
