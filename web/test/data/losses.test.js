import assert from "node:assert/strict";
import { test } from "node:test";
import { createLosses } from "../../src/data/losses.js";

const kGaps = [
  { first: 1, last: 3, lines: 400, reason: "spool_full", from: 1000, to: 1060 },
  { first: 9, last: 9, lines: 7, reason: "damaged", from: 5000, to: 5001 },
  { first: 0, last: 0, lines: 30, reason: "spool_full", from: 0, to: 2000 },
];

/** @param {{gaps?: number, lost?: number}} how gaps of the hosts that are known, and lines that the server counted in the range */
function lossesOf({ gaps = 0, lost = 0 } = {}) {
  /** @type {any[]} */
  const asked = [];
  const client = {
    /** @param {string} path @param {any} parameters */
    async get(path, parameters) {
      asked.push([path, parameters]);
      if (path === "/api/v1/status/agents") return { agents: [{ host: "web1", last_gaps: kGaps }, { host: "web2", last_gaps: [] }] };
      return { series: [
        { name: "statmill.samples_refused;listener=tcp;reason=bad_value", sum: [3] }, { name: "statmill.samples_refused;listener=udp;reason=too_old", sum: [2] },
        { name: "statmill.udp_datagrams_dropped;listener=udp", sum: [null] }, ...(lost ? [{ name: "statmill.agent_lines_lost", sum: [lost] }] : []),
      ] };
    },
  };
  const known = () => [/** @type {any} */ ({ host: "web1", agent: { gaps } })];
  return { losses: createLosses({ client: /** @type {any} */ (client), hosts: { known } }), asked };
}

test("losses are those of the range: gaps that meet it, and what the server counted in it", async () => {
  const { losses, asked } = lossesOf({ gaps: 3 });
  assert.deepEqual(await losses.load({ from: "-1h", until: "now" }, { from: 1050, until: 1900 }), { lines: 400, refused: 5, dropped: 0 });
  assert.deepEqual(asked[0][1].from, "-1h");
  assert.deepEqual((await losses.gaps(1990, 5001)).map(({ host, lines }) => [host, lines]), [["web1", 7], ["web1", 30]]);
  assert.deepEqual(await losses.gaps(2001, 5000), []);
});

test("agents are asked only if one is known to have a gap", async () => {
  const none = lossesOf();
  assert.equal((await none.losses.load({ from: "-1h", until: "now" }, { from: 0, until: 9000 })).lines, 0);
  assert.equal(none.asked.length, 1);
  const counted = lossesOf({ lost: 407 });
  assert.equal((await counted.losses.load({ from: "-1h", until: "now" }, { from: 0, until: 9000 })).lines, 437);
});
