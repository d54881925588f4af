// Every request of the page. No other file calls fetch, so the token, the state of the server and the errors have one
// place.

/** What the server, or the way to it, answered instead of data. */
export class ApiError extends Error {
  /**
   * @param {number} status of HTTP; 0 if nothing came
   * @param {string} text
   * @param {any} [body] the JSON of the error, if it has more than a text
   */
  constructor(status, text, body) {
    super(text);
    this.name = "ApiError";
    this.status = status;
    this.body = body;
  }
}

/**
 * @typedef {object} Link
 * @property {boolean} isAway the last request got no answer
 * @property {number} since when the server went away, unix seconds; 0 if it did not
 */

/** @typedef {{signal?: AbortSignal, headers?: Record<string, string>}} Options */
/** @typedef {Record<string, string | number | undefined | (string|number)[]>} Parameters */

/**
 * @param {string} path
 * @param {Parameters} [parameters] lists repeat their key; undefined and empty texts are left out
 */
export function address(path, parameters = {}) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "") search.append(key, String(one));
    }
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/**
 * Cuts a stream of bytes into lines.
 * @param {ReadableStream<Uint8Array>} body
 * @param {(line: string) => void} onLine
 */
export async function readLines(body, onLine) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    let begin = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", begin)) {
      onLine(rest.slice(begin, end));
      begin = end + 1;
    }
    rest = rest.slice(begin);
    if (done) {
      if (rest !== "") onLine(rest);
      return;
    }
  }
}

/** Aborts are no errors of the server. @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * @param {object} needs
 * @param {typeof globalThis.fetch} [needs.fetch] by default the browser's
 * @param {import("./clock.js").Clock} needs.clock
 * @param {import("../state/store.js").Store<Link>} needs.link
 * @param {() => void} [needs.onTokenNeeded] an answer was 401
 */
export function createClient({ fetch = (url, init) => globalThis.fetch(url, init), clock, link, onTokenNeeded }) {
  let token = "";
  let pending = 0;
  /** @type {Set<(pending: number) => void>} */
  const watchers = new Set();

  /** @param {number} change */
  function count(change) {
    pending += change;
    for (const heard of watchers) heard(pending);
  }

  /**
   * Counts a request as under way until `run` is done, so until all of its answer is there.
   * @template T
   * @param {() => Promise<T>} run
   * @returns {Promise<T>}
   */
  async function counted(run) {
    count(1);
    try {
      return await run();
    } finally {
      count(-1);
    }
  }

  function cameBack() {
    if (link.get().isAway) link.set({ isAway: false, since: 0 });
  }

  function wentAway() {
    if (!link.get().isAway) link.set({ isAway: true, since: clock.now() });
  }

  /**
   * @param {string} url
   * @param {RequestInit} init
   * @returns {Promise<Response>} of a status below 400
   */
  async function send(url, init) {
    const headers = new Headers(init.headers);
    const sent = token;
    if (token !== "") headers.set("Authorization", `Bearer ${token}`);
    /** @type {Response} */
    let response;
    try {
      response = await fetch(url, { ...init, headers, credentials: "same-origin" });
    } catch (error) {
      if (isAbort(error)) throw error;
      wentAway();
      throw new ApiError(0, "the server does not answer");
    }
    if (response.status === 502 || response.status === 504) wentAway();  // a proxy without its server
    else cameBack();
    if (response.ok || response.status === 304) return response;
    if (response.status === 401 && sent === token) onTokenNeeded?.();  // else there is another token by now
    /** @type {any} */
    let body = null;
    const text = await response.text().catch(() => "");
    try {
      body = JSON.parse(text);
    } catch {
      // a proxy's page; its status says enough
    }
    throw new ApiError(response.status, body?.error ?? `${response.status} ${response.statusText}`, body);
  }

  /** @param {Response} response */
  async function json(response) {
    try {
      const value = await response.json();
      if (typeof value?.now === "number") clock.observe(value.now);
      return value;
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new ApiError(response.status, "the answer was cut");
    }
  }

  /** @param {any} body @param {Options} [options] @returns {RequestInit} */
  function posting(body, options) {
    return {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...options?.headers },
      signal: options?.signal,
    };
  }

  return {
    /** @param {string} path @param {Parameters} [parameters] @param {Options} [options] @returns {Promise<any>} */
    get(path, parameters, options) {
      return counted(async () => json(await send(address(path, parameters), { signal: options?.signal, headers: options?.headers })));
    },
    /** @param {string} path @param {any} body @param {Options} [options] @returns {Promise<any>} */
    post(path, body, options) {
      return counted(async () => json(await send(path, posting(body, options))));
    },
    /** The response itself, for what needs its headers. @param {string} path @param {RequestInit} [init] */
    raw: (path, init = {}) => counted(() => send(path, init)),
    /**
     * A POST whose answer is a JSON text on each line.
     * @param {string} path @param {any} body @param {(value: any) => void} onValue @param {Options} [options]
     */
    lines(path, body, onValue, options) {
      return counted(async () => {
        const response = await send(path, posting(body, options));
        if (response.body === null) return;
        try {
          await readLines(response.body, (line) => {
            if (line.trim() === "") return;
            const value = JSON.parse(line);
            if (typeof value.now === "number") clock.observe(value.now);
            onValue(value);
          });
        } catch (error) {
          if (isAbort(error)) throw error;
          throw new ApiError(0, "the answer was cut");
        }
      });
    },
    /**
     * A POST whose answer is a stream of server-sent events; ends when the stream ends.
     * @param {string} path @param {any} body @param {(event: string, data: any) => void} onEvent
     * @param {Options & {onOpen?: () => void}} [options]
     */
    async events(path, body, onEvent, options) {
      const response = await counted(() => send(path, posting(body, { ...options, headers: { Accept: "text/event-stream" } })));
      if (response.body === null) return;
      options?.onOpen?.();
      let event = "message";
      let data = "";
      await readLines(response.body, (raw) => {
        const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
        if (line === "") {
          if (data !== "") onEvent(event, JSON.parse(data));
          event = "message";
          data = "";
        } else if (line.startsWith("event:")) {
          event = line.slice(6).trim();
        } else if (line.startsWith("data:")) {
          data += line.slice(5).trim();
        }
      });
    },
    /** @param {string} text empty: requests have no token */
    setToken(text) {
      token = text;
    },
    hasToken: () => token !== "",
    /** Calls `heard` with the number of requests under way. @param {(pending: number) => void} heard */
    onPending(heard) {
      watchers.add(heard);
      return () => watchers.delete(heard);
    },
  };
}

/** @typedef {ReturnType<typeof createClient>} Client */
