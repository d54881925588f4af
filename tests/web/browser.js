// What browser tests share: real processes (processes.js), which are ended after the tests of a file, and tests that say
// why they are skipped.

import { after, test } from "node:test";
import { closePages, describePages, endAll, whyNot } from "./processes.js";

export { answered, feedFleet, fleetLines, freePort, kServer, kWait, load, openPage, pageFolder, pressSequence, startDemo, startServer } from "./processes.js";

after(endAll);

/**
 * A test of this file, or a line that says why it is skipped. Its pages are closed at its end; if it fails, the output says what they show.
 * @param {string} claim
 * @param {() => Promise<void>} body
 * @param {number} [timeout] ms
 */
export function browserTest(claim, body, timeout = 300_000) {
  const why = whyNot();
  if (why === "") {
    test(claim, { timeout }, async () => {
      try {
        await body();
      } catch (error) {
        process.stdout.write(await describePages());
        throw error;
      } finally {
        await closePages();
      }
    });
  } else process.stdout.write(`skipped: ${claim}: ${why}\n`);
}
