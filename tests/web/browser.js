// What browser tests share: real processes (processes.js), which are ended after the tests of a file, and tests that say
// why they are skipped.

import { after, test } from "node:test";
import { endAll, whyNot } from "./processes.js";

export { answered, feedFleet, fleetLines, freePort, kServer, kWait, load, openPage, pageFolder, startDemo, startServer } from "./processes.js";

after(endAll);

/**
 * A test of this file, or a line that says why it is skipped.
 * @param {string} claim
 * @param {() => Promise<void>} body
 * @param {number} [timeout] ms
 */
export function browserTest(claim, body, timeout = 120_000) {
  const why = whyNot();
  if (why === "") test(claim, { timeout }, body);
  else process.stdout.write(`skipped: ${claim}: ${why}\n`);
}
