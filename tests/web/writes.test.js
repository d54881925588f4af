// Who may change what the server keeps: not the page of a foreign site, not one that calls this server by a foreign name,
// and off the loopback only those with a token. The page then shows that it is read only.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { browserTest, openPage, startServer } from "./browser.js";

const kDashboard = { format: 1, title: "Kept", notes: "", vars: [], panels: [{ at: [0, 0, 6, 2], title: "orders", series: ["shop.orders"] }] };
const kWrites = /** @type {[string, string, unknown][]} */ ([
  ["PUT", "/api/v1/dashboards/kept", kDashboard], ["POST", "/api/v1/views", { fragment: "#/hosts" }], ["POST", "/api/v1/events", { title: "deploy" }],
]);

/**
 * The status and text of a request with its own headers, which the fetch of Node.js does not allow.
 * @param {string} at host and port @param {string} method @param {string} path @param {Record<string, string>} headers @param {unknown} [body]
 * @returns {Promise<{status: number, text: string}>}
 */
function send(at, method, path, headers, body) {
  const [, host, port] = /** @type {RegExpExecArray} */ (/^(.*):(\d+)$/.exec(at));
  return new Promise((done, failed) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const sent = request({ host, port, method, path, headers: { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text), ...(method === "PUT" ? { "If-None-Match": "*" } : {}), ...headers } }, (answer) => {
      let all = "";
      answer.on("data", (piece) => { all += piece; });
      answer.on("end", () => done({ status: answer.statusCode ?? 0, text: all }));
    });
    sent.on("error", failed);
    sent.end(text);
  });
}

/** What is kept by the server. @param {{json: (path: string) => Promise<any>}} server */
async function kept(server) {
  const { dashboards } = await server.json("/api/v1/dashboards");
  const { events } = await server.json("/api/v1/events?from=-1h&tags=deploy");
  return [...dashboards.filter((/** @type {any} */ one) => one.source === "saved"), ...events];
}

/** An IPv4 address of this host that is not its loopback; empty if it has none. */
function ownAddress() {
  for (const all of Object.values(networkInterfaces())) for (const one of all ?? []) if (one.family === "IPv4" && !one.internal) return one.address;
  return "";
}

browserTest("writes from a foreign Origin are 403, whatever asks for a foreign Host is 421, and nothing of it is kept", async () => {
  const server = await startServer();
  await server.feed(["shop.orders 3"]);
  for (const [method, path, body] of kWrites) {
    for (const origin of ["http://evil.example", "null", `http://${server.http.replace(/:\d+$/, ":1")}`, `http://${server.http}.evil.example`]) {
      assert.equal((await send(server.http, method, path, { Origin: origin }, body)).status, 403, `${method} ${path} from ${origin}`);
    }
    assert.equal((await send(server.http, method, path, { Host: "evil.example" }, body)).status, 421, `${method} ${path} for another host`);
  }
  assert.equal((await send(server.http, "GET", "/api/v1/series", { Host: "evil.example" })).status, 421);
  assert.equal((await send(server.http, "GET", "/", { Host: "evil.example" })).status, 421);

  // the same by a browser: a page of a foreign site, and a foreign name that leads to this server
  const foreign = createServer((_, answer) => answer.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>foreign</title>"));
  await new Promise((done) => foreign.listen(0, "127.0.0.1", () => done(undefined)));
  try {
    const { page } = await openPage(server);
    const { port } = /** @type {import("node:net").AddressInfo} */ (foreign.address());
    await page.goto(`http://evil.test:${port}/`);
    // the page may not read the answer either
    const asked = page.waitForEvent("requestfailed", (/** @type {any} */ one) => one.url().endsWith("/api/v1/events"));
    await page.evaluate((/** @type {string} */ url) => fetch(url, { method: "POST", mode: "no-cors", body: "{\"title\":\"deploy\",\"tags\":[\"deploy\"]}" }).catch(() => undefined), `${server.url}api/v1/events`);
    await asked;
    const rebound = await page.goto(`http://evil.test:${new URL(server.url).port}/`);
    assert.equal(rebound.status(), 421);
    await page.context().close();
  } finally {
    foreign.closeAllConnections();
    foreign.close();
  }
  assert.deepEqual(await kept(server), []);
  for (const [method, path, body] of kWrites) {
    const answer = await send(server.http, method, path, { Origin: `http://${server.http}` }, body);
    assert.ok(answer.status === 200 || answer.status === 201, `${method} ${path}: ${answer.status} ${answer.text}`);
  }
});

browserTest("off the loopback without a token nothing is written; the page shows read only, and saves edits as a file", async () => {
  const address = ownAddress();
  if (address === "") {
    process.stdout.write("skipped: this host has no address but its loopback\n");
    return;
  }
  const server = await startServer({ http: `${address}:0` });
  await server.feed(["shop.orders 3"]);
  for (const [method, path, body] of kWrites) {
    const answer = await send(server.http, method, path, {}, body);
    assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
  }
  const { page, go } = await openPage(server);
  await go("#/dashboards");
  await page.waitForSelector("#main :text('This server keeps no changes')");
  await page.click(".dashboard-card:has-text('Fleet')");
  await page.waitForSelector(".badge:has-text('read only')");
  await page.waitForSelector(".panel-cell");
  await page.keyboard.press("e");
  await page.focus(".panel-body");
  await page.click(".edit-bar button:has-text('XL')");
  await page.waitForSelector(".badge:has-text('unsaved')");
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(".edit-bar button:has-text('Save as a file')")]);
  assert.equal(file.suggestedFilename(), "fleet.json");
  assert.ok(JSON.parse(readFileSync(await file.path(), "utf8")).panels.some((/** @type {any} */ one) => one.at[2] === 12));
  assert.deepEqual(await kept(server), []);
});

browserTest("with tokens: 401 without one, and the page asks for it; a reader's page is read only, a writer's saves", async () => {
  const folder = mkdtempSync(join(tmpdir(), "statmill-tokens-"));
  try {
    const file = join(folder, "tokens");
    const line = (/** @type {string} */ role, /** @type {string} */ token) => `${role} ${createHash("sha256").update(token).digest("hex")}\n`;
    writeFileSync(file, line("read", "may-read") + line("write", "may-write"), { mode: 0o600 });
    const server = await startServer({ options: ["--http.tokens", file], http: `${ownAddress() || "127.0.0.1"}:0` });
    for (const [method, path, body] of kWrites) {
      assert.equal((await send(server.http, method, path, {}, body)).status, 401, path);
      assert.equal((await send(server.http, method, path, { Authorization: "Bearer wrong" }, body)).status, 401, path);
      assert.equal((await send(server.http, method, path, { Authorization: "Bearer may-read" }, body)).status, 403, path);
    }
    const { page, go } = await openPage(server);
    await go("#/explore");
    await page.fill("dialog[open] input[type=password]", "may-read");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=tree] .row:has-text('statmill')");
    await page.evaluate(() => { location.hash = "#/d/fleet"; location.reload(); });
    await page.fill("dialog[open] input[type=password]", "may-read");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".panel-cell");
    await page.waitForSelector(".badge:has-text('read only')");
    assert.ok(!page.url().includes("may-read"));
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);

    const writer = await openPage(server);
    await writer.go("#/dashboards");
    await writer.page.fill("dialog[open] input[type=password]", "may-write");
    await writer.page.keyboard.press("Enter");
    await writer.page.waitForSelector(".dashboard-card");
    await writer.page.click("button:has-text('New')");
    await writer.page.fill("dialog[open] input", "Kept");
    await writer.page.keyboard.press("Enter");
    await writer.page.waitForFunction(() => location.hash.startsWith("#/d/kept"));
    assert.equal(await writer.page.locator(".badge:has-text('read only')").count(), 0);
    await writer.page.click(".edit-bar button:has-text('Save')");
    await writer.page.waitForSelector(".badge:has-text('unsaved')", { state: "detached" });
    const answer = await send(server.http, "GET", "/api/v1/dashboards/kept", { Authorization: "Bearer may-read" });
    assert.equal(answer.status, 200, answer.text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A page of a server that wants a token, and whose clock only the test moves, once `stop` is called. */
async function openStopped() {
  const folder = mkdtempSync(join(tmpdir(), "statmill-tokens-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "tokens");
  writeFileSync(file, `read ${createHash("sha256").update("may-read").digest("hex")}\n`, { mode: 0o600 });
  const server = await startServer({ options: ["--http.tokens", file] });
  const opened = await openPage(server);
  const { page } = opened;
  await page.clock.install();
  await page.addInitScript(() => {
    const shown = Object.assign(window, { shown: /** @type {[string, number][]} */ ([]) }).shown;
    document.addEventListener("DOMContentLoaded", () => new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const one of addedNodes) if (one instanceof HTMLElement) shown.push([one.className === "toast" ? "toast" : one.tagName.toLowerCase(), performance.now()]);
      }
    }).observe(/** @type {HTMLElement} */ (document.getElementById("layers")), { childList: true }));
  });
  /** Refreshes the page, and waits until all answers are there and what they need has loaded. */
  async function refresh() {
    const answer = page.waitForResponse((/** @type {any} */ one) => one.url().endsWith("/api/v1/status"));
    // a refresh of the page's own that is under way, or about to ask, takes the place of the key's
    let status = 0;
    while (status === 0) {
      await page.keyboard.press("r");
      status = await Promise.race([answer.then((/** @type {any} */ one) => one.status()), new Promise((next) => { setTimeout(next, 300, 0); })]);
    }
    assert.equal(status, 401);
    await page.waitForFunction(() => !document.querySelector("#progress.on"));
  }
  return {
    ...opened,
    refresh,
    /** Refreshes until the page asks for a token: a refresh of its own, from before its pause had passed, may take the first key. */
    async refreshUntilAsked() {
      while (await page.locator("dialog[open] input[type=password]").count() === 0) await refresh();
    },
    /** Stops the clock. @returns {Promise<number>} what it shows, ms */
    async stop() {
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 100));
      return page.evaluate(() => performance.now());
    },
    /** When toasts and dialogs were shown. @returns {Promise<[string, number][]>} ms */
    shown: () => page.evaluate(() => /** @type {any} */ (window).shown),
  };
}

browserTest("a token dialog that somebody has closed is not opened by refreshes for ten seconds; a wrong token is asked for again at once", async () => {
  const { page, go, stop, refresh, refreshUntilAsked, shown } = await openStopped();
  await go("");
  await page.waitForSelector("dialog[open] input[type=password]");
  const closed = await stop();
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await refresh();
  await page.clock.runFor(9_900);
  await refresh();
  assert.equal(await page.locator("dialog").count(), 0);
  await page.clock.runFor(200);
  await refreshUntilAsked();
  await page.fill("dialog[open] input[type=password]", "wrong");
  const again = await shown();
  assert.deepEqual(again.map(([what]) => what), ["dialog", "dialog"]);
  const pause = again[1][1] - closed;
  assert.ok(pause >= 10_000 && pause <= 10_100, `${pause} ms`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /** @type {any} */ (window).shown.length === 3);
  await page.fill("dialog[open] input[type=password]", "may-read");
  const answer = page.waitForResponse((/** @type {any} */ one) => one.url().endsWith("/api/v1/status") && one.status() === 200);
  await page.keyboard.press("Enter");
  await answer;
  await page.waitForSelector("dialog", { state: "detached" });
});

browserTest("a token dialog that does not load is said once, and is not asked for again for ten seconds", async () => {
  const { page, go, stop, refresh, refreshUntilAsked, shown } = await openStopped();
  await page.route("**/a/*/{panels,later}-*.js", (/** @type {any} */ route) => route.abort());
  await go("");
  await page.waitForSelector(".toast:has-text('did not load')");
  await stop();
  await refresh();
  await refresh();
  await page.unroute("**/a/*/{panels,later}-*.js");
  assert.equal((await shown()).length, 1);
  await page.clock.runFor(10_000);
  await refreshUntilAsked();
  const [[, first], [what, second]] = await shown();
  assert.equal(what, "dialog");
  assert.ok(second - first >= 10_000, `${second - first} ms`);
});
