// What stands on the time axis of all panels: events, and losses of agents.

/** @typedef {import("../panel/panel.js").Mark} Mark */

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
    if (where === "" && !isLoss && event.source === "server" && tags.includes("agent")) continue;
    const span = { time: event.time, until: event.until ?? null };
    if (!isLoss) marks.push({ kind: "event", ...span, title: String(event.title) });
    else {
      const host = /^\{host=([^,]*),/.exec(String(event.where))?.[1];
      marks.push({ kind: "loss", ...span, title: event.text ? `${event.title}: ${event.text}` : String(event.title), host });
    }
  }
  return marks.sort((a, b) => a.time - b.time);
}
