// The tables of Status: listeners, losses, refused lines, names, agents, queries.

import { html, nothing } from "lit-html";
import { age, clock, count, number, text, time, visible } from "../model/format.js";
import { glyph } from "../parts/badge.js";
import { hostText, nameText } from "../parts/name.js";
import { createSortTable } from "../parts/sort_table.js";
import { card, shares } from "./status_cards.js";

/**
 * Restores the bytes of a refused line from its escapes, and shows what is invisible. Bytes that are no UTF-8 stay as they
 * were written, `\xNN`.
 * @param {string} line
 */
export function lineText(line) {
  const plain = line.replace(/((?:\\x[0-9A-Fa-f]{2})+)/g, (escaped) => {
    const bytes = Uint8Array.from(escaped.matchAll(/\\x([0-9A-Fa-f]{2})/g), (match) => parseInt(match[1], 16));
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return escaped;
    }
  });
  return visible(plain.replaceAll("\\\\", "\\"));
}

/**
 * @param {import("../app.js").App} app
 * @param {() => void} draw
 */
export function createStatusTables(app, draw) {
  const common = { onChange: draw, save: app.save };
  const ago = (/** @type {number} */ at) => at > 0 ? `${age(Math.max(0, app.clock.now() - at))} ago` : "–";
  /** @param {string} host */
  const hostLink = (host) => html`<a href="#/host/${encodeURIComponent(host)}">${hostText(host)}</a>`;
  const bytes = (/** @type {number|null} */ value) => text(value, "bytes", { digits: 3 });

  const rejects = createSortTable({
    ...common, caption: "Refused lines", order: "-time",
    columns: [
      { id: "time", label: "time", value: (row) => row.time, show: (row) => html`<span class="num" title=${time(row.time, app.zone())}>${clock(row.time, app.zone())}</span>` },
      { id: "listener", label: "listener", value: (row) => row.listener },
      { id: "sender", label: "sender", value: (row) => row.sender, className: "num" },
      { id: "reason", label: "reason", value: (row) => row.reason, show: (row) => html`<span class="badge ${row.accepted ? "" : "warn"}">${row.reason}</span>` },
      { id: "bytes", label: "bytes", right: true, value: (row) => row.bytes, show: (row) => count(row.bytes) },
      { id: "line", label: "line", value: (row) => row.line, className: "breaks", isHead: true,
        show: (row) => html`<bdi class="name">${lineText(row.line)}</bdi>${row.truncated ? html`<span class="muted">…</span>` : nothing}` },
    ],
  });
  const agentTable = createSortTable({
    ...common, caption: "Agents", order: "host",
    columns: [
      { id: "host", label: "host", isHead: true, value: (row) => row.host, show: (row) => html`<span class="with-icon">${glyph(row.connected ? row.lag_s > 5 ? "warn" : "ok" : "bad", row.connected ? "connected" : "away")}${hostLink(row.host)}</span>` },
      { id: "version", label: "version", value: (row) => row.version, className: "num" },
      { id: "seen", label: "seen", right: true, value: (row) => row.seen, show: (row) => row.connected ? "connected" : ago(row.seen) },
      { id: "lag", label: "behind", right: true, value: (row) => row.lag_s, show: (row) => text(row.lag_s, "s", { digits: 2 }) },
      { id: "skew", label: "clock", right: true, value: (row) => row.clock_difference_ms, show: (row) => row.clock_difference_ms === null ? "–" : `${row.clock_difference_ms > 0 ? "+" : ""}${text(row.clock_difference_ms, "ms", { digits: 3 })}` },
      { id: "spool", label: "spool", right: true, value: (row) => row.spool_bytes, show: (row) => bytes(row.spool_bytes) },
      { id: "gaps", label: "gaps", right: true, value: (row) => row.gaps },
      { id: "lost", label: "lines lost", right: true, value: (row) => row.lines_lost, show: (row) => html`<span class=${row.lines_lost > 0 ? "glyph-text warn" : ""}>${count(row.lines_lost)}</span>` },
      { id: "refused", label: "refused", right: true, value: (row) => row.lines_refused, show: (row) => count(row.lines_refused) },
      { id: "collectors", label: "collectors", value: (row) => row.collectors_not_ok ?? 0, className: "breaks",
        show: (row) => html`${row.collectors ?? 0 ? `${row.collectors - (row.collectors_not_ok ?? 0)} ✓` : "–"} ${(row.troubles ?? []).map((/** @type {any} */ one) => html`<span class="badge warn">${one.name} ${one.state}: ${visible(one.reason)}</span> `)}` },
    ],
  });
  const gapTable = createSortTable({
    ...common, caption: "Gaps of agents", order: "-from",
    columns: [
      { id: "from", label: "from", value: (row) => row.from, show: (row) => row.from > 0 ? html`<span class="num">${time(row.from, app.zone())}</span>` : "not known" },
      { id: "to", label: "until", value: (row) => row.to, show: (row) => html`<span class="num">${row.from > 0 ? clock(row.to, app.zone()) : time(row.to, app.zone())}</span>` },
      { id: "host", label: "host", isHead: true, value: (row) => row.host, show: (row) => hostLink(row.host) },
      { id: "reason", label: "reason", value: (row) => row.reason, show: (row) => html`<span class="badge warn">${row.reason}</span>` },
      { id: "lines", label: "lines lost", right: true, value: (row) => row.lines, show: (row) => count(row.lines) },
    ],
  });
  /** @param {any} cost */
  const spent = (cost) => cost ? html`<span class="num">${count(cost.series)} series<br>${count(cost.chunks)} chunks<br>${bytes(cost.bytes)}</span>` : "–";
  /** A batch is long, so three lines of it are shown. @param {string} query */
  const queryText = (query) => html`<bdi class="name query-text" title=${visible(query)}>${visible(query)}</bdi>`;
  const slowTable = createSortTable({
    ...common, caption: "Slowest queries", order: "-ms",
    columns: [
      { id: "ms", label: "time", right: true, value: (row) => row.cost?.ms ?? null, show: (row) => text(row.cost?.ms, "ms", { digits: 3 }) },
      { id: "query", label: "query", isHead: true, className: "breaks", value: (row) => row.query, show: (row) => queryText(row.query) },
      { id: "read", label: "read", value: (row) => row.cost?.slots ?? null, show: (row) => spent(row.cost) },
      { id: "status", label: "status", right: true, value: (row) => row.status },
      { id: "client", label: "client", value: (row) => row.client, className: "num" },
      { id: "when", label: "when", right: true, value: (row) => row.time, show: (row) => ago(row.time) },
    ],
  });
  const runningTable = createSortTable({
    ...common, caption: "Running queries", order: "-age",
    columns: [
      { id: "age", label: "for", right: true, value: (row) => row.age_ms, show: (row) => text(row.age_ms, "ms", { digits: 3 }) },
      { id: "query", label: "query", isHead: true, className: "breaks", value: (row) => row.query, show: (row) => queryText(row.query) },
      { id: "read", label: "read", value: (row) => row.cost?.slots ?? null, show: (row) => spent(row.cost) },
      { id: "client", label: "client", value: (row) => row.client, className: "num" },
    ],
  });
  const listenerTable = createSortTable({
    ...common, caption: "Listeners", order: "-received",
    columns: [
      { id: "name", label: "listener", isHead: true, value: (row) => row.name },
      { id: "address", label: "address", value: (row) => row.address, className: "num" },
      { id: "received", label: "received", right: true, value: (row) => row.received, show: (row) => count(row.received) },
      { id: "accepted", label: "accepted", right: true, value: (row) => row.accepted, show: (row) => count(row.accepted) },
      { id: "refused", label: "refused", right: true, value: (row) => row.refusedCount, show: (row) => count(row.refusedCount) },
      { id: "reasons", label: "reasons", value: (row) => row.reasons, className: "breaks", show: (row) => row.reasonList.map((/** @type {[string, number]} */ [reason, size]) => html`<span class="badge warn">${reason} ${count(size)}</span> `) },
    ],
  });

  /** The address of an account of samples. @param {any} status @param {string} name such as `graphite_udp` */
  function addressOf(status, name) {
    const port = name.split("_")[0];
    return status?.listeners?.[port === "tcp" || port === "udp" ? "line" : port] ?? "";
  }

  /** @param {any} status */
  function listenerRows(status) {
    return Object.entries(status?.samples ?? {}).map(([name, one]) => {
      const reasonList = Object.entries(/** @type {any} */ (one).refused ?? {}).sort((a, b) => Number(b[1]) - Number(a[1]));
      return { name, address: addressOf(status, name), .../** @type {any} */ (one), reasonList, reasons: reasonList.map(([reason]) => reason).join(" "),
        refusedCount: reasonList.reduce((sum, [, size]) => sum + Number(size), 0) };
    });
  }

  return {
    /** @param {any} status */
    listeners(status) {
      const rows = listenerRows(status).filter((row) => row.received > 0 || row.address !== "");
      return card("Listeners, since the start", listenerTable.table(rows, "No samples yet."), listenerTable.tools(rows));
    },
    /** @param {any} status @param {any} agents */
    losses(status, agents) {
      const gaps = (agents?.agents ?? []).flatMap((/** @type {any} */ agent) => (agent.last_gaps ?? []).map((/** @type {any} */ gap) => ({ host: agent.host, ...gap })));
      const refused = listenerRows(status).reduce((sum, row) => sum + row.refusedCount, 0);
      const lost = app.hosts.lost();
      const shown = app.server.get().losses;
      const line = (/** @type {string} */ what, /** @type {number|undefined} */ value, /** @type {unknown} */ more) => html`<p>
        ${glyph(value === 0 ? "ok" : "warn")} <b class="num">${value === undefined ? "…" : count(value)}</b> ${what} <span class="muted">${more}</span></p>`;
      return html`${card("What did not arrive in the range shown", html`<div class="body">
          ${line("lines lost by agents", shown?.lines, html`their spool was full, or a batch was damaged; <span class="num">${count(lost)}</span> of all time`)}
          ${line("samples refused", shown?.refused, html`<a href="#/status/refused">the lines themselves</a>; <span class="num">${count(refused)}</span> since the start`)}
          ${line("datagrams dropped by the kernel", shown?.dropped, "the receive buffer was full")}</div>`)}
        ${card("Gaps of agents", gapTable.table(gaps, "No agent has a gap."), gapTable.tools(gaps))}`;
    },
    /** @param {any} status @param {any} answer @param {any} cardinality */
    refused(status, answer, cardinality) {
      const rows = answer?.rejects ?? [];
      /** @type {Map<string, number>} */
      const reasons = new Map();
      for (const row of listenerRows(status)) for (const [reason, size] of row.reasonList) reasons.set(reason, (reasons.get(reason) ?? 0) + Number(size));
      const senders = cardinality?.refused_by_sender?.top ?? [];
      const byReason = [...reasons].sort((a, b) => b[1] - a[1]);
      return html`<div class="two">
          ${card("Reasons, since the start", html`<div class="body">${byReason.length === 0 ? html`<p class="muted">Nothing was refused.</p>`
            : shares(byReason.map(([reason, size]) => ({ label: reason, value: size, text: count(size) })))}</div>`)}
          ${card("Over a limit of series, by sender", html`<div class="body">${senders.length === 0 ? html`<p class="muted">No sender exceeds a limit.</p>`
            : shares(senders.map((/** @type {any} */ one) => ({ label: one.sender, value: one.count, text: count(one.count) })))}</div>`)}</div>
        ${card("The last lines", rejects.table(rows, "No line was refused since the start."), rejects.tools(rows))}`;
    },
    /** @param {any} answer */
    names(answer) {
      if (!answer) return nothing;
      const share = answer.series_limit > 0 ? 100 * answer.active_series / answer.series_limit : 0;
      return html`<div class="tiles">
          <section class="card tile"><h2>Series</h2><div class="big">${count(answer.series)}</div><p>${count(answer.active_series)} active of ${count(answer.series_limit)}, ${text(share, "percent", { digits: 2 })}</p></section>
          <section class="card tile"><h2>New in the last minute</h2><div class="big">${count(answer.new_in_last_minute)}</div><p>each costs memory</p></section>
          <section class="card tile"><h2>Memory of names</h2><div class="big">${number(answer.name_bytes, "bytes", { digits: 3 }).text}<span class="unit">${number(answer.name_bytes, "bytes").unit}</span></div><p>all names and tags</p></section>
          <section class="card tile ${answer.refused > 0 ? "warn" : ""}"><h2>Refused by a limit</h2><div class="big">${count(answer.refused)}</div><p>samples of new series</p></section></div>
        <div class="two">${card("Largest beginnings of names", html`<div class="body">${shares((answer.prefixes?.top ?? []).map((/** @type {any} */ one) => ({
          label: html`<a href="#/explore?n=${encodeURIComponent(`${one.prefix}.`)}">${nameText(one.prefix)}</a>`, value: one.count, text: count(one.count) })))}</div>`)}
        ${card("Tags with most values", html`<div class="body">${shares((answer.keys ?? []).map((/** @type {any} */ one) => ({
          label: nameText(one.key), value: one.values, text: count(one.values) })))}</div>`)}</div>`;
    },
    /** @param {any} answer */
    agents(answer) {
      const rows = answer?.agents ?? [];
      return html`
        ${(answer?.host_conflicts ?? []).map((/** @type {any} */ one) => html`<p class="fault-note">Several agents send as ${visible(one.host)}: their samples are added up.</p>`)}
        ${(answer?.outdated ?? []).map((/** @type {any} */ one) => html`<p class="fault-note">${visible(one.host || one.address)} speaks protocol ${one.protocol}, which this server does not.</p>`)}
        ${card(html`Agents <span class="muted num">${count(answer?.connected ?? 0)} of ${count(answer?.known ?? 0)} connected</span>`,
          agentTable.table(rows, "No agent has connected yet."), agentTable.tools(rows))}`;
    },
    /** @param {any} answer */
    queries(answer) {
      const running = answer?.running ?? [];
      const slow = answer?.slowest ?? [];
      return html`${card("Running now", runningTable.table(running, "No query runs."))}
        ${card("Slowest of the last 24 hours", slowTable.table(slow, "No query yet."), slowTable.tools(slow))}`;
    },
  };
}
