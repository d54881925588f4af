// The hosts that agents report for, as the server lists them, and the order in which the Hosts screen shows them.

/**
 * @typedef {object} HostAgent
 * @property {boolean} connected
 * @property {string} version
 * @property {string} [kernel] empty if the agent does not say
 * @property {number|null} [booted_s]
 * @property {number} seen_s
 * @property {number} behind_s
 * @property {number|null} skew_ms
 * @property {number} spool_bytes
 * @property {number} gaps
 * @property {number} lines_lost
 */

/**
 * @typedef {object} Host
 * @property {string} host
 * @property {number} series
 * @property {number} last_s
 * @property {boolean} up
 * @property {Record<string, string>} tags
 * @property {HostAgent|null} agent
 * @property {Record<string, string>} collectors
 */

/** @param {{client: import("./client.js").Client}} needs */
export function createHosts({ client }) {
  /** @type {Host[]} */
  let list = [];
  /** @type {string[]} */
  let order = [];
  /** @type {Set<() => void>} */
  const listeners = new Set();
  return {
    /** @param {{signal?: AbortSignal}} [options] @returns {Promise<Host[]>} */
    async load(options) {
      const answer = await client.get("/api/v1/hosts", {}, options);
      list = Array.isArray(answer.hosts) ? answer.hosts : [];
      for (const heard of listeners) heard();
      return list;
    },
    /** Calls `heard` after each load. @param {() => void} heard */
    onLoad(heard) {
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
    /** Lines that agents have lost, of all hosts. */
    lost: () => list.reduce((sum, host) => sum + (host.agent?.lines_lost ?? 0), 0),
    /** What was loaded last. */
    known: () => list,
    /** @param {string} host */
    find: (host) => list.find((one) => one.host === host),
    /** @param {string[]} hosts as the Hosts screen shows them */
    setOrder(hosts) {
      order = hosts;
    },
    /** The host after, or before, one of the Hosts list; undefined at its ends. @param {string} host @param {1|-1} step */
    beside(host, step) {
      const all = order.length > 0 ? order : list.map((one) => one.host).sort();
      const at = all.indexOf(host);
      return at < 0 ? all[0] : all[at + step];
    },
  };
}

/** @typedef {ReturnType<typeof createHosts>} Hosts */
