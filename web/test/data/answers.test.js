import assert from "node:assert/strict";
import { test } from "node:test";
import { createAnswers, kWholeSeconds } from "../../src/data/answers.js";

/** @param {number} seed */
function random(seed) {
  let state = seed;
  return (/** @type {number} */ below) => {
    state = Math.imul(state, 1664525) + 1013904223 >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

const kTiers = [10, 300];
const kSteps = [1, 2, 3, 6, 12, 15, 18, 30, 60];

/** A server that answers as the real one does: the same slots for each range, and only what is asked in the first and the last one. */
function createServer() {
  /** @type {Map<string, {t: number, v: number}[]>} */
  const series = new Map();
  const server = {
    now: 100_000.5, asked: /** @type {any[]} */ ([]), requests: 0,
    /** @param {string} name @param {number} t @param {number} v */
    add(name, t, v) {
      const own = series.get(name) ?? [];
      series.set(name, own);
      own.push({ t, v });
    },
    /** @param {string} name */
    remove: (name) => series.delete(name),
    /** @param {any} time */
    resolve: (time) => time === "now" ? Math.floor(server.now) + 1 : typeof time === "number" ? Math.floor(time) : Math.floor(server.now) - Number(time.slice(1, -1)),
    /** @param {any} query */
    answer(query) {
      const finest = server.resolve(query.from) < server.now - 86400 ? kTiers[1] : kTiers[0];
      const from = Math.floor(server.resolve(query.from) / finest) * finest;
      const until = Math.ceil(server.resolve(query.until) / finest) * finest;
      const fits = (/** @type {number} */ step) => Math.ceil(until / step) - Math.floor(from / step) <= query.max_points;
      const one = query.max_points === 1;
      const step = query.step ?? (one ? until - from : kTiers.flatMap((tier) => kSteps.map((slots) => slots * tier)).filter((found) => found % finest === 0 && fits(found)).sort((a, b) => a - b)[0]);
      if (query.expr) return server.points(query, step);
      const first = one ? from : Math.floor(from / step) * step;
      const slots = Math.ceil((until - first) / step);
      const tier = [...kTiers].reverse().find((found) => found >= finest && step % found === 0) ?? finest;
      const names = [...series.keys()].filter((name) => query.series.includes("*") || query.series.includes(name)).sort();
      const common = { id: query.id, status: 200, from: first, until: first + slots * step, step, tier,
        ...(from === first && until === first + slots * step ? {} : { covers: [from, until] }) };
      const slotOf = (/** @type {number} */ slot, /** @type {string[]} */ of) => of.flatMap((name) => series.get(name) ?? [])
        .filter(({ t }) => t >= Math.max(from, first + slot * step) && t < Math.min(until, first + (slot + 1) * step)).map(({ v }) => v);
      const columns = (/** @type {string[]} */ of) => {
        const all = Array.from({ length: slots }, (_, slot) => slotOf(slot, of));
        const column = (/** @type {(values: number[]) => number} */ stat) => all.map((values) => values.length ? stat(values) : null);
        return {
          count: column((values) => values.length), sum: column((values) => values.reduce((a, b) => a + b)), avg: column((values) => values.reduce((a, b) => a + b) / values.length),
          min: column((values) => Math.min(...values)), max: column((values) => Math.max(...values)),
        };
      };
      if (query.kind === "series") return { ...common, series: names.map((name) => ({ name, kind: "gauge", ...columns([name]) })) };
      const all = Array.from({ length: slots }, (_, slot) => slotOf(slot, names));
      const powers = [...new Set(all.flat().map((value) => Math.floor(Math.log2(value))))].sort((a, b) => a - b);
      return { ...common, series: names, ...columns(names), buckets: powers.map((power) => [2 ** power, 2 ** (power + 1)]),
        counts: powers.map((power) => all.map((values) => values.filter((value) => Math.floor(Math.log2(value)) === power).length)) };
    },
    /** The values of groups at times; a group is there only where it has one. @param {any} query @param {number} step */
    points(query, step) {
      const from = Math.floor(server.resolve(query.from) / step) * step + step;
      const times = [];
      for (let at = from; at <= server.resolve(query.until); at += step) times.push(at);
      const names = [...series.keys()].sort();
      const rows = names.map((name) => ({ labels: { name }, value: times.map((at) => {
        const values = (series.get(name) ?? []).filter(({ t }) => t > at - step && t <= at).map(({ v }) => v);
        return values.length ? Math.max(...values) : null;
      }) }));
      return { id: query.id, status: 200, from, until: from + times.length * step, step, tier: 10, series: rows.filter((row) => row.value.some((value) => value !== null)) };
    },
    batch: {
      /** @param {any} ask @param {any} options */
      async run(ask, { onAnswer }) {
        if (ask.queries.length === 0) return;
        ++server.requests;
        for (const query of ask.queries) {
          server.asked.push(query);
          onAnswer(server.answer({ ...query, from: query.from ?? ask.from, until: query.until ?? ask.until }));
        }
      },
    },
  };
  return server;
}

const kStats = ["count", "sum", "avg", "min", "max"];

/** @param {ReturnType<typeof createServer>} server @param {any} from @param {any} until @param {boolean} isRefresh @param {any[]} queries */
function askOf(server, from, until, isRefresh, queries) {
  const resolve = (/** @type {any} */ time) => time === "now" ? server.now : typeof time === "number" ? time : server.now - Number(time.slice(1, -1));
  return { from, until, queries, isRefresh, range: { from: resolve(from), until: resolve(until), now: server.now } };
}

/** @param {ReturnType<typeof createAnswers>} answers @param {any} ask */
async function run(answers, ask) {
  /** @type {Record<string, any>} */
  const found = {};
  await answers.run(ask, { onAnswer: (answer) => { found[answer.id] = answer; } });
  return found;
}

/** What a picture is of. @param {any} answer */
const shown = ({ from, until, step, tier, series, buckets, counts, count, sum, avg, min, max }) => ({ from, until, step, tier, series, buckets, counts, count, sum, avg, min, max });

test("an answer that is joined of its tail is the answer of the whole range, whatever came meanwhile", async () => {
  let joins = 0;
  for (let seed = 1; seed <= 40; ++seed) {
    const next = random(seed);
    const server = createServer();
    const answers = createAnswers({ batch: /** @type {any} */ (server.batch) });
    const length = [600, 1800, 3600, 90_000][next(4)];
    const isMoving = next(3) > 0;
    const from = isMoving ? `-${length}s` : server.now - length + next(20);
    const until = isMoving ? "now" : server.now + next(900);
    const points = 20 + next(200);
    for (let t = server.now - length * 1.2; t < server.now; t += 4 + next(length / 60)) server.add(`s${next(3)}`, t, 1 + next(1000));
    const queries = [
      { id: "p", kind: "series", series: ["*"], stats: kStats, max_points: points },
      { id: "h", kind: "heatmap", series: ["*"], stats: kStats, max_points: points, grouping: 0 },
      { id: "e", kind: "series", expr: "max", max_points: points },
      { id: "p~all", kind: "series", series: ["*"], stats: kStats, max_points: 1 },
    ];
    let isWithout = false;
    for (let round = 0; round < 12; ++round) {
      const before = server.asked.length;
      const found = await run(answers, askOf(server, from, until, round > 0, queries));
      joins += server.asked.slice(before).filter((query) => query.id === "p|tail").length;
      for (const query of queries) {
        // an expression does not tell that a series was deleted, so its past values remain until all is asked
        if (isWithout && query.expr) continue;
        const whole = server.answer({ ...query, from, until });
        assert.deepEqual(shown(found[query.id]), shown(whole), `seed ${seed}, round ${round}, ${query.id}`);
      }
      const step = found.p.step;
      server.now += next(3) === 0 ? next(step * 3) : next(12);
      // late by up to two full slots
      for (let i = next(6); i > 0; --i) server.add(`s${next(next(8) === 0 ? 6 : 3)}`, server.now - next(Math.min(step * 2, 100)), 1 + next(1000));
      if (next(15) === 0) isWithout = server.remove("s1") || isWithout;
    }
  }
  assert.ok(joins > 150, `${joins} joins`);
});

const kQuery = { id: "p", kind: "series", series: ["*"], stats: kStats, max_points: 300 };

test("a refresh asks for the last full slot, two before it, and what came since", async () => {
  const server = createServer();
  const answers = createAnswers({ batch: /** @type {any} */ (server.batch) });
  for (let t = 96_000; t < 100_000; t += 10) server.add("a", t, 1);
  await run(answers, askOf(server, "-3600s", "now", false, [kQuery]));
  server.now += 5;
  server.asked = [];
  await run(answers, askOf(server, "-3600s", "now", true, [kQuery]));
  assert.deepEqual(server.asked.map(({ id, from, until, step, max_points }) => ({ id, from, until, step, max_points })),
    [{ id: "p|tail", from: 99_940, until: undefined, step: 20, max_points: undefined }, { id: "p|head", from: undefined, until: 96_420, step: 20, max_points: undefined }]);
});

test("after five minutes all is asked again, so a late sample shows", async () => {
  const server = createServer();
  const answers = createAnswers({ batch: /** @type {any} */ (server.batch) });
  server.add("a", 98_000, 1);
  await run(answers, askOf(server, "-3600s", "now", false, [kQuery]));
  server.add("a", 98_000, 41);
  const sum = async () => (await run(answers, askOf(server, "-3600s", "now", true, [kQuery]))).p.series[0].sum.reduce((/** @type {number} */ a, /** @type {any} */ b) => a + (b ?? 0), 0);
  server.now += 10;
  assert.equal(await sum(), 1);
  server.now += kWholeSeconds;
  assert.equal(await sum(), 42);
});

test("once it is not known what came meanwhile, all is asked again", async () => {
  const server = createServer();
  const answers = createAnswers({ batch: /** @type {any} */ (server.batch) });
  server.add("a", 98_000, 1);
  await run(answers, askOf(server, "-3600s", "now", false, [kQuery]));
  answers.expire();
  server.asked = [];
  await run(answers, askOf(server, "-3600s", "now", true, [kQuery]));
  assert.deepEqual(server.asked.map(({ id }) => id), ["p"]);
});

test("going back to a range that is over asks nothing, nor do statistics that are there", async () => {
  const server = createServer();
  const answers = createAnswers({ batch: /** @type {any} */ (server.batch) });
  server.add("a", 98_000, 7);
  const ask = (/** @type {number} */ from, /** @type {number} */ until, /** @type {string[]} */ stats = kStats) => run(answers, askOf(server, from, until, false, [{ ...kQuery, id: "other", stats }]));
  const first = await ask(97_000, 99_000);
  await ask(97_500, 98_500);
  assert.equal(server.requests, 2);
  server.now += 60;
  assert.deepEqual(shown((await ask(97_000, 99_000)).other), shown(first.other));
  await ask(97_000, 99_000, ["avg", "max"]);
  await ask(97_500, 98_500);
  assert.equal(server.requests, 2);
  await ask(97_500, 98_500, ["avg", "p99"]);
  assert.equal(server.requests, 3);
});

test("a heatmap with other rows is asked again", async () => {
  const server = createServer();
  const answers = createAnswers({ batch: /** @type {any} */ (server.batch) });
  server.add("a", 98_000, 7);
  const ask = (/** @type {number} */ grouping) => run(answers, askOf(server, 97_000, 99_000, false, [{ ...kQuery, kind: "heatmap", grouping }]));
  await ask(2);
  await ask(2);
  assert.equal(server.requests, 1);
  await ask(3);
  assert.equal(server.requests, 2);
});

test("a range with the present slot is asked again, but not within five seconds", async () => {
  const server = createServer();
  const answers = createAnswers({ batch: /** @type {any} */ (server.batch) });
  server.add("a", 99_990, 7);
  const ask = () => run(answers, askOf(server, 97_000, 101_000, false, [kQuery]));
  await ask();
  server.now += 4;
  await ask();
  assert.equal(server.requests, 1);
  server.now += 2;
  await ask();
  assert.equal(server.requests, 2);
});

test("answers that were used least recently go first, and none above the limit is kept", async () => {
  const server = createServer();
  server.add("a", 98_000, 7);
  const ask = (/** @type {any} */ answers, /** @type {number} */ from) => run(answers, askOf(server, from, from + 1000, false, [kQuery]));
  const probe = createAnswers({ batch: /** @type {any} */ (server.batch) });
  await ask(probe, 90_000);
  const size = probe.bytes;
  const answers = createAnswers({ batch: /** @type {any} */ (server.batch), bytesMax: size * 2.5 });
  await ask(answers, 90_000);
  await ask(answers, 91_000);
  await ask(answers, 90_000);
  await ask(answers, 92_000);
  assert.ok(answers.bytes <= size * 2.5);
  const before = server.requests;
  await ask(answers, 90_000);
  assert.equal(server.requests, before);
  await ask(answers, 91_000);
  assert.equal(server.requests, before + 1);
  const none = createAnswers({ batch: /** @type {any} */ (server.batch), bytesMax: size / 2 });
  await ask(none, 90_000);
  assert.equal(none.bytes, 0);
});

test("an expression of the ends of its range is never joined", async () => {
  const server = createServer();
  const answers = createAnswers({ batch: /** @type {any} */ (server.batch) });
  server.add("a", 99_000, 1);
  const ask = (/** @type {boolean} */ isRefresh) => run(answers, askOf(server, "-3600s", "now", isRefresh, [{ id: "e", kind: "series", expr: "a - a @ end()", max_points: 300 }]));
  await ask(false);
  server.now += 10;
  await ask(true);
  assert.deepEqual(server.asked.map(({ id }) => id), ["e", "e"]);
});
