// Answers that are kept, so that a question costs little when it is asked again: going back to a range asks nothing, and a
// refresh asks only the end of it. What is kept is bounded; the answers that were used least recently go first.

import {joinedTail, partsOf} from "../model/tail.js";

/** @typedef {import("../panel/panel.js").BatchQuery} BatchQuery */
/** @typedef {import("../panel/panel.js").Answer} Answer */

export const kBytesMax = 64 * 1024 * 1024;
/** An answer that is so old is asked whole again, so that samples show that came late. */
export const kWholeSeconds = 300;
/** An answer so young is used as it is, unless the user or the clock of live mode asks for a refresh. */
const kFreshSeconds = 5;
/** Samples of a range that ended so long before its answer are expected to be there. */
const kSettledSeconds = 60;
/** What one value of a column may need in memory. */
const kValueBytes = 16;

/**
 * @typedef {object} Ask
 * @property {string} from as the route has it: relative times remain relative
 * @property {string} until
 * @property {BatchQuery[]} queries
 * @property {{from: number, until: number, now: number}} range the same, in unix seconds by the server's clock
 * @property {boolean} isRefresh whether an answer that is a moment old does not suffice
 */

/**
 * @typedef {object} Entry
 * @property {BatchQuery} query
 * @property {Answer} answer
 * @property {import("../model/tail.js").Asked} asked
 * @property {number} whole server's time when all of it was asked
 * @property {number} bytes
 */

/** @param {Answer} answer */
function bytesOf(answer) {
  let values = 64;
  for (const part of [answer, ...answer.series ?? []]) {
    if (typeof part === "string") values += part.length;
    else for (const column of Object.values(part)) values += Array.isArray(column) ? column.length + 8 : 8;
  }
  for (const row of answer.counts ?? []) values += row.length;
  return values * kValueBytes;
}

/** What identifies a question; questions that differ only in their statistics share an answer. @param {BatchQuery} query @param {Ask} ask */
function keyOf(query, ask) {
  const {id, from, until, stats, grouping, ...rest} = query;
  // A range of its own moves with the common one, so the part that it has in the panel stands for it.
  return JSON.stringify([ask.from, ask.until, from === undefined && until === undefined ? "" : id.slice(id.indexOf("~")), rest]);
}

/** @param {{batch: Pick<import("./batch.js").Batch, "run">, bytesMax?: number}} needs */
export function createAnswers({batch, bytesMax = kBytesMax}) {
  /** In the order of their last use. @type {Map<string, Entry>} */
  const entries = new Map();
  let bytes = 0;

  /** @param {string} key */
  function drop(key) {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  /** @param {string} key @param {Omit<Entry, "bytes">} entry */
  function keep(key, entry) {
    drop(key);
    const size = bytesOf(entry.answer);
    if (entry.answer.status !== 200 || size > bytesMax) return;
    bytes += size;
    entries.set(key, {...entry, bytes: size});
    for (const oldest of entries.keys()) {
      if (bytes <= bytesMax) break;
      drop(oldest);
    }
  }

  /** The range of one query. @param {BatchQuery} query @param {Ask} ask */
  const spanOf = (query, ask) => ({from: query.from ?? ask.range.from, until: query.until ?? ask.range.until});

  /** The answer that is kept, if it has all statistics. @param {BatchQuery} query @param {Ask} ask */
  function entryOf(query, ask) {
    const key = keyOf(query, ask);
    const entry = entries.get(key);
    if (!entry || !(query.stats ?? []).every((stat) => entry.query.stats?.includes(stat))) return undefined;
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  }

  /** Whether an answer needs no request. @param {Entry} entry @param {BatchQuery} query @param {Ask} ask */
  function suffices({asked, whole, query: kept}, query, ask) {
    const {now} = ask.range;
    if (query.grouping !== kept.grouping || ask.isRefresh || now - whole > kWholeSeconds) return false;
    const span = spanOf(query, ask);
    const isSettled = span.from === asked.from && span.until === asked.until && asked.until <= asked.now - kSettledSeconds;
    return isSettled || now - asked.now < kFreshSeconds;
  }

  /** What to ask in place of a whole query. @param {Entry|undefined} entry @param {BatchQuery} query @param {Ask} ask */
  function piecesOf(entry, query, ask) {
    // Functions of the range's ends have other values in each range.
    if (!entry || ask.range.now - entry.whole > kWholeSeconds || query.max_points === 1 || query.expr?.includes("@")) return null;
    if (query.grouping !== entry.query.grouping) return null;
    const parts = partsOf(entry.answer, entry.asked, spanOf(query, ask));
    if (parts === null) return null;
    const {max_points: _, ...rest} = entry.query;
    /** @type {any} */
    const piece = {...rest, from: query.from, until: query.until, step: entry.answer.step};
    return {
      tail: {...piece, id: `${query.id}|tail`, from: parts.tail},
      head: parts.head === null ? null : {...piece, id: `${query.id}|head`, until: parts.head},
    };
  }

  return {
    /** Bytes of all answers, as far as they are known. */
    get bytes() {
      return bytes;
    },
    /** Whatever is asked next is asked whole: it is not known what came meanwhile. */
    expire() {
      for (const entry of entries.values()) entry.whole = -Infinity;
    },
    /** What was answered last, perhaps for an older range; undefined if nothing was. @param {BatchQuery} query @param {Ask} ask */
    known: (query, ask) => {
      const entry = entryOf(query, ask);
      return entry && {...entry.answer, id: query.id};
    },
    /**
     * As the batch's: each query gets one answer, at once if it is kept.
     * @param {Ask} ask
     * @param {{signal?: AbortSignal, onAnswer: (answer: Answer) => void}} options
     */
    async run(ask, {signal, onAnswer}) {
      /** @type {Map<string, {query: BatchQuery, entry: Entry, parts: {tail: Answer|null, head: Answer|null}, left: number}>} */
      const joins = new Map();
      /** @type {Map<string, BatchQuery>} */
      const wholes = new Map();
      /** @type {any[]} */
      const asks = [];
      /** @type {Answer[]} */
      const kept = [];
      for (const query of ask.queries) {
        const entry = entryOf(query, ask);
        if (entry && suffices(entry, query, ask)) {
          kept.push({...entry.answer, id: query.id});
          continue;
        }
        const pieces = piecesOf(entry, query, ask);
        if (!entry || pieces === null) {
          wholes.set(query.id, query);
          asks.push(query);
          continue;
        }
        const join = {query, entry, parts: {tail: null, head: null}, left: pieces.head ? 2 : 1};
        for (const piece of [pieces.tail, pieces.head]) {
          if (piece === null) continue;
          joins.set(piece.id, join);
          asks.push(piece);
        }
      }
      for (const answer of kept) onAnswer(answer);
      /** Questions whose parts did not fit together. @type {BatchQuery[]} */
      const again = [];
      const hear = (/** @type {Answer} */ heard) => {
        const join = joins.get(heard.id);
        const query = wholes.get(heard.id);
        const answer = {...heard, at: ask.range.now};
        if (query) {
          keep(keyOf(query, ask), {query, answer, asked: {...spanOf(query, ask), now: ask.range.now}, whole: ask.range.now});
          onAnswer(answer);
        } else if (join) {
          join.parts[answer.id.endsWith("|tail") ? "tail" : "head"] = answer;
          if (--join.left > 0) return;
          const span = spanOf(join.query, ask);
          const made = joinedTail(join.entry.answer, join.entry.asked, /** @type {any} */ (join.parts), span);
          if (made === null) again.push(join.query);
          else {
            keep(keyOf(join.query, ask), {query: join.entry.query, answer: made, asked: {...span, now: ask.range.now}, whole: join.entry.whole});
            onAnswer({...made, id: join.query.id});
          }
        }
      };
      const {from, until} = ask;
      await batch.run({from, until, queries: asks}, {signal, onAnswer: hear});
      for (const query of again) wholes.set(query.id, query);
      await batch.run({from, until, queries: again}, {signal, onAnswer: hear});
    },
  };
}

/** @typedef {ReturnType<typeof createAnswers>} Answers */
