// What stands on the time axis of all panels: events, and losses of agents.

/** @typedef {import("../panel/panel.js").Mark} Mark */

/**
 * @param {import("../app.js").App} app
 * @param {number} from
 * @param {number} until
 * @returns {Promise<Mark[]>} nothing if the server has neither
 */
export async function loadMarks(app, from, until) {
  const [events, agents] = await Promise.all([
    app.client.get("/api/v1/events", { from: Math.floor(from), until: Math.ceil(until), limit: 500 }).catch(() => null),
    app.client.get("/api/v1/status/agents").catch(() => null),
  ]);
  /** @type {Mark[]} */
  const marks = [];
  for (const event of events?.events ?? []) {
    if (event.time < until && (event.until ?? event.time) >= from) {
      marks.push({ kind: "event", time: event.time, until: event.until ?? null, title: String(event.title) });
    }
  }
  for (const agent of agents?.agents ?? []) {
    for (const gap of agent.last_gaps ?? []) {
      if (gap.from >= until || gap.to < from) continue;
      marks.push({ kind: "loss", time: gap.from, until: gap.to, title: `${agent.host}: ${gap.lines} lines lost, ${gap.reason}` });
    }
  }
  return marks.sort((a, b) => a.time - b.time);
}
