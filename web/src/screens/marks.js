// What stands on the time axis of all panels: events, and losses of agents.

import { resolve } from "../model/range.js";

/** @typedef {import("../panel/panel.js").Mark} Mark */

const kSame = 1;  // s, an event and a gap that end within that are the same

/**
 * @param {import("../app.js").App} app
 * @param {string} from of the range, as the server takes it: only the server knows its time for sure
 * @param {string} until
 * @param {string} [where] whose events, as `host=web1`; empty: all but the comings and goings of agents
 * @returns {Promise<Mark[]>} none if the server does not answer
 */
export async function loadMarks(app, from, until, where = "") {
  /** @type {Mark[]} */
  const marks = [];
  const events = await app.client.get("/api/v1/events", { from, until, where, limit: 500 }).catch(() => null);
  for (const event of events?.events ?? []) {
    const tags = Array.isArray(event.tags) ? event.tags : [];
    const isLoss = tags.includes("gap");
    if (where === "" && event.source === "server" && (tags.includes("away") || tags.includes("back"))) continue;
    const span = { time: event.time, until: event.until ?? null, text: String(event.text ?? ""), tags, where: String(event.where ?? "") };
    if (!isLoss) marks.push({ kind: "event", ...span, title: String(event.title) });
    else {
      const host = /^\{host=([^,]*),/.exec(String(event.where))?.[1];
      marks.push({ kind: "loss", ...span, title: event.text ? `${event.title}: ${event.text}` : String(event.title), host });
    }
  }
  const now = app.clock.now();
  const gaps = await app.losses.gaps(resolve(from, now) ?? now - 3600, resolve(until, now) ?? now).catch(() => []);
  for (const { host, from: begin, to, lines, reason } of gaps) {
    if (where !== "" && where !== `host=${host}`) continue;
    // the server tells of most gaps by an event
    if (marks.some((mark) => mark.kind === "loss" && mark.host === host && Math.abs((mark.until ?? mark.time) - to) < kSame)) continue;
    marks.push({ kind: "loss", time: begin || to, until: to, title: `${host} lost ${lines} lines: ${reason}`, host });
  }
  return marks.sort((a, b) => a.time - b.time);
}
