import assert from "node:assert/strict";
import { checkDashboard } from "../../web/src/screens/dashboard_model.js";
import { browserTest, openPage, startServer } from "./browser.js";

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
  const text = await page.inputValue("textarea.json");
  const dashboard = JSON.parse(text);
  Object.assign(dashboard.panels.at(-1), { title: name, series: [name] });
  await page.fill("textarea.json", JSON.stringify(dashboard));
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
