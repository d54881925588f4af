import assert from "node:assert/strict";
import { checkDashboard } from "../../web/src/screens/dashboard_model.js";
import { readFileSync } from "node:fs";
import { browserTest, feedFleet, openPage, startServer } from "./browser.js";

/** @param {any} page @param {string} title */
async function create(page, title) {
  await page.click("button:has-text('New')");
  await page.fill("dialog input", title);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/d/"));
}

/** @param {any} page @param {string} name of the panel's series */
async function addPanel(page, name) {
  await page.click(".edit-bar button:has-text('Panel')");
  await page.click(".menu .item:has-text('Lines')");
  await page.getByLabel("Title").fill(name);
  await page.getByLabel("Series, one a line").fill(name);
  await page.click("dialog button:has-text('Add')");
  await page.waitForSelector(`.panel-cell:has-text("${name}")`);
}

browserTest("a dashboard is created, edited, kept over a reload as a draft, saved, and shown again", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1", "shop.visits 2"]);
  const { page, go } = await openPage(server);
  await go("#/dashboards");
  await create(page, "My shop");
  await addPanel(page, "shop.orders");
  await page.waitForSelector(".panel-cell:has-text('shop.orders')");
  await page.reload();
  await page.waitForSelector(".badge:has-text('unsaved')");
  await page.waitForSelector(".panel-cell:has-text('shop.orders')");
  await page.click("button:has-text('Save')");
  await page.waitForSelector(".badge:has-text('unsaved')", { state: "detached" });
  await go("#/dashboards");
  await page.click(".dashboard-card:has-text('My shop')");
  await page.waitForSelector(".panel-cell:has-text('shop.orders')");
  assert.equal(await page.locator(".edit-bar").count(), 0);
});

browserTest("two tabs edit one dashboard: the second save sees both versions, and both keeps all panels", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 1", "shop.visits 2"]);
  const first = await openPage(server);
  const second = await openPage(server);
  await first.go("#/dashboards");
  await create(first.page, "Shared");
  await addPanel(first.page, "shop.orders");
  await first.page.click("button:has-text('Save')");
  await first.page.waitForSelector(".badge:has-text('unsaved')", { state: "detached" });
  await second.go("#/d/shared");
  await second.page.waitForSelector(".panel-cell:has-text('shop.orders')");
  await second.page.keyboard.press("e");
  await addPanel(second.page, "shop.visits");
  await first.page.keyboard.press("e");
  await addPanel(first.page, "statmill.series");
  await first.page.click("button:has-text('Save')");
  await first.page.waitForSelector(".badge:has-text('unsaved')", { state: "detached" });
  await second.page.click("button:has-text('Save')");
  await second.page.click("dialog button:has-text('Keep both')");
  await second.page.waitForSelector(".badge:has-text('unsaved')", { state: "detached" });
  const saved = await server.json("/api/v1/dashboards/shared");
  assert.deepEqual(saved.panels.map((/** @type {any} */ panel) => panel.title).sort(), ["shop.orders", "shop.visits", "statmill.series"]);
});

browserTest("built-in dashboards are dashboards", async () => {
  const server = await startServer();
  const ask = async (/** @type {string} */ path) => (await fetch(`http://${server.http}/api/v1/dashboards${path}`)).json();
  const builtIn = (await ask("")).dashboards.filter((/** @type {any} */ one) => one.source === "built-in");
  assert.ok(builtIn.length > 0);
  for (const { id } of builtIn) assert.deepEqual(checkDashboard(await ask(`/${id}`)), [], id);
  const { page, go } = await openPage(server);
  await go(`#/d/${builtIn[0].id}`);
  await page.waitForSelector(`h1:has-text("${builtIn[0].title}")`);
});

/** The names of the rows of a table, from the top. @param {any} page */
const rowNames = (page) => page.locator(".scroll-rows tbody th").allTextContents();

browserTest("a table with a row for each host is made by a form, sorts at the server, goes to CSV, and is saved", async () => {
  const server = await startServer();
  await feedFleet(server, 3);
  const { page, go, messages } = await openPage(server);
  await go("#/dashboards");
  await create(page, "Hosts as rows");
  await page.click(".edit-bar button:has-text('Panel')");
  await page.click(".menu .item:has-text('Table')");
  await page.getByLabel("Title", { exact: true }).fill("all hosts");
  await page.click("dialog button:has-text('Column')");
  await page.getByLabel("Column 2", { exact: true }).fill("host.block.latency_ns:p99");
  await page.getByLabel("Title of column 2").fill("slowest");
  await page.click("dialog button:has-text('Add')");
  await page.waitForFunction(() => document.querySelectorAll(".scroll-rows tbody tr").length === 9);
  assert.match((await rowNames(page))[0], /cache2/, "the busiest is on top");
  await page.click("button:has-text('Save')");
  await page.waitForSelector(".badge:has-text('unsaved')", { state: "detached" });
  await page.click(".scroll-rows thead button:has-text('slowest')");
  await page.waitForFunction(() => document.querySelector(".scroll-rows tbody th")?.textContent?.includes("db3"));
  assert.match(await page.locator(".scroll-rows tbody tr").first().textContent(), /\dms/);
  assert.match(page.url(), /s\.n0=-1/);
  await page.reload();
  await page.waitForFunction(() => document.querySelector(".scroll-rows tbody th")?.textContent?.includes("db3"));
  assert.equal(await page.locator(".scroll-rows [aria-sort=descending]").textContent(), "slowest ↓");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click("[aria-label='Save as CSV: all hosts']")]);
  const lines = readFileSync(await file.path(), "utf8").trim().split("\r\n");
  assert.equal(lines[0], "host,CPU busy (host.cpu.busy_percent:avg),slowest (host.block.latency_ns:p99)");
  assert.equal(lines.length, 10);
  assert.match(lines[1], /^db3\.example\.org,2\d(\.\d+)?,\d+/);
  await page.click(".scroll-rows tbody a");
  await page.waitForFunction(() => location.hash.startsWith("#/host/db3.example.org"));
  const saved = await server.json("/api/v1/dashboards/hosts-as-rows");
  assert.deepEqual(saved.panels, [{ at: [0, 0, 12, 3], kind: "table", title: "all hosts", row: "tag:host", sort: "-0", spark: "0",
    columns: [{ column: "host.cpu.busy_percent:avg", title: "CPU busy" }, { column: "host.block.latency_ns:p99", title: "slowest" }] }]);
  assert.deepEqual(messages.filter((one) => !one.includes("/api/v1/")), []);
});

browserTest("a wrong column is said in its panel, and a chosen panel is edited, moved and removed", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const put = await fetch(`http://${server.http}/api/v1/dashboards/two`, {
    method: "PUT", headers: { "Content-Type": "application/json", "If-None-Match": "*" },
    body: JSON.stringify({ format: 1, title: "Two", panels: [
      { at: [0, 0, 12, 2], kind: "table", title: "wrong", row: "tag:host", columns: ["host.cpu.busy_percent:median"] },
      { at: [0, 2, 6, 1], kind: "text", title: "about", text: "hello" }] }),
  });
  assert.equal(put.status, 201, await put.text());
  const { page, go } = await openPage(server);
  await go("#/d/two");
  await page.waitForSelector(".note .fault-note:has-text('median')");
  await page.keyboard.press("e");
  await page.click("button:has-text('Edit panel')");
  await page.getByLabel("Column 1", { exact: true }).fill("host.cpu.busy_percent:max");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".scroll-rows tbody tr").length === 9);
  await page.click(".note:has-text('hello')");
  await page.waitForSelector(".chosen-panel:has-text('about')");
  await page.click("[aria-label='Move to before']");
  await page.waitForFunction(() => document.querySelector(".panel-grid > *")?.textContent?.includes("hello"));
  await page.click("[aria-label='Remove']");
  await page.waitForFunction(() => document.querySelectorAll(".panel-grid > *").length === 1);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.querySelectorAll(".panel-grid > *").length === 2);
});

browserTest("the built-in Fleet has a table of the hosts, and Cgroups one of the host that is chosen", async () => {
  const server = await startServer();
  await feedFleet(server, 2);
  const now = Math.floor(Date.now() / 1000);
  await server.feed(["db1", "db10"].map((host) => `*host.cgroup.cpu_ns;cgroup=of-${host};host=${host} ${now} 5e8`));
  const { page, go } = await openPage(server);
  await go("#/d/fleet");
  await page.waitForFunction(() => document.querySelectorAll(".scroll-rows tbody tr").length >= 9);
  await go("#/d/cgroups?v.host=db1");
  await page.waitForSelector(".scroll-rows tbody tr");
  assert.deepEqual(await rowNames(page), ["of-db1"]);
});

/** @param {any} page @param {string} item */
async function chooseOfMenu(page, item) {
  await page.click(".toolbar [aria-label=More]");
  await page.click(`[role=menu] >> text="${item}"`);
}

browserTest("a dashboard is the same JSON from its creation over moves by keys, a file, and its deletion to its restore and its import", async () => {
  const server = await startServer();
  await server.feed(["shop.load;host=web1 1", "shop.load;host=web2 2", "shop.orders 3", "shop.visits 4"]);
  const { page, go } = await openPage(server);
  const saved = () => server.json("/api/v1/dashboards/all-shops");
  const titles = () => page.locator(".panel-cell h3").allTextContents();
  const shows = (/** @type {string[]} */ wanted) => page.waitForFunction((/** @type {string} */ all) =>
    [...document.querySelectorAll(".panel-cell h3")].map((one) => one.textContent).join() === all, wanted.join());

  await go("#/dashboards");
  await create(page, "All shops");
  await page.click(".edit-bar button:has-text('JSON')");
  await page.fill("textarea.json", JSON.stringify({
    format: 1, title: "All shops", notes: "of two hosts", folder: "shops", vars: [{ name: "host", from: "tag:host" }], time: { from: "-30m" },
    panels: [["load", "shop.load;host=$host", "host"], ["orders", "shop.orders"], ["visits", "shop.visits"]].map(([title, series, repeat], i) => ({
      at: [6 * (i % 2), 2 * Math.floor(i / 2), 6, 2], title, series: [series], ...(repeat ? { repeat } : {}),
    })),
  }));
  await page.click(".edit-bar button:has-text('Save')");
  await page.waitForSelector(".edit-bar", { state: "detached" });

  await page.selectOption("select[aria-label=host]", "all");
  await shows(["load · web1", "load · web2", "orders", "visits"]);
  await page.selectOption("select[aria-label=host]", "web2");
  await shows(["load", "orders", "visits"]);

  await page.keyboard.press("e");
  await page.locator(".panel-cell .panel-body").nth(1).focus();
  await page.keyboard.press("ArrowRight");
  await shows(["load", "visits", "orders"]);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await shows(["orders", "load", "visits"]);
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Control+s");
  await page.waitForSelector(".edit-bar", { state: "detached" });
  const whole = await saved();
  assert.deepEqual(whole.panels.map((/** @type {any} */ panel) => [panel.title, ...panel.at]),
    [["orders", 0, 0, 8, 3], ["load", 0, 3, 6, 2], ["visits", 6, 3, 6, 2]]);

  const downloading = page.waitForEvent("download");
  await chooseOfMenu(page, "Save as a file");
  const file = await (await downloading).path();
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), whole);

  /** Deletes it, and waits until the server has. */
  async function remove() {
    await chooseOfMenu(page, "Delete");
    await page.click("dialog button:has-text('Delete')");
    await page.waitForFunction(() => location.hash.startsWith("#/dashboards"));
    await page.waitForSelector(".dashboard-card");
    assert.equal(await page.locator(".dashboard-card:has-text('All shops')").count(), 0);
  }
  await remove();
  await go("#/d/all-shops");
  await page.click(".fault-note:has-text('was deleted') button:has-text('Versions')");
  await page.click("dialog button:has-text('version 2')");
  await page.click("button:has-text('Restore')");
  await page.waitForFunction(() => !location.hash.includes("ver="));
  assert.deepEqual(await saved(), whole);

  await page.waitForSelector("button:has-text('Edit')");
  await remove();
  const choosing = page.waitForEvent("filechooser");
  await page.click("button:has-text('Import')");
  await (await choosing).setFiles({ name: "all-shops.json", mimeType: "application/json", buffer: readFileSync(file) });
  await page.waitForFunction(() => location.hash.startsWith("#/d/all-shops"));
  await page.click(".edit-bar button:has-text('Save')");
  await page.waitForSelector(".edit-bar", { state: "detached" });
  assert.deepEqual(await saved(), whole);
  assert.deepEqual(await titles(), ["orders", "load", "visits"]);
});
