// A reload shows what was seen: the address, the zoom, what is hidden, the views and the theme. The demo's clock stands
// still, so that two pictures of one address are the same picture.

import assert from "node:assert/strict";
import { browserTest, load, openPage, startDemo } from "./browser.js";

const kNow = 1_795_000_000;
const kDifferentMax = 0.002;  // of all pixels
const kBusy = "g:host.cpu.busy_percent;*role=db*";
const kLatency = "host.block.latency_ns;dc=ams;device=vda;host=db3.example.org;op=read;role=db";

/** @type {ReturnType<typeof startDemo>|undefined} */
let started;
const demo = () => started ??= startDemo(["--demo.now", String(kNow)]);

/** A page whose clocks stand still as well. @param {{dark?: boolean}} [how] */
async function openStill(how) {
  const opened = await openPage(await demo(), how);
  await opened.page.addInitScript(() => { performance.now = () => 1000; });
  return opened;
}

/** Nothing has been under way for some frames: all requests are answered, and what they brought is drawn. @param {any} page */
async function settled(page) {
  await page.evaluate(() => new Promise((done) => {
    const kFrames = 12;
    let calm = 0;
    const look = () => {
      // panels out of view wait until they are scrolled to
      const isInView = (/** @type {Element} */ one) => one.getBoundingClientRect().top < innerHeight && one.getBoundingClientRect().bottom > 0;
      const isBusy = document.querySelector("#progress.on, .skeleton, .toast") !== null || document.querySelector("main .screen") === null ||
        [...document.querySelectorAll(".panel.loading")].some(isInView);
      calm = isBusy ? 0 : calm + 1;
      if (calm < kFrames) requestAnimationFrame(look);
      else done(undefined);
    };
    look();
  }));
}

/** What is seen, without the focus, and without numbers that grow as the server runs. @param {any} page */
async function picture(page) {
  await page.mouse.move(2, 2);
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await settled(page);
  // its number grows as the server runs, and moves all that is left of it
  await page.evaluate(() => { /** @type {HTMLElement} */ (document.querySelector(".frame-tools .loss")).style.width = "130px"; });
  const { PNG } = load("pngjs");
  return PNG.sync.read(await page.screenshot({ mask: [page.locator("#progress, .tree .count, .status-head .muted, .status-body, .frame-tools .loss, .dashboard-card")] }));
}

/** The share of pixels that differ visibly. @param {{data: Buffer}} a @param {{data: Buffer}} b */
function difference(a, b) {
  const kVisible = 24;  // of 255
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > kVisible)) ++count;
  }
  return count / (a.data.length / 4);
}

/** @param {any} page @param {string} moment */
async function sameAfterReload(page, moment) {
  const before = await picture(page);
  const url = page.url();
  await page.reload();
  const after = await picture(page);
  assert.equal(page.url(), url, moment);
  const share = difference(before, after);
  assert.ok(share <= kDifferentMax, `${moment}: ${(100 * share).toFixed(2)} % of the picture differ`);
}

/** A drag over a plot. @param {any} page @param {any} panel @param {[number, number, number, number]} shares left, top, right, bottom */
async function drag(page, panel, [left, top, right, bottom]) {
  const over = await panel.locator(".u-over").boundingBox();
  const x = (/** @type {number} */ share) => over.x + over.width * share;
  const y = (/** @type {number} */ share) => over.y + over.height * share;
  await page.mouse.move(x(left), y(top));
  await page.mouse.down();
  await page.mouse.move(x(right), y(bottom), { steps: 5 });
  await page.mouse.up();
}

/** @param {any} page @param {string} key @param {string} part of the address that the key leads to */
async function press(page, key, part) {
  await page.keyboard.press(key);
  await page.waitForFunction((/** @type {string} */ text) => location.hash.includes(text), part);
}

browserTest("Hosts are the same after a reload: filter, group, map", async () => {
  const { page, go } = await openStill();
  await go("#/hosts?g=dc");
  await page.waitForSelector(".hosts-rows .row");
  await page.fill(".hosts-filter input", "role=db");
  await page.waitForFunction(() => location.hash.includes("f=role%3Ddb") && document.querySelectorAll(".hosts-rows .row:not(.group)").length === 8);
  await sameAfterReload(page, "the table");
  await page.click("[aria-label=Map]");
  await page.waitForSelector(".square");
  await sameAfterReload(page, "the map");
});

browserTest("a host is the same after a reload: section, box of a heatmap, and what was changed of a panel", async () => {
  const { page, go } = await openStill();
  await go("#/hosts");
  await page.locator(".hosts-rows .row:has-text('db3') .disk-s").click();
  await page.waitForFunction(() => location.hash.startsWith("#/host/db3.example.org?o=disk"));
  const panel = page.locator(".panel-cell:has(h3[title='S · latency of reads'])");
  await panel.locator("canvas").waitFor();
  await sameAfterReload(page, "the host");
  await settled(page);
  await drag(page, panel, [0.4, 0.02, 0.95, 0.98]);
  await panel.locator(".panel-histogram").waitFor();
  await sameAfterReload(page, "a box of the heatmap");
  await panel.locator(".panel-histogram [aria-label='Close the histogram']").click();
  await panel.locator(".panel-body").focus();
  await press(page, "T", "p.disk-read.v=table");
  await panel.locator(".panel-table").waitFor();
  await sameAfterReload(page, "a panel of the host as table");
});

browserTest("Explore is the same after a reload: range, band, scale, hidden series, crosshair, zoom, box, large", async () => {
  const { page, go } = await openStill();
  const panel = page.locator(".panel-cell").first();
  for (const from of ["-1h", "-7d", "-1y"]) {
    await go(`#/explore?p0=${kBusy}&p0.h=L&p1=${kLatency}&from=${from}`);
    await panel.locator("canvas").waitFor();
    await sameAfterReload(page, `the range ${from}`);
  }
  await panel.locator(".panel-body").focus();
  await press(page, "b", "p0.b=sd");
  await press(page, "l", "p0.y=log");
  await settled(page);
  await panel.locator(".panel-legend .legend-name").nth(1).click();
  await page.waitForFunction(() => location.hash.includes("p0.x="));
  await panel.locator(".panel-legend tr.off").waitFor();
  await sameAfterReload(page, "band, scale and a hidden series");
  await go(`#/explore?p0=${kBusy}&p0.h=S&p1=${kLatency}`);
  await panel.locator("canvas").waitFor();
  await settled(page);
  await drag(page, panel, [0.3, 0.4, 0.7, 0.5]);
  await page.waitForFunction(() => /from=\d+&until=\d+/.test(location.hash));
  const zoomed = page.url();
  await sameAfterReload(page, "a zoom");
  await page.goBack();
  await page.waitForFunction((/** @type {string} */ url) => location.href !== url, zoomed);
  await sameAfterReload(page, "back from the zoom");
  const heat = page.locator(".panel-cell").nth(1);
  await settled(page);
  await drag(page, heat, [0.4, 0.02, 0.95, 0.98]);
  await heat.locator(".panel-histogram").waitFor();
  const samples = await heat.locator(".panel-histogram header").textContent();
  await sameAfterReload(page, "a box of the heatmap");
  assert.equal(await heat.locator(".panel-histogram header").textContent(), samples);
  await heat.locator(".panel-body").focus();
  await press(page, "ArrowLeft", "at=");
  await press(page, "Enter", "big=p1");
  await sameAfterReload(page, "crosshair, and a panel that is large");
});

browserTest("a dashboard and Status are the same after a reload, and all screens ask this server alone and complain of nothing", async () => {
  const { page, go, messages, requests } = await openStill();
  await go("#/d/one-host");
  await page.waitForSelector(".panel-cell canvas");
  await page.selectOption("select[aria-label=host]", "web7.example.org");
  await page.waitForFunction(() => location.hash.includes("v.host=web7.example.org"));
  await page.locator(".panel-cell canvas").first().waitFor();
  await sameAfterReload(page, "a variable");
  await page.locator(".panel-cell .panel-body").first().focus();
  await press(page, "b", "p.d0.b=sd");
  await sameAfterReload(page, "a look at a panel of a dashboard");
  await settled(page);
  await drag(page, page.locator(".panel-cell").first(), [0.3, 0.4, 0.7, 0.5]);
  await page.waitForFunction(() => /from=\d+&until=\d+/.test(location.hash));
  await sameAfterReload(page, "a zoom of a dashboard");
  for (const screen of ["dashboards", "status", "status/loss", "status/refused", "status/names", "status/agents", "status/queries", "status/storage", "status/admin"]) {
    await go(`#/${screen}`);
    await page.waitForSelector("h1");
    await sameAfterReload(page, screen);
  }
  const { url } = await demo();
  assert.deepEqual(requests.filter((one) => !one.includes(url) && !one.includes("blob:")), []);
  assert.deepEqual(messages, []);
});

browserTest("theme and zone are the same after a reload", async () => {
  const { page, go } = await openStill();
  await go(`#/explore?p0=${kBusy}&from=-1h`);
  await page.waitForSelector(".panel-cell canvas");
  await settled(page);
  const light = await picture(page);
  await page.keyboard.press("m");
  await page.keyboard.press("m");
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  assert.ok(difference(light, await picture(page)) > 0.5, "dark is not light");
  await sameAfterReload(page, "the dark theme");
  await page.click("[aria-label^='Time zone']");
  await page.click("[role=menu] >> text=Asia/Kolkata");
  await page.waitForSelector("[aria-label='Time zone Asia/Kolkata']");
  await sameAfterReload(page, "a zone");
});
