// What stands on the time axis of all panels: events, and losses of agents.

/** @typedef {import("../panel/panel.js").Mark} Mark */

/**
 * @param {import("../app.js").App} app
 * @param {number} from
 * @param {number} until
 * @param {string} [where] whose events, as `host=web1`; empty: all but the comings and goings of agents
 * @returns {Promise<Mark[]>} nothing if the server has neither
 */
export async function loadMarks(app, from, until, where = "") {
  /** @type {Mark[]} */
  const marks = [];
  const events = await app.client.get("/api/v1/events", { from: Math.floor(from), until: Math.ceil(until), where, limit: 500 }).catch(() => null);
  for (const event of events?.events ?? []) {
    const tags = Array.isArray(event.tags) ? event.tags : [];
    const isLoss = tags.includes("gap");
    if (where === "" && !isLoss && event.source === "server" && tags.includes("agent")) continue;
    if (event.time >= until || (event.until ?? event.time) < from) continue;
    const text = isLoss && event.text ? String(event.text) : "";
    marks.push({ kind: isLoss ? "loss" : "event", time: event.time, until: event.until ?? null, title: `${event.title}${text && `: ${text}`}`, reason: text });
  }
  // a server without events still tells of the losses of its agents
  const agents = events === null ? await app.client.get("/api/v1/status/agents").catch(() => null) : null;
  for (const agent of agents?.agents ?? []) {
    for (const gap of agent.last_gaps ?? []) {
      if (gap.from >= until || gap.to < from) continue;
      marks.push({ kind: "loss", time: gap.from, until: gap.to, title: `${agent.host}: ${gap.lines} lines lost, ${gap.reason}`, reason: `${gap.lines} lines lost, ${gap.reason}` });
    }
  }
  return marks.sort((a, b) => a.time - b.time);
}
