// Exemplars, as the server keeps them: the largest of each series in a slot of 10 s.

/**
 * @typedef {object} Exemplar
 * @property {number} value
 * @property {number} time unix seconds
 * @property {[string, string][]} labels name and value: texts of strangers
 */

/**
 * The exemplars of series, the largest first.
 * @param {import("./client.js").Client} client
 * @param {string[]} series names or globs, as the heatmap asks them @param {number} from @param {number} until exclusive
 * @returns {Promise<{exemplars: Exemplar[], warnings: string[]}>}
 */
export async function exemplarsOf(client, series, from, until) {
  const query = series.map((name) => `{__graphite__=${JSON.stringify(name.startsWith("g:") ? name.slice(2) : name)}}`).join(" or ");
  const answer = await client.get("/prometheus/api/v1/query_exemplars", { query, start: from, end: until - 0.001 });
  const exemplars = answer.data.flatMap((/** @type {any} */ one) => one.exemplars).map((/** @type {any} */ one) => (
    { value: Number(one.value), time: one.timestamp, labels: Object.entries(one.labels) }));
  exemplars.sort((/** @type {Exemplar} */ a, /** @type {Exemplar} */ b) => b.value - a.value);
  return { exemplars, warnings: answer.warnings ?? [] };
}
