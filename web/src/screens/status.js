// The state of the server: does it cope, and is anything lost? One tab a question.

import { html, nothing, render } from "lit-html";
import { isAbort } from "../data/client.js";
import { age, count, number, text } from "../model/format.js";
import { glyph } from "../parts/badge.js";
import { openAdmin } from "./admin.js";
import { createPanelGrid } from "./panel_grid.js";
import { alertsIn, createAlerts, kRulesPath, rulesOf } from "./status_alerts.js";
import { createStorage, forecastOf } from "./status_storage.js";
import { changesOf, withChange } from "./panel_url.js";
import { createStatusTables } from "./status_tables.js";

const kTabs = [
  ["", "Overview"], ["loss", "Loss"], ["refused", "Refused"], ["names", "Names"], ["agents", "Agents"], ["queries", "Queries"],
  ["storage", "Storage"], ["alerts", "Alerts"], ["admin", "Admin"],
];
const kRefreshMs = 5000;
const kFirstRateMs = 1100;

/** What each tab asks for beside the status. @type {Record<string, string[]>} */
const kAsks = {
  "": ["rules"], alerts: ["rules"],
  loss: ["agents"], refused: ["rejects", "cardinality"], names: ["cardinality"], agents: ["agents"], queries: ["queries"],
};

/** Panels of a tab. @type {Record<string, import("../panel/panel.js").PanelSpec[]>} */
const kPanels = {
  "": [
    { id: "s-accepted", title: "accepted samples", series: ["g:statmill.samples_accepted;*"], height: "S" },
    { id: "s-query", title: "queries", series: ["g:statmill.query_ns;*"], view: "heatmap", stats: ["p50", "p99"], height: "S" },
    { id: "s-cpu", title: "CPU of the server", series: ["statmill.process.cpu_ns"], unit: "cores", height: "S" },
    { id: "s-memory", title: "memory of the server", series: ["statmill.process.resident_memory_bytes", "statmill.pending_bytes", "statmill.store_memory_bytes"], height: "S" },
  ],
  loss: [
    { id: "s-refused", title: "refused samples", series: ["g:statmill.samples_refused;*"], height: "S" },
    { id: "s-dropped", title: "datagrams dropped by the kernel", series: ["g:statmill.udp_datagrams_dropped*"], height: "S" },
  ],
  names: [
    { id: "s-series", title: "series", series: ["statmill.series"], height: "S" },
    { id: "s-created", title: "new series", series: ["statmill.series_created"], height: "S" },
  ],
  storage: [
    { id: "s-disk", title: "size of the store", series: ["statmill.store_disk_bytes"], height: "S" },
    { id: "s-tick", title: "duration of a tick", series: ["statmill.tick_ns"], view: "heatmap", stats: ["p50", "p99"], height: "S" },
    { id: "s-flush", title: "duration of a flush", series: ["statmill.flush_ns"], view: "heatmap", stats: ["p50", "p99"], height: "S" },
    { id: "s-fragments", title: "written", series: ["statmill.fragment_bytes", "statmill.journal_bytes"], height: "S" },
  ],
};

/** @param {any} status */
function totals(status) {
  const sum = { received: 0, accepted: 0, refused: 0 };
  for (const one of Object.values(status?.samples ?? {})) {
    const refused = Object.values(/** @type {any} */ (one).refused ?? {}).reduce((/** @type {number} */ a, b) => a + Number(b), 0);
    sum.received += /** @type {any} */ (one).received;
    sum.accepted += /** @type {any} */ (one).accepted;
    sum.refused += refused;
  }
  return sum;
}

/**
 * @param {HTMLElement} element
 * @param {import("../app.js").App} app
 * @returns {import("../app.js").Screen}
 */
export function createStatus(element, app) {
  const head = document.createElement("div");
  const body = document.createElement("div");
  const gridElement = document.createElement("div");
  body.className = "status-body panel-groups";
  element.append(head, body, gridElement);
  /** @type {any} */
  let status = app.server.get().status;
  /** @type {{received: number, accepted: number, refused: number, at: number}|null} */
  let before = null;
  /** @type {{received: number, accepted: number, refused: number}|null} */
  let rates = null;
  /** @type {Record<string, any>} */
  let answers = {};
  /** @type {Record<string, string>} */
  let faults = {};
  let isRunning = false;
  const tables = createStatusTables(app, draw);
  const storage = createStorage(app, draw);
  const alerts = createAlerts(app, draw);
  const grid = createPanelGrid(gridElement, app, {
    change: (id, change) => app.store.patch({ own: withChange(app.route(), id, change) }), can: () => false,
  });
  const tab = () => kTabs.some(([id]) => id === app.route().arg) ? app.route().arg : "";

  async function load() {
    if (isRunning) return;
    isRunning = true;
    try {
      const answer = await app.readStatus();
      if (answer === null) return;  // the frame says that the server is away
      status = answer;
      const now = { ...totals(status), at: app.clock.steady() };
      if (before !== null && now.at > before.at + 500) {
        const seconds = (now.at - before.at) / 1000;
        rates = {
          received: (now.received - before.received) / seconds, accepted: (now.accepted - before.accepted) / seconds,
          refused: (now.refused - before.refused) / seconds,
        };
      }
      before = now;
      draw();
      await Promise.all((kAsks[tab()] ?? []).map(async (name) => {
        try {
          const answer = await app.client.get(name === "rules" ? kRulesPath : `/api/v1/status/${name}`);
          answers = { ...answers, [name]: answer };
          delete faults[name];
        } catch (error) {
          if (!isAbort(error)) faults = { ...faults, [name]: error instanceof Error ? error.message : String(error) };
        }
      }));
    } finally {
      isRunning = false;
      draw();
    }
  }

  /** @param {string} title @param {unknown} big @param {unknown} small @param {string} [grade] */
  function tile(title, big, small, grade = "") {
    return html`<section class="card tile ${grade}"><h2>${title}</h2><div class="big">${big}</div><p>${small}</p></section>`;
  }

  /** @param {number|null|undefined} value @param {string} unit @param {number} [digits] */
  function big(value, unit, digits = 3) {
    const shown = number(value ?? null, unit, { digits });
    return html`${shown.text}<span class="unit">${shown.unit}</span>`;
  }

  function problems() {
    const rows = [
      ...Object.entries(status?.problems ?? {}).map(([part, text]) => ({ grade: /** @type {const} */ ("bad"), part, text })),
      ...Object.entries(status?.warnings ?? {}).map(([part, text]) => ({ grade: /** @type {const} */ ("warn"), part, text })),
    ];
    return rows.length === 0 ? nothing : html`<section class="card section-card"><header><h2>Needs attention</h2></header><div class="body">
      ${rows.map((row) => html`<p>${glyph(row.grade)} <b>${row.part}</b> ${row.text}</p>`)}</div></section>`;
  }

  function alertTile() {
    const rules = rulesOf(answers.rules);
    if (rules.length === 0) return nothing;
    const firing = alertsIn(rules, "firing");
    const failed = rules.filter((rule) => rule.health === "err").length;
    return tile("Alerts", count(firing), html`firing, ${count(alertsIn(rules, "pending"))} pending · <a href="#/status/alerts">which</a>${failed > 0 ? html` · ${failed === 1 ? "1 rule fails" : `${count(failed)} rules fail`}` : nothing}`,
      firing > 0 ? "bad" : failed > 0 ? "warn" : "");
  }

  function overview() {
    const sum = totals(status);
    const lost = app.hosts.lost();
    const forecast = forecastOf(status);
    return html`${problems()}
      <div class="tiles">
        ${tile("Received", big(rates?.received, "per_second"), html`${count(sum.received)} since the start`)}
        ${tile("Refused", big(rates?.refused, "per_second"), html`${count(sum.refused)} since the start · <a href="#/status/refused">which</a>`, rates && rates.refused > 0 ? "warn" : "")}
        ${tile("Lost by agents", count(lost), html`lines that no server will get · <a href="#/status/loss">where</a>`, lost > 0 ? "warn" : "")}
        ${tile("Series", count(status?.series), html`kept for ${status?.retention ?? "–"}`)}
        ${tile("On disk", big(status?.disk_bytes, "bytes"), html`${status?.disk_free_bytes === undefined ? "" : html`${text(status.disk_free_bytes, "bytes", { digits: 3 })} free · `}<a
          href="#/status/storage">${forecast.short}</a>`, forecast.grade)}
        ${alertTile()}
        ${tile("Durable", status && status.open_tick - status.durable_tick <= 4 ? "yes" : "late", status ? html`tick ${count(status.durable_tick)} of ${count(status.open_tick)}` : "")}
      </div>
      ${tables.listeners(status)}`;
  }

  function content() {
    const name = tab();
    if (status === null) return html`<div class="skeleton"><i></i><i></i><i></i></div>`;
    const wrong = (kAsks[name] ?? []).map((ask) => faults[ask]).filter(Boolean);
    const note = wrong.length > 0 ? html`<p class="fault-note" role="alert">${wrong[0]}</p>` : nothing;
    switch (name) {
      case "loss": return html`${note}${tables.losses(status, answers.agents)}`;
      case "refused": return html`${note}${tables.refused(status, answers.rejects, answers.cardinality)}`;
      case "names": return html`${note}${tables.names(answers.cardinality)}`;
      case "agents": return html`${note}${tables.agents(answers.agents)}`;
      case "queries": return html`${note}${tables.queries(answers.queries)}`;
      case "storage": return html`${note}${storage.view(status)}`;
      case "alerts": return html`${note}${alerts.view(answers.rules)}`;
      case "admin": return openAdmin(app, status, draw);
      default: return overview();
    }
  }

  function draw() {
    const name = tab();
    const { from, until, live } = app.route();
    const keep = `${from !== "-1h" ? `&from=${from}` : ""}${until !== "now" ? `&until=${until}` : ""}${live ? "&live=1" : ""}`.replace(/^&/, "?");
    render(html`
      <div class="status-head"><h1>Status</h1>
        ${status === null ? nothing : html`<span class="badge ${status.ready ? "ok" : "bad"}">${status.ready ? "✓ ready" : "✕ not ready"}</span>
          <span class="muted">up ${age(status.uptime_s)}</span><span class="muted">statmilld ${status.version}</span>`}</div>
      <nav class="tabs" aria-label="Parts of the status">${kTabs.map(([id, label]) => html`<a href="#/status${id ? `/${id}` : ""}${keep}"
        aria-current=${id === name ? "page" : nothing}>${label}</a>`)}</nav>`, head);
    render(content(), body);
    grid.update([{ id: `status-${name}`, columns: 2, panels: (kPanels[name] ?? []).map((panel) => ({ ...panel, ...changesOf(app.route(), panel.id) })) }]);
  }

  const timer = window.setInterval(() => { if (!document.hidden) void load(); }, kRefreshMs);
  let shownTab = tab();
  draw();
  // a rate needs two readings; the second one follows soon
  void load().then(() => window.setTimeout(() => { if (before !== null && rates === null) void load(); }, kFirstRateMs));

  return {
    title: () => {
      const problem = Object.keys(status?.problems ?? {})[0];
      return problem ? `✕ ${problem}` : "Status";
    },
    update() {
      draw();
      if (tab() !== shownTab) {
        shownTab = tab();
        void load();
      }
    },
    refresh() {
      void load();
      grid.refresh();
    },
    key: (name, event) => grid.key(name, event),
    destroy() {
      clearInterval(timer);
      grid.destroy();
      element.textContent = "";
    },
  };
}
