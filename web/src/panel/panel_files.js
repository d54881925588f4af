// The menu of a panel, and the files that it saves.

import {span} from "../model/format.js";
import {command, csv, curl, png} from "./export.js";
import {menuItems} from "./panel_menu.js";

/** @typedef {import("./panel_data.js").PanelData} PanelData */

/** @param {import("./types.js").Menued} panel */
export function menuOf({data, plot, width, pool, host, change}) {
  const {scene, spec: {id}, range} = data;
  const file = data.title.replace(/[^\w.-]+/g, "_").slice(0, 80) || "panel";
  /** @param {string} ending @param {string} type @param {() => string} content */
  const save = (ending, type, content) => scene ? () => host.act(id, "save", {name: `${file}.${ending}`, type, content: content()}) : null;
  const query = data.queries(range, width)[0];
  return menuItems(data.shown, change, (action, detail) => host.act(id, action, detail), {
    can: host.can, csv: save("csv", "text/csv", () => csv(/** @type {any} */ (scene))), json: save("json", "application/json", () => JSON.stringify(data.answer, null, 1)),
    png: plot.canvas ? () => void savePng(data, plot, file, pool, host) : null, curl: curl(query, range, location.origin), command: command(query, range, location.origin),
  }, range);
}

/**
 * @param {PanelData} data @param {import("./plot.js").Plot} plot @param {string} file name without its ending
 * @param {import("./pool.js").PlotPool} pool @param {import("./types.js").PanelHost} host
 */
async function savePng(data, plot, file, pool, host) {
  const canvas = plot.canvas;
  const scene = data.scene;
  if (!canvas || !scene) return;
  const colors = pool.colors();
  const legend = scene.heat ? [] : scene.lines.filter((line) => !line.hidden).map((line) => ({label: line.label, color: colors.series[line.paint.index - 1] ?? colors.edge}));
  const words = {title: data.title, range: span(scene.from, scene.until, scene.zone), badge: data.badges.map((badge) => badge.text).join("   "), legend: legend.length > 1 ? legend : []};
  const content = await png(canvas, words, colors);
  if (content) host.act(data.spec.id, "save", {name: `${file}.png`, type: "image/png", content});
}
