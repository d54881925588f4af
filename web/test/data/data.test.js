import assert from "node:assert/strict";
import { test } from "node:test";
import { createBatch, kBodyMax, kQueriesMax, requestsOf } from "../../src/data/batch.js";
import { ApiError, address, createClient, readLines } from "../../src/data/client.js";
import { createClock } from "../../src/data/clock.js";
import { createNames, unitsOfBytes } from "../../src/data/names.js";
import { createStore } from "../../src/state/store.js";

/** A stream of texts, one after another. */
function streamOf(pieces) {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
      controller.close();
    },
  });
}

/** A client whose server is a function from (url, init) to a Response. */
function clientOf(answer, onTokenNeeded = () => {}) {
  const link = createStore({ isAway: false, since: 0 });
  const clock = createClock({ wall: () => 1_000_000, steady: () => 0 });
  return { client: createClient({ fetch: async (url, init) => answer(url, init), clock, link, onTokenNeeded }), link, clock };
}

test("lines are whole, however the stream is cut, also within a character", async () => {
  const bytes = new TextEncoder().encode("a😀b\n");
  const lines = [];
  await readLines(streamOf(["x", "y\nz", "\n\n", bytes.slice(0, 3), bytes.slice(3), "end"]), (line) => lines.push(line));
  assert.deepEqual(lines, ["xy", "z", "", "a😀b", "end"]);
});

test("parameters repeat and are escaped; empty ones are left out", () => {
  assert.equal(address("/q", { a: ["x&y", "z"], b: "", c: undefined, d: 0 }), "/q?a=x%26y&a=z&d=0");
  assert.equal(address("/q"), "/q");
});

test("an error has the server's text and status; a page of a proxy has its status", async () => {
  const { client } = clientOf(() => new Response("{\"error\":\"too many points\",\"status\":422}", { status: 422 }));
  await assert.rejects(client.get("/x"), (error) => error instanceof ApiError && error.status === 422 && error.message === "too many points");
  const proxy = clientOf(() => new Response("<html>", { status: 500, statusText: "Oops" }));
  await assert.rejects(proxy.client.get("/x"), (error) => error.status === 500 && error.message === "500 Oops");
});

test("no answer: the server is away since then; an answer: it is back; an abort is neither", async () => {
  let mode = "down";
  const { client, link } = clientOf(() => {
    if (mode === "down") throw new TypeError("connection refused");
    if (mode === "abort") throw new DOMException("aborted", "AbortError");
    return new Response("{}");
  });
  await assert.rejects(client.get("/x"), (error) => error.status === 0);
  assert.deepEqual(link.get(), { isAway: true, since: 1000 });
  mode = "abort";
  await assert.rejects(client.get("/x"), (error) => error.name === "AbortError");
  assert.equal(link.get().isAway, true);
  mode = "up";
  await client.get("/x");
  assert.equal(link.get().isAway, false);
});

test("the time of each answer sets the clock", async () => {
  const { client, clock } = clientOf(() => new Response("{\"now\":5000}"));
  await client.get("/x");
  assert.equal(clock.now(), 5000);
  assert.equal(clock.offset(), 1000 - 5000);
});

test("a 401 asks for a token, unless there is another one than the request had", async () => {
  let asked = 0;
  let answer = () => {};
  const answered = new Promise((done) => { answer = () => done(undefined); });
  const { client } = clientOf(async (url) => {
    if (url === "/slow") await answered;
    return new Response("{}", { status: 401 });
  }, () => { ++asked; });
  const slow = client.get("/slow");
  await assert.rejects(client.get("/x"), { status: 401 });
  assert.equal(asked, 1);
  client.setToken("abc");
  answer();
  await assert.rejects(slow, { status: 401 });
  assert.equal(asked, 1);
  await assert.rejects(client.get("/x"), { status: 401 });
  assert.equal(asked, 2);
});

test("a token is sent with every request, and only then", async () => {
  const seen = [];
  const { client } = clientOf((_, init) => { seen.push(init.headers.get("Authorization")); return new Response("{}"); });
  await client.get("/x");
  client.setToken("abc");
  await client.post("/x", {});
  assert.deepEqual(seen, [null, "Bearer abc"]);
});

test("server-sent events are cut at empty lines, also with CR LF", async () => {
  const { client } = clientOf(() => new Response(streamOf(["event: slots\r\nda", "ta: {\"a\":1}\r\n\r\nevent: state\ndata: {\"b\":2}\n\n", ": comment\n\n"])));
  const events = [];
  await client.events("/live", {}, (event, data) => events.push([event, data]));
  assert.deepEqual(events, [["slots", { a: 1 }], ["state", { b: 2 }]]);
});

test("queries of one moment go in one request for each range, and each gets its own answer or error", async () => {
  const requests = [];
  const { client } = clientOf((_, init) => {
    const body = JSON.parse(init.body);
    requests.push(body);
    const lines = body.queries.map((query) => query.series[0] === "bad"
      ? { id: query.id, status: 422, error: "too many" } : { id: query.id, status: 200, series: query.series });
    return new Response(streamOf([lines.reverse().map((line) => JSON.stringify(line)).join("\n"), "\n{\"done\":1}\n"]));
  });
  const batch = createBatch({ client });
  const ask = (name, from = "-1h") => batch.ask({ kind: "series", series: [name], stats: ["avg"], max_points: 60, from, until: "now" });
  const results = await Promise.allSettled([ask("a"), ask("b"), ask("bad"), ask("c", "-6h")]);
  assert.equal(requests.length, 2);
  assert.deepEqual(requests[0].queries.map((query) => query.series[0]), ["a", "b", "bad"]);
  assert.deepEqual(results.map((one) => one.status), ["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(results[1].value.series, ["b"]);
  assert.equal(results[2].reason.status, 422);
});

test("a request has no more queries and bytes than the server takes", () => {
  const many = Array.from({ length: 450 }, (_, i) => ({ id: `p${i}` }));
  assert.deepEqual(requestsOf(many).map((one) => one.length), [kQueriesMax, kQueriesMax, 50]);
  const long = Array.from({ length: 30 }, (_, i) => ({ id: `p${i}`, series: Array(20).fill(`${"é".repeat(500)}${i}`) }));
  const requests = requestsOf(long);
  assert.equal(requests.length, 3);
  assert.deepEqual(requests.flat(), long);
  for (const one of requests) assert.ok(new TextEncoder().encode(JSON.stringify(one)).length <= kBodyMax);
  assert.deepEqual(requestsOf([]), []);
});

test("a query that the server did not reach is told so", async () => {
  const { client } = clientOf(() => new Response(streamOf(["{\"done\":0}\n"])));
  const answers = [];
  await createBatch({ client }).run({ from: "-1h", until: "now", queries: [{ id: "p0" }] }, { onAnswer: (answer) => answers.push(answer) });
  assert.deepEqual(answers.map((one) => [one.id, one.status]), [["p0", 503]]);
});

test("a request ends when all who wait for it have gone, not before", async () => {
  let signal;
  const { client } = clientOf((_, init) => new Promise((_resolve, reject) => {
    signal = init.signal;
    signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  }));
  const batch = createBatch({ client });
  const aborts = [new AbortController(), new AbortController()];
  const asks = aborts.map((abort) => batch.ask({ kind: "series", series: ["a"], stats: ["avg"], max_points: 1, from: "-1h", until: "now" }, { signal: abort.signal }));
  const settled = Promise.allSettled(asks);
  await new Promise((resolve) => setImmediate(resolve));
  aborts[0].abort();
  assert.equal(signal.aborted, false);
  aborts[1].abort();
  assert.equal(signal.aborted, true);
  assert.deepEqual((await settled).map((one) => one.reason.name), ["AbortError", "AbortError"]);
});

test("the newest search wins, whichever answer comes first", async () => {
  const due = new Map();
  const { client } = clientOf((url) => new Promise((resolve) => due.set(new URL(url, "http://x").searchParams.get("q"), resolve)));
  const search = createNames({ client }).searcher();
  const first = search("a");
  const second = search("ab");
  await new Promise((resolve) => setImmediate(resolve));
  const answer = (q) => new Response(JSON.stringify({ q, total: 1, ms: 1, names: 1, series: [] }));
  due.get("ab")(answer("ab"));
  due.get("a")(answer("a"));
  assert.equal(await first, null);
  assert.equal((await second).q, "ab");
});

test("hits in bytes are cut at characters", () => {
  assert.deepEqual(unitsOfBytes("abc", [[1, 2]]), [[1, 2]]);
  assert.deepEqual(unitsOfBytes("é😀x", [[0, 2], [2, 6], [6, 7]]), [[0, 1], [1, 3], [3, 4]]);
});
