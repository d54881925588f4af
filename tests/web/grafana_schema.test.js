// The dashboards of `statmill grafana provision` are valid for Grafana: TypeScript checks them against the types that Grafana
// publishes of its dashboards, in the npm package @grafana/schema.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const kModules = process.env.STATMILL_NODE_MODULES ?? "";
const kStatmill = join(process.env.STATMILL_BIN ?? "", "statmill");
const why = existsSync(join(kModules, "@grafana/schema")) && existsSync(kStatmill) ? false : "STATMILL_NODE_MODULES or STATMILL_BIN is not set";

/** What TypeScript says of modules in `folder`. @param {string} folder @param {string[]} files */
function check(folder, files) {
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022", "--types", ""];
  const result = spawnSync(process.execPath, [join(kModules, "typescript/bin/tsc"), ...options, ...files], { cwd: folder, encoding: "utf8" });
  return result.status === 0 ? "" : `${result.stdout}${result.stderr}`;
}

test("Grafana's types accept the dashboards", { skip: why }, () => {
  // next to the packages, where TypeScript looks for them
  const folder = mkdtempSync(join(dirname(kModules), "grafana-"));
  try {
    execFileSync(kStatmill, ["grafana", "provision", folder], { stdio: ["ignore", "ignore", "pipe"] });
    const dashboards = join(folder, "dashboards/statmill");
    const names = readdirSync(dashboards);
    assert.equal(names.length, 4);
    const head = 'import type { Dashboard } from "@grafana/schema";\nexport const dashboard: Dashboard = ';
    for (const name of names) writeFileSync(join(folder, `${name}.ts`), head + readFileSync(join(dashboards, name), "utf8"));
    assert.equal(check(folder, names.map((name) => `${name}.ts`)), "");
    // The check finds what is wrong.
    writeFileSync(join(folder, "wrong.ts"), `${head}{ "schemaVersion": 39, "titel": "misspelt" };`);
    assert.match(check(folder, ["wrong.ts"]), /titel/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
