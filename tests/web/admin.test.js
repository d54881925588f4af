import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { browserTest, openPage, startServer } from "./browser.js";

const folder = mkdtempSync(join(tmpdir(), "statmill-tokens-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A server with tokens that are called as their roles. */
async function startGuarded() {
  const file = join(folder, "tokens");
  const line = (/** @type {string} */ role) => `${role} ${createHash("sha256").update(role).digest("hex")} the ${role}\n`;
  writeFileSync(file, line("read") + line("write") + line("admin"), { mode: 0o600 });
  const server = await startServer({ options: ["--http.tokens", file] });
  const names = Array.from({ length: 14 }, (_, i) => `shop.old.${i}`);
  const sent = await fetch(`http://${server.http}/api/v1/lines`, {
    method: "POST", headers: { Authorization: "Bearer write" }, body: [...names, "shop.orders"].map((name) => `${name} 1\n`).join(""),
  });
  assert.equal(sent.status, 200);
  const series = async (/** @type {string} */ match) => (await (await fetch(`http://${server.http}/api/v1/series?match=${match}`,
    { headers: { Authorization: "Bearer read" } })).json()).series.map((/** @type {any} */ one) => one.name);
  return { server, series };
}

/** @param {any} page @param {string} token */
async function give(page, token) {
  await page.fill("dialog input[type=password]", token);
  await page.click("dialog button:has-text('Use')");
  await page.waitForSelector("dialog", { state: "detached" });
}

/** @param {any} page @param {string} glob @param {string} [to] */
async function preview(page, glob, to = "") {
  await page.getByLabel("Series: a name").fill(glob);
  await page.getByLabel("New name").fill(to);
  await page.click(".admin button:has-text('Preview')");
}

browserTest("with a token of the role admin the page deletes and renames what it listed, once the number is typed again", async () => {
  const { server, series } = await startGuarded();
  const { page, go } = await openPage(server);
  await go("#/status/admin");
  await give(page, "admin");
  await page.waitForSelector(".admin:has-text('notes who did it')");
  await preview(page, "shop.old.*", "shop.archive.*");
  await page.waitForSelector(".preview .row:has-text('shop.archive.3')");
  const rename = page.locator(".confirm button");
  assert.equal(await rename.isDisabled(), true);
  await page.fill("#admin-count", "13");
  assert.equal(await rename.isDisabled(), true);
  await page.fill("#admin-count", "14");
  await rename.click();
  await page.waitForSelector(".admin [role=status]:has-text('14 series renamed')");
  assert.equal((await series("shop.archive.*")).length, 14);
  await preview(page, "shop.archive.1*");
  await page.waitForSelector(".admin [role=status]:has-text('5 series match')");
  await page.fill("#admin-count", "5");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".admin [role=status]:has-text('5 series deleted')");
  assert.equal((await series("shop.archive.*")).length, 9);
  const events = await (await fetch(`http://${server.http}/api/v1/events?tags=names`, { headers: { Authorization: "Bearer read" } })).json();
  assert.deepEqual(events.events.map((/** @type {any} */ one) => [one.title, one.by]),
    [["14 series renamed", "the admin at 127.0.0.1"], ["5 series deleted", "the admin at 127.0.0.1"]]);
});

browserTest("what comes after the preview is not changed", async () => {
  const { server, series } = await startGuarded();
  const { page, go } = await openPage(server);
  await go("#/status/admin");
  await give(page, "admin");
  await page.waitForSelector(".admin:has-text('notes who did it')");
  const more = (/** @type {string} */ name) => fetch(`http://${server.http}/api/v1/lines`, { method: "POST", headers: { Authorization: "Bearer write" }, body: `${name} 1\n` });
  await preview(page, "shop.old.*", "shop.archive.*");
  await page.waitForSelector(".confirm");
  await more("shop.old.late");
  await page.fill("#admin-count", "14");
  await page.click(".confirm button");
  await page.waitForSelector(".admin .fault-note:has-text('has changed meanwhile')");
  assert.equal((await series("shop.old.*")).length, 15);
  await preview(page, "shop.old.*");
  await page.waitForSelector(".admin [role=status]:has-text('15 series match')");
  await more("shop.old.later");
  await page.fill("#admin-count", "15");
  await page.click(".confirm button");
  await page.waitForSelector(".admin [role=status]:has-text('15 series deleted')");
  assert.deepEqual(await series("shop.old.*"), ["shop.old.later"]);
});

browserTest("without the right the page shows the command, and takes another token", async () => {
  const { server, series } = await startGuarded();
  const { page, go, requests } = await openPage(server);
  await go("#/status/admin");
  await give(page, "write");
  await preview(page, "shop.old.*");
  await page.waitForSelector(".admin [role=status]:has-text('14 series match')");
  assert.equal(await page.locator(".paste code").textContent(), "statmill delete 'shop.old.*'");
  assert.equal(await page.locator(".confirm").count(), 0);
  assert.deepEqual(requests.filter((one) => one.includes("/admin/")), []);
  await page.click("button:has-text('use another token')");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.click("button:has-text('use another token')");  // by hand the dialog opens at any time
  await give(page, "admin");
  await page.waitForSelector(".admin:has-text('notes who did it')");
  assert.equal((await series("shop.old.*")).length, 14);
  const open = await startServer();
  const { page: other, go: goThere } = await openPage(open);
  await goThere("#/status/admin");
  await other.waitForSelector(".admin:has-text('needs a token with the role admin')");
});
