// Dashboards that every server has. They are not stored: a copy of one can be saved.

/** @typedef {import("./dashboard_model.js").Dashboard} Dashboard */

/** @param {[number, number, number, number]} at @param {string} title @param {any} rest */
const panel = (at, title, rest) => ({ at, title, ...rest });

/** Whole range of a fleet, filtered by a role. @type {Record<string, Dashboard>} */
export const kBuiltIn = {
  fleet: {
    format: 1, title: "Fleet", notes: "All hosts together. Distributions are merged sample by sample, so percentiles are those of the fleet.",
    time: { from: "-6h" },
    panels: [
      panel([0, 0, 6, 2], "CPU busy", { series: ["host.cpu.busy_percent;*"] }),
      panel([6, 0, 6, 2], "wait for a CPU", { kind: "heatmap", series: ["host.sched.runqueue_wait_ns;*"], stats: ["p50", "p99"] }),
      panel([0, 2, 6, 2], "latency of disks", { kind: "heatmap", series: ["host.block.latency_ns;*"], stats: ["p50", "p99"] }),
      panel([6, 2, 6, 2], "traffic by direction", { expr: "sum by (direction) (rate({\"host.net.bytes\"}[$step]))", unit: "bytes_per_second" }),
      panel([0, 4, 6, 2], "free memory", { series: ["host.memory.available_bytes;*"] }),
      panel([6, 4, 6, 2], "segments sent again", { series: ["host.tcp.retransmits;*"] }),
    ],
  },
  "one-host": {
    format: 1, title: "One host", notes: "", vars: [{ name: "host", from: "tag:host" }],
    panels: [
      panel([0, 0, 6, 2], "CPU busy", { series: ["host.cpu.busy_percent;*host=$host*"] }),
      panel([6, 0, 6, 2], "wait for a CPU", { kind: "heatmap", series: ["host.sched.runqueue_wait_ns;*host=$host*"], stats: ["p50", "p99"] }),
      panel([0, 2, 6, 2], "latency of disks", { kind: "heatmap", series: ["host.block.latency_ns;*host=$host*"], stats: ["p50", "p99"] }),
      panel([6, 2, 6, 2], "traffic", { series: ["host.net.bytes;*host=$host*"] }),
    ],
  },
  "statmill-server": {
    format: 1, title: "statmill server", notes: "What this server says of itself.",
    panels: [
      panel([0, 0, 6, 1], "accepted samples", { series: ["statmill.samples_accepted;*"] }),
      panel([6, 0, 6, 1], "refused samples", { series: ["statmill.samples_refused;*"] }),
      panel([0, 1, 6, 1], "queries", { kind: "heatmap", series: ["statmill.query_ns;*"], stats: ["p50", "p99"] }),
      panel([6, 1, 6, 1], "duration of a tick", { kind: "heatmap", series: ["statmill.tick_ns"], stats: ["p50", "p99"] }),
      panel([0, 2, 6, 1], "memory", { series: ["statmill.process.resident_memory_bytes", "statmill.pending_bytes", "statmill.store_memory_bytes"] }),
      panel([6, 2, 6, 1], "store on disk", { series: ["statmill.store_disk_bytes"] }),
      panel([0, 3, 6, 1], "CPU", { series: ["statmill.process.cpu_ns"], unit: "cores" }),
      panel([6, 3, 6, 1], "series", { series: ["statmill.series"] }),
    ],
  },
  "statmill-agents": {
    format: 1, title: "statmill agents", notes: "Cost and losses of all agents.",
    panels: [
      panel([0, 0, 6, 2], "CPU of agents", { series: ["host.agent.cpu_percent;*"] }),
      panel([6, 0, 6, 2], "memory of agents", { series: ["host.agent.rss_bytes;*"] }),
      panel([0, 2, 6, 1], "lines dropped", { series: ["host.agent.lines_dropped;*"] }),
      panel([6, 2, 6, 1], "spool", { series: ["host.agent.spool_bytes;*"] }),
    ],
  },
};
