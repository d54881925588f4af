// What stands on the time axis of all panels: events, and losses of agents.

/** @typedef {import("../panel/panel.js").Mark} Mark */

const kSame = 1;  // s, an event and a gap that end within that are the same

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
    marks.push({ kind: isLoss ? "loss" : "event", time: event.time, until: event.until ?? null, title: String(event.title) });
  }
  const gaps = await app.losses.gaps(from, until).catch(() => []);
  for (const { host, from: begin, to, lines, reason } of gaps) {
    if (where !== "" && where !== `host=${host}`) continue;
    // the server tells of most gaps by an event
    if (marks.some((mark) => mark.kind === "loss" && Math.abs((mark.until ?? mark.time) - to) < kSame)) continue;
    marks.push({ kind: "loss", time: begin || to, until: to, title: `${host}: ${lines} lines lost, ${reason}` });
  }
  return marks.sort((a, b) => a.time - b.time);
}
