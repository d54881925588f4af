// The stream of open slots: POST /api/v1/live. One stream of this tab serves all who watch. A tab that is hidden for
// long has none, and of many tabs only the first few: a browser gives one server six connections. The others are told to
// poll.

import { ApiError, isAbort } from "./client.js";

/** @typedef {{i: number, t: number, count?: number, sum?: number, min?: number, max?: number}} Slot */
/**
 * @typedef {object} Watcher
 * @property {string[]} series
 * @property {(slots: (Slot & {name: string})[], now: number) => void} onSlots
 * @property {(hasMissed: boolean) => void} onBreak what came before the next slots is not known; `hasMissed`: since a stream
 *   that ended some time ago, so it must be asked
 */

export const kSeriesMax = 1000;  // of one stream, the server's limit
const kStreamsMax = 4;           // of one browser
// a stream has at least one name; this one is there on every server
const kOwnSeries = "statmill.series";
const kHiddenMs = 30_000;
const kSettleMs = 200;
const kAskMs = 3000;
const kRetryMs = [1000, 2000, 4000, 8000, 15_000];

/**
 * @param {object} needs
 * @param {import("./client.js").Client} needs.client
 * @param {Document} needs.document
 * @param {BroadcastChannel|null} needs.channel
 * @param {(event: string, data: any) => void} needs.onState what the server says of itself, `state` and `assets`
 * @param {(how: "off"|"stream"|"poll") => void} needs.onMode
 */
export function createLive({ client, document, channel, onState, onMode }) {
  /** @type {Set<Watcher>} */
  const watchers = new Set();
  /** @type {Set<() => void>} */
  const hearers = new Set();
  /** @type {AbortController|null} */
  let stream = null;
  let isOn = false;
  let isHidden = false;
  let hasMissed = false;
  let failures = 0;
  /** @type {number|undefined} */
  let settle;
  /** @type {number|undefined} */
  let hiding;
  const id = Math.random().toString(36).slice(2);
  /** Other tabs that stream. @type {Set<string>} */
  const others = new Set();

  channel?.addEventListener("message", ({ data }) => {
    if (typeof data?.id !== "string") return;
    if (data.streams) others.add(data.id);
    else if (others.delete(data.id) && isOn && stream === null) restart();  // a place has become free
    if (data.asks && stream !== null) channel?.postMessage({ id, streams: true });
  });

  /** @param {boolean} streams @param {boolean} [asks] */
  function tell(streams, asks = false) {
    channel?.postMessage({ id, streams, asks });
  }

  function stop() {
    stream?.abort();
    stream = null;
    tell(false);
  }

  function restart() {
    clearTimeout(settle);
    settle = window.setTimeout(open, kSettleMs);
  }

  async function open() {
    stream?.abort();
    stream = null;
    if (!isOn || isHidden) {
      onMode("off");
      return;
    }
    if (others.size >= kStreamsMax) {
      onMode("poll");
      // a window may have closed without a word: those that are left say so when they are asked
      settle = window.setTimeout(() => {
        others.clear();
        tell(false, true);
        restart();
      }, kAskMs);
      return;
    }
    const series = [...new Set([...watchers].flatMap((watcher) => watcher.series))].slice(0, kSeriesMax);
    const mine = new AbortController();
    stream = mine;
    for (const watcher of watchers) watcher.onBreak(hasMissed);
    hasMissed = false;
    tell(true);
    try {
      await client.events(
        "/api/v1/live",
        { series: series.length > 0 ? series : [kOwnSeries], stats: ["count", "min", "max"], every: 1 },
        (event, data) => {
          failures = 0;
          if (event === "event") for (const heard of hearers) heard();
          else if (event !== "slots") onState(event, data);
          if (event !== "slots") return;
          const slots = data.slots.map((/** @type {Slot} */ slot) => ({ ...slot, name: series[slot.i] }));
          for (const watcher of watchers) {
            const own = new Set(watcher.series);
            const part = slots.filter((/** @type {{name: string}} */ slot) => own.has(slot.name));
            if (part.length > 0) watcher.onSlots(part, data.now);
          }
        },
        { signal: mine.signal, onOpen: () => onMode("stream") },
      );
    } catch (error) {
      if (isAbort(error)) return;
      if (error instanceof ApiError && error.status >= 400 && error.status !== 503) failures = kRetryMs.length;
    }
    if (stream !== mine) return;
    stream = null;
    hasMissed = true;
    tell(false);
    onMode("poll");
    const wait = kRetryMs[Math.min(failures, kRetryMs.length - 1)];
    ++failures;
    clearTimeout(settle);
    settle = window.setTimeout(open, wait);
  }

  window.addEventListener("pagehide", () => {
    if (stream !== null) stop();
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && isOn) restart();
  });
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) {
      hiding = window.setTimeout(() => {
        isHidden = true;
        hasMissed = true;
        stop();
        onMode("off");
      }, kHiddenMs);
    } else if (isHidden) {
      isHidden = false;
      tell(false, true);
      restart();
    }
  });

  return {
    /** @param {boolean} on */
    turn(on) {
      if (on === isOn) return;
      isOn = on;
      failures = 0;
      if (on) {
        tell(false, true);
        restart();
      } else {
        stop();
        onMode("off");
      }
    },
    /** Calls `heard` when somebody has marked an event. @param {() => void} heard @returns {() => void} ends it */
    hear(heard) {
      hearers.add(heard);
      return () => hearers.delete(heard);
    },
    /** @param {Watcher} watcher @returns {() => void} ends it */
    watch(watcher) {
      watchers.add(watcher);
      if (isOn) restart();
      return () => {
        watchers.delete(watcher);
        if (isOn) restart();
      };
    },
  };
}

/** @typedef {ReturnType<typeof createLive>} Live */
