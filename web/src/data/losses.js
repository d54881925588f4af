// What was lost in a range of time: lines that agents lost, samples that the server refused, and datagrams that the kernel
// dropped. The frame counts them, and lanes of panels mark the gaps.

/**
 * Batches of an agent that no server will get.
 * @typedef {object} Gap
 * @property {string} host
 * @property {number} from unix seconds; 0 if it is not known when it began
 * @property {number} to
 * @property {number} lines
 * @property {string} reason
 */

/** @typedef {{lines: number, refused: number, dropped: number}} Losses */

const kLost = "statmill.agent_lines_lost";
const kRefused = "statmill.samples_refused";
const kDropped = "statmill.udp_datagrams_dropped";

/**
 * @param {object} needs
 * @param {Pick<import("./client.js").Client, "get">} needs.client
 * @param {{known: () => import("./hosts.js").Host[]}} needs.hosts
 */
export function createLosses({ client, hosts }) {
  /** @param {number} from @param {number} until @param {boolean} isCertain some agent has a gap @returns {Promise<Gap[]>} */
  async function gaps(from, until, isCertain = false) {
    // a fleet without gaps, as most are, costs no request
    if (!isCertain && !hosts.known().some((host) => (host.agent?.gaps ?? 0) > 0)) return [];
    const answer = await client.get("/api/v1/status/agents");
    return (answer.agents ?? []).flatMap((/** @type {any} */ agent) => (agent.last_gaps ?? [])
      .filter((/** @type {Gap} */ gap) => (gap.from || gap.to) < until && gap.to >= from)
      .map((/** @type {Gap} */ gap) => ({ ...gap, host: agent.host })));
  }

  return {
    gaps,
    /**
     * @param {{from: string, until: string}} range as the route has it
     * @param {{from: number, until: number}} span the same, in unix seconds
     * @returns {Promise<Losses>} rejects as the client does
     */
    async load(range, span) {
      const answer = await client.get("/api/v1/query", {
        series: [kLost, `${kRefused};*`, `${kDropped};*`], stats: "sum", max_points: 1, missing: "list", ...range,
      });
      const sum = (/** @type {string} */ path) => (answer.series ?? []).filter((/** @type {any} */ one) => one.name.split(";")[0] === path)
        .reduce((/** @type {number} */ all, /** @type {any} */ one) => all + (one.sum?.[0] ?? 0), 0);
      const found = await gaps(span.from, span.until, sum(kLost) > 0);
      return { lines: found.reduce((all, gap) => all + gap.lines, 0), refused: Math.round(sum(kRefused)), dropped: Math.round(sum(kDropped)) };
    },
  };
}

/** @typedef {ReturnType<typeof createLosses>} LossCounts */
