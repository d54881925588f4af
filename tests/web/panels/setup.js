// A real statmilld, a page served with the headers of the server, and a chromium, each on ports of its own, and ended by
// their process ids.

import {readFileSync} from "node:fs";
import http from "node:http";
import {createRequire} from "node:module";
import {extname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";
import {endAll, startBrowser, startServer as start, whyNot} from "../processes.js";

const kRoot = resolve(fileURLToPath(new URL(".", import.meta.url)), "../../..");
const kModules = process.env.STATMILL_NODE_MODULES ?? join(kRoot, "web/node_modules");
const kPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html";
/** @type {Record<string, string>} */
const kTypes = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"};

export { startBrowser, whyNot };

/**
 * A server with an empty store.
 * @returns {Promise<{http: string, lines: string, stop: () => Promise<void>}>} addresses of its ports
 */
export async function startServer() {
  const {http: address, lines} = await start();
  return {http: address, lines, stop: endAll};
}

/** Sends lines, and waits until all are accepted. @param {string} address @param {string[]} lines */
export async function send(address, lines) {
  for (let i = 0; i < lines.length; i += 50000) {
    const response = await fetch(`http://${address}/api/v1/lines`, {method: "POST", body: lines.slice(i, i + 50000).join("\n")});
    const answer = await response.json();
    if (answer.error) throw new Error(JSON.stringify(answer));
  }
}

/**
 * Serves this folder, web/src below /src, and the API of a server. Modules are packed as they are asked for.
 * @param {string} api address
 * @returns {Promise<{url: string, stop: () => void}>}
 */
export async function servePage(api) {
  const require = createRequire(join(kModules, "x.js"));
  const esbuild = require("esbuild");
  const root = join(kRoot, "tests/web/panels");
  const server = http.createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    try {
      if (path.startsWith("/api/")) {
        const body = [];
        for await (const piece of request) body.push(piece);
        const answer = await fetch(`http://${api}${request.url}`, {
          method: request.method, headers: {"Content-Type": request.headers["content-type"] ?? ""}, ...(request.method === "POST" ? {body: Buffer.concat(body)} : {}),
        });
        response.writeHead(answer.status, {"Content-Type": answer.headers.get("content-type") ?? ""});
        response.end(Buffer.from(await answer.arrayBuffer()));
        return;
      }
      const headers = {"Content-Type": kTypes[extname(path)] ?? "text/html; charset=utf-8", "Content-Security-Policy": kPolicy, "X-Content-Type-Options": "nosniff"};
      if (path === "/icon.svg") {
        response.writeHead(200, headers);
        response.end("<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
      } else if (path.startsWith("/src/")) {
        response.writeHead(200, headers);
        response.end(readFileSync(join(kRoot, "web", resolve("/", path))));
      } else if (extname(path) === ".js") {
        const packed = await esbuild.build({entryPoints: [join(root, resolve("/", path))], bundle: true, format: "esm", write: false, nodePaths: [kModules], target: "es2022"});
        response.writeHead(200, headers);
        response.end(packed.outputFiles[0].contents);
      } else {
        response.writeHead(200, headers);
        response.end(readFileSync(join(root, path === "/" ? "harness.html" : resolve("/", path))));
      }
    } catch (error) {
      response.writeHead(404);
      response.end(String(error));
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {url: `http://127.0.0.1:${address.port}/`, stop: () => { server.closeAllConnections(); server.close(); }};
}

/**
 * A page that fails the test at any message of the console, error, or report of the content security policy.
 * @param {any} browser @param {string} url @param {Record<string, any>} [options]
 * @returns {Promise<{page: any, complaints: string[]}>}
 */
export async function openPage(browser, url, options = {}) {
  const page = await browser.newPage({viewport: {width: 1280, height: 800}, ...options});
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (/** @type {any} */ message) => complaints.push(message.text()));
  page.on("pageerror", (/** @type {Error} */ error) => complaints.push(error.stack ?? error.message));
  page.on("request", (/** @type {any} */ request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("blob:")) complaints.push(`foreign request: ${request.url()}`);
  });
  page.on("dialog", (/** @type {any} */ dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return {page, complaints};
}
