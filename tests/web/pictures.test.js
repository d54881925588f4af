// The page looks as in docs/pictures. After a change of the page: tools/draw-pictures, and look at what it draws.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { browserTest, kServer, load, pageFolder } from "./browser.js";
import { drawnWith, launch, startDemo, takePictures } from "./pictures.mjs";

const kKept = resolve(fileURLToPath(new URL(".", import.meta.url)), "../../docs/pictures");
const kShareMax = 0.002;  // of the pixels of a picture

browserTest("the screens look as in docs/pictures", async () => {
  if (!existsSync(join(kKept, "drawn_with.json"))) {
    process.stdout.write("skipped: docs/pictures has no pictures of a demo whose clock stands still; tools/draw-pictures draws them\n");
    return;
  }
  const { PNG } = load("pngjs");
  const pixelmatch = (await import(join(process.env.STATMILL_NODE_MODULES ?? resolve(kKept, "../../web/node_modules"), "pixelmatch/index.js"))).default;
  const browser = await launch(load);
  const demo = await startDemo(kServer, ["--http.assets", pageFolder()]);
  try {
    const kept = readFileSync(join(kKept, "drawn_with.json"), "utf8").trim();
    const here = JSON.stringify(await drawnWith(browser));
    if (kept !== here) {
      process.stdout.write(`skipped: the kept pictures are drawn with ${kept}, here it would be ${here}\n`);
      return;
    }
    /** @type {string[]} */
    const others = [];
    let folder = "";
    await takePictures(browser, demo.address, ({ file, png, isCompared }) => {
      if (!isCompared) return;
      const is = PNG.sync.read(png);
      const want = PNG.sync.read(readFileSync(join(kKept, file)));
      const { width, height } = want;
      let share = 1;
      const difference = new PNG({ width, height });
      if (is.width === width && is.height === height) share = pixelmatch(is.data, want.data, difference.data, width, height) / (width * height);
      if (share <= kShareMax) return;
      folder ||= mkdtempSync(join(tmpdir(), "statmill-pictures-"));
      writeFileSync(join(folder, file), png);
      writeFileSync(join(folder, `difference-${file}`), PNG.sync.write(difference));
      others.push(`${file}: ${(share * 100).toFixed(2)} %`);
    });
    assert.deepEqual(others, [], `of the pixels differ; see ${folder}`);
  } finally {
    await demo.stop();
    await browser.close();
  }
}, 290_000);
