// A server without hosts: three lines to paste. The first sample turns the screen into Hosts or Explore by itself.

import { html, render } from "lit-html";
import { icon } from "../parts/icon.js";

const kWatchMs = 1000;

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 */
export function createEmpty(element, app) {
  let isAsking = false;
  /** Names that were there when the screen came; more of them are news. @type {number|null} */
  let known = null;
  /** @type {string[]} */
  let others = [];
  let ownSeries = 0;

  /** The port of a listener at the host of this page. @param {string} name @param {number} usual */
  function at(name, usual) {
    const listeners = app.server.get().status?.listeners ?? {};
    const port = /:(\d+)$/.exec(listeners[name] ?? "")?.[1] ?? String(usual);
    return { host: window.location.hostname.replace(/^\[|\]$/g, ""), port };
  }

  async function watch() {
    if (isAsking || document.hidden) return;
    isAsking = true;
    try {
      const answer = await app.names.tree("");
      const foreign = answer.children.filter((child) => child.part !== "statmill");
      others = foreign.map((child) => child.part);
      ownSeries = answer.series;
      const count = foreign.reduce((sum, child) => sum + child.series, 0);
      if (known === null) known = count;
      else if (count > known) await openNew();
      draw();
    } catch {
      // the frame says that the server is away
    } finally {
      isAsking = false;
    }
  }

  /** Opens the series that came last. */
  async function openNew() {
    const hosts = await app.hosts.load();
    if (hosts.length > 0) {
      app.refresh();
      return;
    }
    const answer = await app.client.get("/api/v1/series", { match: "*", limit: 1000 });
    const newest = answer.series.filter((/** @type {{name: string}} */ one) => !one.name.startsWith("statmill."))
      .sort((/** @type {{last_s: number}} */ a, /** @type {{last_s: number}} */ b) => b.last_s - a.last_s)[0];
    if (newest) app.go({ screen: "explore", arg: "", own: { p0: [newest.name] }, from: "-5m", until: "now", live: "1" });
  }

  /** @param {string} title @param {string} text @param {string} hint */
  function line(title, text, hint) {
    return html`<li><h2>${title}</h2><div class="paste"><code>${text}</code>
      <button class="button quiet icon-only" aria-label="Copy" title="Copy" @click=${() => app.copy(text, "command")}>${icon("copy")}</button></div>
      <p class="muted">${hint}</p></li>`;
  }

  function draw() {
    const port = at("line", 8111);
    const agent = at("agent", 8113);
    const web = window.location;  // the page comes from there
    render(html`<section class="welcome card">
      <svg class="mark big" aria-hidden="true"><use href="#i-mark"></use></svg>
      <h1>This server is ready, and waits for its first sample</h1>
      <p class="muted">Paste one of these lines. This page shows what comes by itself.</p>
      <ol>
        ${line("One sample, from any shell", `echo 'shop.orders 3' > /dev/udp/${port.host}/${port.port}`, "A gauge. *shop.visits 1 counts an event, %shop.basket 12.5 is a distribution.")}
        ${line("The same, with an answer", `statmill --server ${web.host} put 'shop.orders 3'`, "Says what was accepted, and why not.")}
        ${line("All of a host", `statmill-agent --server ${agent.host}:${agent.port}`, "CPU, memory, disks, network and more, each second.")}
      </ol>
      ${others.length > 0 ? html`<p>No host reports yet, but there are series of ${others.slice(0, 5).join(", ")}${others.length > 5 ? ", …" : ""}.
        <a href="#/explore">Explore them</a></p>` : ownSeries > 0 ? html`<p class="muted">Until then, <a href="#/explore?n=statmill.">the server's own series</a> are there.</p>` : null}
      <p class="waiting muted"><i class="live-dot"></i> waiting for samples</p>
    </section>`, element);
  }
  const timer = window.setInterval(watch, kWatchMs);
  draw();
  void watch();
  return {
    update: draw,
    destroy: () => clearInterval(timer),
  };
}
