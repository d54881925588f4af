// The alerts tab of Status: what fires, and the rules with how their newest evaluation went.

import { html } from "lit-html";
import { age, text, visible } from "../model/format.js";
import { glyph } from "../parts/badge.js";
import { createSortTable } from "../parts/sort_table.js";
import { formatFragment } from "../state/url.js";
import { card } from "./status_cards.js";

export const kRulesPath = "/prometheus/api/v1/rules";

/** @typedef {{labels: Record<string, string>, annotations: Record<string, string>, state: string, activeAt: string, value: string}} Alert */
/** @typedef {{group: string, file: string, name: string, query: string, type: string, state?: string, health: string, lastError?: string,
 *   evaluationTime: number, lastEvaluation: string, alerts?: Alert[]}} Rule */

/** All rules of an answer, with their group and file. @param {any} answer @returns {Rule[]} */
export function rulesOf(answer) {
  return (answer?.data?.groups ?? []).flatMap((/** @type {any} */ group) =>
    group.rules.map((/** @type {any} */ rule) => ({ ...rule, group: group.name, file: group.file })));
}

/** @param {Rule[]} rules @param {string} state */
export function alertsIn(rules, state) {
  return rules.reduce((sum, rule) => sum + (rule.alerts ?? []).filter((alert) => alert.state === state).length, 0);
}

/** The labels without the name of the alert, as PromQL writes them. @param {Record<string, string>} labels */
function labelText(labels) {
  return Object.entries(labels).filter(([name]) => name !== "alertname").map(([name, value]) => `${name}="${value}"`).join(", ");
}

/** What people wrote about an alert: its summary, else another annotation. @param {Record<string, string>} annotations */
function summaryOf(annotations) {
  return annotations.summary ?? annotations.description ?? Object.values(annotations)[0] ?? "";
}

/**
 * @param {import("../app.js").App} app
 * @param {() => void} draw
 */
export function createAlerts(app, draw) {
  const common = { onChange: draw, save: app.save };
  /** Seconds since a time of the API. @param {string} at */
  const since = (at) => Math.max(0, app.clock.now() - Date.parse(at) / 1000);
  /** @param {Rule} rule */
  const link = (rule) => html`<a href=${formatFragment({ ...app.route(), screen: "explore", arg: "", at: "", k: "", big: "", own: { "p0.e": [rule.query] } })}
    title=${visible(rule.query)}>${visible(rule.name)}</a>`;

  const alerts = createSortTable({
    ...common, caption: "Alerts", order: "state",
    columns: [
      { id: "state", label: "state", value: (row) => row.alert.state, show: (row) => html`<span class="badge ${row.alert.state === "firing" ? "bad" : "warn"}">${row.alert.state}</span>` },
      { id: "name", label: "alert", isHead: true, value: (row) => row.rule.name, show: (row) => link(row.rule) },
      { id: "summary", label: "summary", className: "breaks", value: (row) => summaryOf(row.alert.annotations), show: (row) => visible(summaryOf(row.alert.annotations)) },
      { id: "labels", label: "labels", className: "breaks", value: (row) => labelText(row.alert.labels), show: (row) => html`<bdi class="name">${visible(labelText(row.alert.labels))}</bdi>` },
      { id: "value", label: "value", right: true, value: (row) => Number(row.alert.value), show: (row) => visible(row.alert.value) },
      { id: "since", label: "since", right: true, value: (row) => since(row.alert.activeAt), show: (row) => age(since(row.alert.activeAt)) },
    ],
  });
  const rules = createSortTable({
    ...common, caption: "Rules", order: "health",
    columns: [
      { id: "health", label: "state", value: (row) => row.health, show: (row) => row.health === "unknown" ? html`<span class="muted">not yet</span>` : glyph(row.health === "ok" ? "ok" : "bad", row.health === "ok" ? "evaluated" : "failed") },
      { id: "name", label: "rule", isHead: true, value: (row) => row.name, show: (row) => link(row) },
      { id: "type", label: "type", value: (row) => row.type, className: "muted" },
      { id: "group", label: "group", value: (row) => row.group, show: (row) => html`<span title=${row.file}>${visible(row.group)}</span>` },
      { id: "fault", label: "fault", className: "breaks", value: (row) => row.lastError ?? "", show: (row) => visible(row.lastError ?? "") },
      { id: "took", label: "took", right: true, value: (row) => row.evaluationTime, show: (row) => row.health === "unknown" ? "–" : text(row.evaluationTime, "s", { digits: 2 }) },
      { id: "at", label: "evaluated", right: true, value: (row) => since(row.lastEvaluation), show: (row) => row.health === "unknown" ? "–" : `${age(since(row.lastEvaluation))} ago` },
    ],
  });

  /** @param {any} answer of the rules; undefined: not yet known */
  function view(answer) {
    if (answer === undefined) return html`<div class="skeleton"><i></i><i></i></div>`;
    const all = rulesOf(answer);
    if (all.length === 0) {
      return card("There are no rules", html`<div class="body"><p>Start the server with <code>--rules /usr/share/statmill/rules</code>, a folder of rule files in
        Prometheus' form, to record expressions and to be alerted.</p></div>`);
    }
    const active = all.flatMap((rule) => (rule.alerts ?? []).map((alert) => ({ rule, alert })));
    return html`${active.length === 0 ? card("Alerts", html`<div class="body"><p>${glyph("ok")} No alert is pending or firing.</p></div>`) : card("Alerts", alerts.table(active), alerts.tools(active))}
      ${card("Rules", rules.table(all), rules.tools(all))}`;
  }
  return { view };
}
