// The parts of the page that load after its start: panels.js with all that draws, and later.js with what no first picture
// needs. The browser keeps a part that has come. One that did not come is asked for again at its next use; a browser that
// remembers the failure needs a reload, which is offered.

/** @typedef {import("../panel/pool.js").PlotPool} PlotPool */
/** @typedef {typeof import("./later.js")} Later */

const kIdleMs = 200;  // for browsers that do not say when they are idle

/**
 * @param {object} needs
 * @param {(loads: number) => void} needs.onLoading how many loads somebody waits for
 * @param {() => void} needs.onMissing a part that `use` needs did not come
 */
export function createParts({ onLoading, onMissing }) {
  /** @type {PlotPool|null} */
  let pool = null;
  let loads = 0;
  let uses = 0;
  let isPreloaded = false;

  async function loadPanels() {
    // pack.mjs lists these files in the shell: asked for together, they come a round trip earlier
    for (const link of document.querySelectorAll("link[rel=panels]")) link.setAttribute("rel", "modulepreload");
    const part = await import("./panels.js");
    pool ??= part.createPool();
    return part;
  }

  /** @returns {Promise<Later>} its screens have panels, too */
  async function loadLater() {
    const [part] = await Promise.all([import("./later.js"), loadPanels()]);
    return part;
  }

  /** @template T @param {() => Promise<T>} load */
  async function awaited(load) {
    onLoading(++loads);
    try {
      return await load();
    } finally {
      onLoading(--loads);
    }
  }

  const later = () => awaited(loadLater);
  return {
    panels: () => awaited(loadPanels),
    later,
    /** Null until a part with panels has come. */
    pool: () => pool,
    /** Runs what needs later.js, unless another use began while it was loading. @param {(part: Later) => void} run @returns {Promise<boolean>} it has run */
    async use(run) {
      const use = ++uses;
      const part = await later().catch(() => null);
      if (part === null) onMissing();
      else if (use === uses) run(part);
      return part !== null && use === uses;
    },
    /** Loads all once the browser is idle, so that no later press waits. */
    preload() {
      if (isPreloaded) return;
      isPreloaded = true;
      const idle = typeof requestIdleCallback === "function" ? requestIdleCallback : (/** @type {() => void} */ run) => setTimeout(run, kIdleMs);
      idle(() => void loadLater().catch(() => undefined));
    },
  };
}
