// Many queries in one request: POST /api/v1/query. Answers come line by line, as they are ready. Queries of one frame
// that have the same range go together.

import { ApiError } from "./client.js";

/** @typedef {import("../panel/panel.js").BatchQuery} BatchQuery */
/** @typedef {import("../panel/panel.js").Answer} Answer */

export const kQueriesMax = 200;          // of one request, the server's limit
export const kBodyMax = 256 * 1024 - 1024;  // bytes of the queries of one request; the server takes 256 KiB with their range

/**
 * Queries in pieces that one request can have.
 * @param {any[]} queries
 * @returns {any[][]}
 */
export function requestsOf(queries) {
  /** @type {any[][]} */
  const requests = [];
  let bytes = Infinity;
  for (const query of queries) {
    const own = new TextEncoder().encode(JSON.stringify(query)).length + 1;
    bytes += own;
    if (bytes > kBodyMax || requests[requests.length - 1].length === kQueriesMax) {
      requests.push([]);
      bytes = own;
    }
    requests[requests.length - 1].push(query);
  }
  return requests;
}

/**
 * @param {object} needs
 * @param {import("./client.js").Client} needs.client
 * @param {(run: () => void) => void} [needs.schedule] runs it once all queries of this moment are there
 */
export function createBatch({ client, schedule = (run) => queueMicrotask(run) }) {
  /**
   * @typedef {object} Waiting
   * @property {any} query
   * @property {string} from
   * @property {string} until
   * @property {AbortSignal|undefined} signal
   * @property {(answer: any) => void} resolve
   * @property {(error: unknown) => void} reject
   */
  /** @type {Waiting[]} */
  let waiting = [];
  let lastId = 0;

  /**
   * Sends queries with a common range; `onAnswer` gets each answer as it comes. A query without an answer gets one with
   * the status 503.
   * @param {{from: string|number, until: string|number, queries: any[]}} ask
   * @param {{signal?: AbortSignal, onAnswer: (answer: Answer) => void}} options
   */
  async function run(ask, { signal, onAnswer }) {
    for (const queries of requestsOf(ask.queries)) {
      const left = new Set(queries.map((query) => query.id));
      await client.lines(
        "/api/v1/query",
        { from: ask.from, until: ask.until, queries },
        (value) => {
          if (typeof value.id !== "string") return;
          left.delete(value.id);
          onAnswer(value);
        },
        { signal },
      );
      for (const id of left) onAnswer({ id, status: 503, error: "the server did not reach this query" });
    }
  }

  function flush() {
    const all = waiting.filter((one) => !one.signal?.aborted);
    waiting = [];
    /** @type {Map<string, Waiting[]>} */
    const groups = new Map();
    for (const one of all) {
      const key = `${one.from}\n${one.until}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [one]);
      else group.push(one);
    }
    for (const group of groups.values()) send(group);
  }

  /** The request ends when nobody waits for its answers any more. @param {Waiting[]} group */
  function send(group) {
    const abort = new AbortController();
    let live = group.length;
    for (const one of group) {
      one.signal?.addEventListener("abort", () => {
        one.reject(new DOMException("aborted", "AbortError"));
        if (--live === 0) abort.abort();
      }, { once: true });
    }
    const byId = new Map(group.map((one) => [one.query.id, one]));
    run({ from: group[0].from, until: group[0].until, queries: group.map((one) => one.query) }, {
      signal: abort.signal,
      onAnswer(answer) {
        const one = byId.get(answer.id);
        if (one === undefined) return;
        if (answer.status === 200) one.resolve(answer);
        else one.reject(new ApiError(answer.status, answer.error ?? "no answer"));
      },
    }).catch((error) => {
      for (const one of group) one.reject(error);
    });
  }

  return {
    run,
    /**
     * One query, sent together with the others of this moment.
     * @param {Omit<BatchQuery, "id"|"from"|"until"> & {from: string|number, until: string|number}} query
     * @param {{signal?: AbortSignal}} [options]
     * @returns {Promise<Answer>} rejects with an ApiError
     */
    ask(query, options) {
      const { from, until, ...rest } = query;
      return new Promise((resolve, reject) => {
        const id = `a${++lastId}`;
        if (waiting.length === 0) schedule(flush);
        waiting.push({
          query: { id, ...rest }, from: String(from), until: String(until), signal: options?.signal, resolve, reject,
        });
      });
    },
  };
}

/** @typedef {ReturnType<typeof createBatch>} Batch */
