// Panels in a real browser, with the answers of a real server.

import assert from "node:assert/strict";
import {after, before, describe, test} from "node:test";
import {step} from "../../web/src/model/format.js";
import {openPage, send, servePage, startBrowser, startServer, whyNot} from "./panels/setup.js";

const kSkip = whyNot();
if (kSkip) console.log(`skipped: ${kSkip}`);
const kHour = 3600;
const kDay = 86400;
/** The end of all data: a full hour, so that every step divides the ranges that end there. */
const kNow = Math.floor(Date.now() / 1000 / kHour) * kHour;
const kSpike = kNow - 3 * kDay + 1234;
const kHost = "host=web3.example.org";

/** @param {number} seed */
function random(seed) {
  let state = seed;
  return () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32;
}

/** A day of a gauge by 10 s, and a year of it by 10 min, with one sample of 100 three days ago. */
function gaugeLines() {
  const next = random(1);
  const lines = [];
  for (let at = kNow - 370 * kDay; at < kNow - kDay; at += 600) lines.push(`$g host.cpu.busy_percent;${kHost} ${at} ${(20 + 10 * next()).toFixed(2)}`);
  for (let at = kNow - kDay; at < kNow; at += 10) lines.push(`$g host.cpu.busy_percent;${kHost} ${at} ${(20 + 10 * next()).toFixed(2)}`);
  lines.push(`$g host.cpu.busy_percent;${kHost} ${kSpike} 100`);
  return lines;
}

/** A latency at 1 ms, from half of the hour on also at 80 ms, and one sample of 3 s. */
function latencyLines() {
  const next = random(2);
  const lines = [];
  for (let at = kNow - kHour; at < kNow; at += 10) {
    for (let i = 0; i < 20; ++i) lines.push(`%disk.latency_ns;host=db3 ${at} ${Math.round((at > kNow - kHour / 2 && i < 5 ? 8e7 : 1e6) * (0.7 + 0.6 * next()))}`);
  }
  lines.push(`%disk.latency_ns;host=db3 ${kNow - 3000} 3000000000`);
  return lines;
}

/** A host that is away for six minutes: gauge, event, presence. */
function awayLines() {
  const lines = [];
  for (let at = kNow - kHour; at < kNow; at += 10) {
    if (at >= kNow - 1800 && at < kNow - 1440) continue;
    lines.push(`$g host.load;host=web7 ${at} 3`, `$c host.up;host=web7 ${at} 1`);
    if (at % 60 === 0) lines.push(`$e host.net.hits;host=web7 ${at} 600`, `$e shop.visits ${at} 5`);
  }
  return lines;
}

/** 02:00 in Berlin, for the first time on the day on which summer ends. */
const kTwice = Date.UTC(2025, 9, 26) / 1000;
const kOdd = "odd.%3Cimg/src=x/onerror=alert(1)%3E";

describe("panels", {skip: kSkip || false}, () => {
  /** @type {any} */ let server;
  /** @type {any} */ let page;
  /** @type {any} */ let browser;
  /** @type {any} */ let tab;
  /** @type {string[]} */ let complaints;

  before(async () => {
    server = await startServer();
    const many = Array.from({length: 2000}, (_, i) => [0, 1, 2].map((slot) => `$g many.s${i} ${kNow - 600 + slot * 10} ${i === 77 && slot === 1 ? 5000 : i}`)).flat();
    await send(server.http, [...gaugeLines(), ...latencyLines(), ...awayLines(), ...many, ...Array.from({length: 60}, (_, i) => `$g twice ${kTwice - 3 * kHour + i * 600} ${i}`), ...[1, 2, 3].map((i) => `$g ${kOdd} ${kNow - 100 + i * 10} ${i}`)]);
    page = await servePage(server.http);
    browser = await startBrowser();
    ({page: tab, complaints} = await openPage(browser, page.url));
    await tab.waitForFunction(() => "harness" in window);
  });

  after(async () => {
    await browser?.close();
    page?.stop();
    await server?.stop();
    // Chromium tells of slow reads of canvases, which only tests do, and of the refused expression.
    assert.deepEqual(complaints.filter((words) => !/willReadFrequently|status of 400/.test(words)), []);
  });

  /** @param {any[]} specs @param {any} at */
  const show = (specs, at) => tab.evaluate((/** @type {any} */ given) => /** @type {any} */ (window).harness.show(given.specs, given.at), {specs, at});
  /** @param {string} path @param {Record<string, string|number>} parameters */
  const api = async (path, parameters) => (await fetch(`http://${server.http}/api/v1/${path}?${new URLSearchParams(Object.entries(parameters).map(([key, value]) => [key, String(value)]))}`)).json();
  const texts = (/** @type {string} */ selector) => tab.$$eval(selector, (/** @type {Element[]} */ all) => all.map((one) => (one.textContent ?? "").replace(/\s+/g, " ").replaceAll("\u202F", " ").trim()));
  const busy = {id: "p", title: "busy", series: [`host.cpu.busy_percent;${kHost}`], height: "L"};
  /** Where a time is on the page. @param {number} time @param {number} [nth] panel */
  const place = (time, nth = 0) => tab.evaluate((/** @type {any} */ {time, nth}) => {
    const over = document.querySelectorAll(".u-over")[nth].getBoundingClientRect();
    const {from, until} = /** @type {any} */ (window).harness.range();
    return {x: over.left + (time - from) / (until - from) * over.width, y: over.top + over.height / 2, top: over.top, height: over.height, left: over.left, width: over.width};
  }, {time, nth});

  test("a spike of one sample is in the band at every zoom, and the badge says the slots", async () => {
    for (const length of [kHour, 7 * kDay, 365 * kDay]) {
      const from = length === kHour ? kSpike - 1800 : kNow - length;
      await show([busy], {from, until: from + length, now: kNow});
      const [words] = await texts(".panel-badges");
      const points = Math.round(((await tab.$eval(".panel", (/** @type {Element} */ one) => one.clientWidth)) - 60) / 2);
      const answer = await api("query", {series: busy.series[0], from, until: from + length, max_points: points, stats: "count"});
      assert.equal(words.split(" × ")[0], step(answer.step).replaceAll("\u202F", " "));
      if (answer.tier > 10 && answer.tier !== answer.step) assert.ok(words.includes(`tier ${step(answer.tier)}`.replaceAll("\u202F", " ")), words);
      const at = await place(kSpike);
      // Where the band reaches 100 %, the canvas is not as it is beside it.
      const isTinted = await tab.evaluate((/** @type {any} */ {x, top}) => {
        const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(".uplot canvas"));
        const box = canvas.getBoundingClientRect();
        const ratio = canvas.width / box.width;
        const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
        /** @param {number} left */
        const column = (left) => [...context.getImageData(Math.round((left - box.left) * ratio) - 3, Math.round((top + 14 - box.top) * ratio), 7, 1).data].join();
        return column(x) !== column(x - 40) || column(x) !== column(x + 40);
      }, at);
      assert.ok(isTinted, `the spike is seen over ${length} s`);
    }
  });

  test("number, sum, least and most of a day are the same at every step", async () => {
    const at = {from: kNow - kDay, until: kNow, now: kNow};
    const [one] = (await api("query", {series: busy.series[0], ...{from: at.from, until: at.until}, max_points: 1, stats: "count,sum,min,max"})).series;
    for (const points of [60, 300, 1000]) {
      await show([{...busy, title: "busy"}], {...at, points});
      const cells = await tab.$$eval(".panel-legend tbody td", (/** @type {Element[]} */ all) => all.map((cell) => cell.getAttribute("title")));
      const heads = await texts(".panel-legend thead th");
      /** @param {string} name */
      const value = (name) => Number(cells[heads.indexOf(name) - 1]);
      assert.equal(value("n"), one.count[0], `n at ${points}`);
      assert.equal(value("sum"), Number(one.sum[0]), `sum at ${points}`);
      assert.equal(value("min"), one.min[0]);
      assert.equal(value("max"), one.max[0]);
    }
  });

  test("an outage is hatched with its reason, also of an event; a program's event is zero", async () => {
    await show([{id: "a", series: ["host.load;host=web7"]}, {id: "b", series: ["host.net.hits;host=web7"]}, {id: "c", series: ["shop.visits"]}], {from: kNow - kHour, until: kNow, now: kNow});
    await tab.evaluate((/** @type {number} */ time) => /** @type {any} */ (window).harness.shared.pin(time), kNow - 1600);
    await tab.waitForFunction(() => document.querySelectorAll(".panel-readout .why").length >= 2);
    const [gauge, event, program] = await texts(".panel-readout");
    assert.match(gauge, /host silent \(agent away\), 6 min/);
    assert.match(event, /host silent \(agent away\)/);
    assert.match(program, /avg 0 \/s/);
    const [words] = await tab.$$eval(".panel-body", (/** @type {Element[]} */ all) => all.map((one) => one.getAttribute("aria-label")));
    assert.match(words, /one gap of 6 min: host silent/);
  });

  test("cells of a heatmap are those of the API, one sample is seen, a box has its samples", async () => {
    const at = {from: kNow - kHour, until: kNow, now: kNow};
    await show([{id: "h", title: "reads", series: ["disk.latency_ns;host=db3"], view: "heatmap", height: "L"}], at);
    const lone = await tab.evaluate((/** @type {number} */ time) => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(".uplot canvas"));
      const over = /** @type {Element} */ (document.querySelector(".u-over")).getBoundingClientRect();
      const box = canvas.getBoundingClientRect();
      const {from, until} = /** @type {any} */ (window).harness.range();
      const x = over.left + (time - from) / (until - from) * over.width - box.left;
      const data = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).getImageData(Math.round(x) + 1, 0, 1, Math.round(over.top - box.top + over.height * 0.3)).data;
      /** @param {number[]} rgb */
      const luminance = (rgb) => rgb.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
      let best = 1;
      // Cells are blue; the lines above them are not.
      for (let i = 0; i < data.length; i += 4) if (data[i + 2] > data[i]) best = Math.max(best, 1.05 / (luminance([data[i], data[i + 1], data[i + 2]]) + 0.05));
      return best;
    }, kNow - 3000);
    assert.ok(lone >= 1.5, `contrast of a single sample: ${lone}`);
    const start = await place(kNow - 1500);
    const end = await place(kNow - 600);
    await tab.mouse.move(start.x, start.top + 4);
    await tab.mouse.down();
    await tab.mouse.move(end.x, start.top + start.height - 4, {steps: 4});
    await tab.mouse.up();
    await tab.waitForSelector(".panel-histogram");
    const [head] = await texts(".panel-histogram header");
    const [samples] = await texts(".panel-histogram header .num");
    const count = Number(samples.replace("n ", "").replaceAll(" ", ""));
    const span = /(\d\d:\d\d(?::\d\d)?)–(\d\d:\d\d(?::\d\d)?)/.exec(head);
    assert.ok(span, head);
    /** @param {string} clock */
    const timeOf = (clock) => Math.floor((kNow - kHour) / kDay) * kDay + clock.split(":").reduce((sum, part, i) => sum + Number(part) * [3600, 60, 1][i], 0);
    let [from, until] = [timeOf(span[1]), timeOf(span[2])];
    if (from < kNow - kHour) [from, until] = [from + kDay, until + kDay];
    const answer = await api("heatmap", {series: "disk.latency_ns;host=db3", from, until, step: 10, grouping: 0});
    const want = answer.counts.flat().reduce((/** @type {number} */ sum, /** @type {number} */ cell) => sum + cell, 0);
    assert.equal(count, want);
  });

  test("a drag zooms all panels, back and double click return, a refresh does not", async () => {
    const at = {from: kNow - kHour, until: kNow, now: kNow};
    await show([busy, {id: "q", series: ["host.load;host=web7"]}], at);
    const start = await place(kNow - 2400);
    const end = await place(kNow - 1200);
    await tab.mouse.move(start.x, start.y);
    await tab.mouse.down();
    await tab.mouse.move(end.x, start.y, {steps: 4});
    await tab.mouse.up();
    const zoomed = await tab.evaluate(() => /** @type {any} */ (window).harness.range());
    assert.ok(Math.abs(zoomed.from - (kNow - 2400)) < 30 && Math.abs(zoomed.until - (kNow - 1200)) < 30, JSON.stringify(zoomed));
    await tab.evaluate(() => /** @type {any} */ (window).harness.ask());
    assert.deepEqual(await tab.evaluate(() => /** @type {any} */ (window).harness.range()), zoomed);
    await tab.mouse.dblclick(start.x + 30, start.y);
    await tab.waitForFunction((/** @type {number} */ from) => /** @type {any} */ (window).harness.range().from === from, at.from);
    assert.deepEqual(await tab.evaluate(() => /** @type {any} */ (window).harness.range()), {from: at.from, until: at.until});
  });

  test("the crosshair is at one time in all panels, reads the API's numbers, and outlives refreshes", async () => {
    const at = {from: kNow - kHour, until: kNow, now: kNow};
    await show([busy, {id: "q", series: ["host.load;host=web7"]}], at);
    const spot = await place(kNow - 1000);
    await tab.mouse.move(spot.x, spot.y);
    await tab.mouse.down();
    await tab.mouse.up();
    await tab.waitForFunction(() => document.querySelectorAll(".cross-line").length === 2);
    for (let refresh = 0; refresh < 3; ++refresh) await tab.evaluate(() => /** @type {any} */ (window).harness.ask());
    const lines = await tab.$$eval(".panel-cross", (/** @type {HTMLElement[]} */ all) => all.map((one) => !one.hidden && one.querySelector(".cross-line") !== null));
    assert.deepEqual(lines, [true, true]);
    const [first, second] = await texts(".panel-readout .when");
    // in a range that includes midnight, a date comes first
    const clockOf = (/** @type {string} */ when) => /(\d+):(\d+)(?::(\d+))?/.exec(when)?.slice(1, 4).map((one) => Number(one ?? 0)) ?? [];
    const clock = clockOf(first);
    assert.deepEqual(clockOf(second).slice(0, 2), clock.slice(0, 2));
    const slot = Math.floor((kNow - 1000) / kDay) * kDay + clock[0] * 3600 + clock[1] * 60 + clock[2];
    const length = Number((await texts(".panel-badge"))[0].split(" ")[0]);
    const answer = await api("query", {series: busy.series[0], from: slot, until: slot + length, step: length, stats: "avg,min,max,count"});
    const [readout] = await texts(".panel-readout");
    assert.match(readout, new RegExp(`n ${answer.series[0].count[0]} avg ${Number(answer.series[0].avg[0].toPrecision(4))} %`));
    assert.match(readout, new RegExp(`max ${Number(answer.series[0].max[0].toPrecision(4))} %`));
  });

  test("two thousand series are twenty lines and a band whose edges are the API's", async () => {
    await show([{id: "m", title: "many", series: ["g:many.*"], height: "L"}], {from: kNow - kHour, until: kNow, now: kNow});
    const rows = await texts(".panel-legend tbody tr");
    assert.equal(rows.length, 21);
    assert.ok(rows[0].startsWith("s77"), rows[0]);
    assert.match(rows[20], /1980 others/);
    const edges = await tab.$$eval(".panel-legend tbody tr:last-child td", (/** @type {Element[]} */ all) => all.map((cell) => cell.getAttribute("title")));
    assert.deepEqual([Number(edges[2]), Number(edges[3])], [0, 1980]);
  });

  test("both readings of the hour that comes twice have their offset", async () => {
    const from = kTwice - 2 * kHour;
    await show([{id: "t", series: ["twice"]}], {from, until: from + 6 * kHour, now: kNow, zone: "Europe/Berlin"});
    for (const [time, offset] of /** @type {[number, string][]} */ ([[kTwice, "+02"], [kTwice + kHour, "+01"]])) {
      await tab.evaluate((/** @type {number} */ at) => /** @type {any} */ (window).harness.shared.pin(at), time + 60);
      await tab.waitForFunction((/** @type {string} */ words) => (document.querySelector(".panel-readout")?.textContent ?? "").includes(words), `02:00 ${offset}`);
    }
  });

  test("the slot under way is dashed", async () => {
    await show([{id: "s", series: [`host.cpu.busy_percent;${kHost}`]}], {from: kNow - 600, until: kNow, now: kNow - 5});
    // Steps of 10 s are 9 px wide: the last one has holes, the one before has none.
    const tinted = await tab.evaluate(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(".uplot canvas"));
      const over = /** @type {Element} */ (document.querySelector(".u-over")).getBoundingClientRect();
      const box = canvas.getBoundingClientRect();
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      const wide = over.width / 60;
      /** Columns of a slot in which the line is. @param {number} slot */
      const columns = (slot) => {
        const data = context.getImageData(Math.round(over.left - box.left + slot * wide) + 1, Math.round(over.top - box.top), Math.floor(wide) - 2, Math.round(over.height));
        let count = 0;
        for (let x = 0; x < data.width; ++x) {
          for (let y = 0; y < data.height; ++y) {
            const at = (y * data.width + x) * 4;
            if (data.data[at + 2] - data.data[at] > 120) {
              ++count;
              break;
            }
          }
        }
        return count / data.width;
      };
      return [columns(58), columns(59)];
    });
    assert.equal(tinted[0], 1);
    assert.ok(tinted[1] < 1, `${tinted[1]}`);
  });

  test("a hundred panels have at most 24 canvases, and leave none behind", async () => {
    const specs = Array.from({length: 100}, (_, i) => ({id: `n${i}`, title: `panel ${i}`, series: [busy.series[0]], height: "S"}));
    await show(specs, {from: kNow - kHour, until: kNow, now: kNow});
    for (const share of [0, 0.3, 0.6, 1, 0]) {
      await tab.evaluate((/** @type {number} */ part) => new Promise((done) => {
        window.scrollTo(0, document.body.scrollHeight * part);
        requestAnimationFrame(() => requestAnimationFrame(done));
      }), share);
      await tab.waitForFunction(() => [...document.querySelectorAll(".panel")].filter((panel) => {
        const box = panel.getBoundingClientRect();
        return box.bottom > 0 && box.top < innerHeight && !panel.querySelector("canvas");
      }).length === 0);
      const canvases = await tab.$$eval("canvas", (/** @type {Element[]} */ all) => all.length);
      assert.ok(canvases <= 24, `${canvases} canvases`);
    }
    await tab.waitForFunction(() => document.querySelectorAll(".panel-picture:not([hidden])").length > 0);
    await show([busy], {from: kNow - kHour, until: kNow, now: kNow});
    assert.equal(await tab.evaluate(() => /** @type {any} */ (window).harness.pool.count), 1);
    assert.equal(await tab.$$eval("canvas", (/** @type {Element[]} */ all) => all.length), 1);
  });

  test("End shows the crosshair in the open slot, whose middle is later than now", async () => {
    const now = kNow + 3;
    await show([{...busy, height: "M"}], {from: now - 600, until: now, now});
    await tab.focus(".panel-body");
    await tab.keyboard.press("End");
    await tab.waitForFunction(() => document.querySelectorAll(".cross-line").length === 1);
  });

  test("keys move the crosshair and announce; the table equals the CSV", async () => {
    await show([{...busy, height: "M"}], {from: kNow - 600, until: kNow, now: kNow});
    await tab.focus(".panel-body");
    await tab.keyboard.press("End");
    await tab.keyboard.press("ArrowLeft");
    await tab.waitForFunction(() => /avg/.test(document.querySelector("[aria-live]")?.textContent ?? ""));
    const label = await tab.getAttribute(".panel-body", "aria-label");
    assert.match(label, /^busy, 10 min: now [\d.]+ %, average [\d.]+ %, lowest [\d.]+ %, highest [\d.]+ % at \d\d:\d\d/);
    await tab.evaluate(() => /** @type {any} */ (window).harness.acts.splice(0));
    await tab.click("[aria-haspopup=menu]");
    const saved = await tab.evaluate(() => {
      const acts = /** @type {any} */ (window).harness.acts;
      acts[0].items.find((/** @type {any} */ item) => item.label === "Save as CSV").run();
      return acts[1].detail;
    });
    assert.equal(saved.name, "busy.csv");
    const rows = saved.content.trim().split("\r\n").slice(1).map((/** @type {string} */ line) => line.split(","));
    assert.equal(rows.length, 60);
    await tab.evaluate(() => /** @type {any} */ (window).harness.acts[0].items.find((/** @type {any} */ item) => item.label === "Table").run());
    await tab.waitForSelector(".panel-table tbody tr");
    const cells = await tab.$$eval(".panel-table tbody tr", (/** @type {Element[]} */ all) => all.map((row) => row.querySelector("td")?.getAttribute("title")));
    assert.deepEqual(cells, rows.map((/** @type {string[]} */ row) => row[2]));
  });

  test("a lone distribution is a heatmap without being told", async () => {
    await show([{id: "d", series: ["disk.latency_ns;host=db3"]}], {from: kNow - kHour, until: kNow, now: kNow});
    assert.equal(await tab.getAttribute(".panel", "data-view"), "heatmap");
    assert.match((await texts(".panel-tints"))[0], /samples in a cell/);
    await tab.keyboard.press("Escape");
    await tab.focus(".panel-body");
    await tab.evaluate(() => /** @type {any} */ (window).harness.press("v"));
    assert.equal(await tab.getAttribute(".panel", "data-view"), "table");
  });

  test("a phone: no sideways scroll, targets of 24 px, a long press moves the crosshair, two fingers zoom", async () => {
    const {page: phone, complaints: own} = await openPage(browser, page.url, {viewport: {width: 380, height: 700}, hasTouch: true, isMobile: true});
    await phone.waitForFunction(() => "harness" in window);
    await phone.evaluate((/** @type {any} */ given) => /** @type {any} */ (window).harness.show(given.specs, given.at),
      {specs: [busy, {id: "h", title: "reads", series: ["disk.latency_ns;host=db3"], view: "heatmap"}], at: {from: kNow - kHour, until: kNow, now: kNow}});
    assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= 380));
    const small = await phone.$$eval("button, select, input", (/** @type {Element[]} */ all) => all.map((one) => one.getBoundingClientRect()).filter((box) => box.width > 0 && (box.width < 24 || box.height < 24)).length);
    assert.equal(small, 0);
    const over = await phone.$eval(".u-over", (/** @type {Element} */ one) => one.getBoundingClientRect().toJSON());
    const session = await phone.context().newCDPSession(phone);
    const y = over.top + over.height / 2;
    /** @param {string} type @param {number[]} xs */
    const touch = (type, xs) => session.send("Input.dispatchTouchEvent", {type, touchPoints: xs.map((x, id) => ({x, y, id}))});
    await touch("touchStart", [over.left + 100]);
    await phone.waitForSelector(".cross-line");
    await touch("touchMove", [over.left + 160]);
    await touch("touchEnd", []);
    assert.match(await phone.$eval(".panel-readout", (/** @type {Element} */ one) => one.textContent ?? ""), /\d\d:\d\d/);
    const length = await phone.evaluate(() => { const {from, until} = /** @type {any} */ (window).harness.range(); return until - from; });
    await touch("touchStart", [over.left + 100, over.left + 160]);
    for (let i = 1; i <= 5; ++i) await touch("touchMove", [over.left + 100 - 10 * i, over.left + 160 + 10 * i]);
    await touch("touchEnd", []);
    await phone.waitForFunction((/** @type {number} */ before) => { const {from, until} = /** @type {any} */ (window).harness.range(); return until - from < before / 2; }, length);
    assert.deepEqual(own.filter((words) => !/willReadFrequently/.test(words)), []);
    await phone.close();
  });

  test("keys select and zoom; marks stand at their times", async () => {
    const marks = [{kind: "event", time: kNow - 1800, title: "deploy 1.4.2"}, {kind: "loss", time: kNow - 900, title: "400 lines lost"}];
    await show([{...busy, height: "M", marks}], {from: kNow - kHour, until: kNow, now: kNow});
    const middle = await place(kNow - 1800);
    const lefts = await tab.$$eval(".panel-lane .mark", (/** @type {Element[]} */ all) => all.map((one) => { const box = one.getBoundingClientRect(); return box.left + box.width / 2; }));
    assert.equal(lefts.length, 2);
    assert.ok(Math.abs(lefts[0] - middle.x) <= 1.5, `${lefts[0]} and ${middle.x}`);
    await tab.focus(".panel-body");
    await tab.evaluate((/** @type {number} */ time) => /** @type {any} */ (window).harness.shared.pin(time), kNow - 1795);
    await tab.keyboard.press("[");
    for (let i = 0; i < 3; ++i) await tab.keyboard.press("Shift+ArrowRight");
    await tab.waitForSelector(".cross-select");
    await tab.keyboard.press("Enter");
    await tab.waitForFunction((/** @type {number} */ from) => Math.abs(/** @type {any} */ (window).harness.range().from - from) < 20, kNow - 1795);
    assert.ok(await tab.evaluate((/** @type {number} */ until) => /** @type {any} */ (window).harness.range().until < until, kNow));
    const drag = await tab.$eval(".u-over", (/** @type {Element} */ one) => one.getBoundingClientRect().toJSON());
    await tab.mouse.move(drag.left - 20, drag.top + 20);
    await tab.mouse.down();
    await tab.mouse.move(drag.left - 20, drag.top + drag.height - 20, {steps: 3});
    await tab.mouse.up();
    await tab.evaluate(() => /** @type {any} */ (window).harness.acts.splice(0));
    await tab.click("[aria-haspopup=menu]");
    assert.ok(await tab.evaluate(() => /** @type {any} */ (window).harness.acts[0].items.some((/** @type {any} */ item) => item.label === "Value axis of all values")));
  });

  test("names are texts wherever they stand", async () => {
    await show([{id: "o", series: ["g:odd.*"], height: "L"}, {id: "e", expr: "sum(<img src=x onerror=alert(1)>"}], {from: kNow - kHour, until: kNow, now: kNow});
    assert.equal((await texts(".panel h3"))[0], "odd.<img/src=x/onerror=alert(1)>");
    assert.match((await texts(".panel-state.bad"))[0], /parse error/);
    assert.equal(await tab.$$eval("main img[src='x'], main script, main svg[onload]", (/** @type {Element[]} */ all) => all.length), 0);
  });
});
