// Dashboards and shared views at the server.

import { ApiError } from "./client.js";

/**
 * @typedef {object} DashboardEntry
 * @property {string} id
 * @property {string} title
 * @property {string} folder
 * @property {"built-in"|"file"|"saved"} source
 * @property {number} version
 * @property {string} etag
 * @property {number} changed
 * @property {string} [by]
 * @property {number} panels
 */

/** @param {{client: import("./client.js").Client}} needs */
export function createDashboards({ client }) {
  const root = "/api/v1/dashboards";
  /** @param {string} id */
  const at = (id) => `${root}/${encodeURIComponent(id)}`;
  return {
    /** @returns {Promise<{writable: boolean, dashboards: DashboardEntry[]}>} */
    list: () => client.get(root),
    /** @param {string} id @param {string} [version] @returns {Promise<{etag: string, content: any}>} */
    async load(id, version) {
      const response = await client.raw(version ? `${at(id)}?version=${encodeURIComponent(version)}` : at(id));
      return { etag: response.headers.get("ETag") ?? "", content: await response.json() };
    },
    /** @param {string} id @returns {Promise<{versions: {version: number, changed: number, by?: string, bytes: number}[]}>} */
    versions: (id) => client.get(`${at(id)}/versions`),
    /**
     * @param {string} id
     * @param {any} content
     * @param {string} etag what the edit began with; empty: the dashboard is new
     * @returns {Promise<{version: number, etag: string}>} rejects with status 412 if another version was saved meanwhile
     */
    async save(id, content, etag) {
      /** @type {Record<string, string>} */
      const condition = etag === "" ? { "If-None-Match": "*" } : { "If-Match": etag };
      const response = await client.raw(at(id), {
        method: "PUT",
        body: JSON.stringify(content),
        headers: { "Content-Type": "application/json", ...condition },
      });
      return response.json();
    },
    /** @param {string} id @param {string} etag */
    remove: (id, etag) => client.raw(at(id), { method: "DELETE", headers: { "If-Match": etag } }),
    /** Stores a long link. @param {string} fragment @returns {Promise<string>} its short name */
    async keepView(fragment) {
      const answer = await client.post("/api/v1/views", { fragment });
      if (typeof answer.view !== "string") throw new ApiError(200, "the server kept no view");
      return answer.view;
    },
    /** @param {string} view @returns {Promise<string>} the fragment */
    async view(view) {
      const answer = await client.get(`/api/v1/views/${encodeURIComponent(view)}`);
      return typeof answer.fragment === "string" ? answer.fragment : "";
    },
  };
}

/** @typedef {ReturnType<typeof createDashboards>} Dashboards */
